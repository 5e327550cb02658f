import { Command, Option } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { addTrustOptions } from '../../terminal/options.ts';
import { type ReplayCommandOptions, replayFile } from './replay-file.ts';

const EXAMPLES = `
Examples:
  ticketscan replay gate.jsonl                                          what is in the recording, field by field
  ticketscan replay gate.jsonl http://127.0.0.1:8080 --key env:KEY      send it again, compare the answers
  ticketscan replay gate.jsonl http://127.0.0.1:8080 --key key-1=env:GATE --key key-2=env:POS --pace original
  ticketscan replay gate.jsonl --extract packets                        each exchange as files for golden packets
  ticketscan replay gate.jsonl --learn gatex.yaml                       write a device file from it
  ticketscan replay gate.jsonl --device-file gatex.yaml                 does the file read it, and answer like that?

Sending consume requests again takes uses again. Exit code 0 when every answer is as recorded, 1 when one differs.`;

/** `ticketscan replay`: sends a recording to a server and compares the answers, or shows its contents. */
export function command(io: CliIo): Command {
  const replay = new Command('replay')
    .description(
      'Send a recording to a server again and compare the answers; or show its contents.',
    )
    .argument('<file>', 'a recording that ticketscan record made')
    .argument('[base-url]', 'the server to send it to')
    .option(
      '--key <key...>',
      'the key to send in place of the removed one; env:NAME, file:PATH; key-2=… for one of several',
    )
    .option(
      '--codes <file>',
      'JSON object: a ticket code of the recording to the one to send instead',
    )
    .addOption(
      new Option('--pace <pace>', 'with the recorded times, or one request after another')
        .choices(['original', 'fast'])
        .default('fast'),
    )
    .option(
      '--volatile <name...>',
      'members of answers that always differ; scannedAt is one already',
    )
    .option('--keep-host', 'send the recorded header Host')
    .option('--timeout <duration>', 'how long to wait for an answer; a bare number is in ms', '10s')
    .option('--extract <dir>', 'write each request and response into files there')
    .option('--learn <file>', 'write a device file of the unknown device in it (YAML)')
    .option(
      '--device-file <file>',
      'prove a device file: show what it reads, and compare its answers',
    )
    .option('--json', 'one JSON object a line')
    .addHelpText('after', EXAMPLES)
    .action((file: string, url: string | undefined, options: ReplayCommandOptions) =>
      replayFile(file, url, options, io),
    );
  return addTrustOptions(replay);
}
