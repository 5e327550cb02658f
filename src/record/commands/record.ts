import { Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { type RecordOptions, recordSession } from './record-session.ts';

const EXAMPLES = `
Examples:
  ticketscan record https://scan.example.org --out gate.jsonl
  ticketscan record http://127.0.0.1:8080 --host 0.0.0.0 --port 8090 --out gate.jsonl   for a device on the network
  ticketscan record https://scan.example.org --hide-codes --json

Point the device or the software at the address that is printed instead of at the service. Every byte is passed on; only
Host and a base path change, and answers are asked for uncompressed. Keys of ticketscan in plain text, Base64 or hex are not
kept, nor secrets of other systems where their name, form or place tells; rarer encodings may be. Look through a recording before you hand it on. ticketscan replay sends it
again and shows it field by field; docs/new-device.md goes from a recording to a new device model.`;

/** `ticketscan record`: stands between a device and a service and writes down what they say. */
export function command(io: CliIo): Command {
  return new Command('record')
    .description('Stand between a device or software and a service, and write down every exchange.')
    .argument('<upstream>', 'base URL of the real service')
    .option('--out <file>', 'the recording, one JSON object a line', 'recording.jsonl')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 picks a free one', '8081')
    .option('--hide-codes', 'keep stand-ins of the same length instead of ticket codes')
    .option('--tls-cert <file>', 'speak HTTPS to devices with this certificate (PEM)')
    .option('--tls-key <file>', 'its key (PEM)')
    .option('--tls-self-signed', 'speak HTTPS to devices with a certificate made here')
    .option('--tls-ca <file>', 'trust this certificate (PEM) of the service as well')
    .option('--insecure', 'take any certificate of the service; for a test server only')
    .option('--json', 'one JSON object a line: listening, kind, exchange, summary')
    .addHelpText('after', EXAMPLES)
    .action((upstream: string, options: RecordOptions) => recordSession(upstream, options, io));
}
