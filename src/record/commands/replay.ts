import { Command, Option } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { type ReplayCommandOptions, replayFile } from './replay-file.ts';

const EXAMPLES = `
Examples:
  ticketscan replay gate.jsonl                                          what is in the recording, field by field
  ticketscan replay gate.jsonl http://127.0.0.1:8080 --key env:KEY      send it again, compare the answers
  ticketscan replay gate.jsonl http://127.0.0.1:8080 --key key-1=env:GATE --key key-2=env:POS --pace original
  ticketscan replay gate.jsonl --extract packets                        each exchange as files for golden packets

Sending consume requests again takes uses again. Exit code 0 when every answer is as it was, 1 when one differs. The events
of a simulated session (ticketscan simulate --json) are something else: ticketscan simulate --replay shows those.`;

/** `ticketscan replay`: sends a recording to a server and compares the answers, or shows what it holds. */
export function command(io: CliIo): Command {
  return new Command('replay')
    .description(
      'Send a recording to a server again and compare the answers; or show what it holds.',
    )
    .argument('<file>', 'a recording that ticketscan record made')
    .argument('[base-url]', 'the server to send it to')
    .option(
      '--key <key...>',
      'for the keys that were left out; env:NAME, file:PATH; key-2=… for one of several',
    )
    .option(
      '--codes <file>',
      'JSON object: a ticket code of the recording to the one to send instead',
    )
    .addOption(
      new Option('--pace <pace>', 'as it was, or one after the other')
        .choices(['original', 'fast'])
        .default('fast'),
    )
    .option('--volatile <name...>', 'members of answers that differ each time, besides scannedAt')
    .option('--keep-host', 'send the header Host as it was')
    .option('--timeout <ms>', 'how long to wait for an answer', '10000')
    .option('--extract <dir>', 'write each request and response into files there')
    .option('--tls-ca <file>', 'trust this certificate (PEM) as well')
    .option('--insecure', 'take any certificate; for a test server only')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', EXAMPLES)
    .action((file: string, url: string | undefined, options: ReplayCommandOptions) =>
      replayFile(file, url, options, io),
    );
}
