import { Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { addTrustOptions, collected } from '../../terminal/options.ts';
import { type RecordOptions, recordSession } from './record-session.ts';

const EXAMPLES = `
Examples:
  ticketscan record https://scan.example.org --out gate.jsonl
  ticketscan record http://127.0.0.1:8080 --host 0.0.0.0 --port 8090 --out gate.jsonl   for a device on the network
  ticketscan record https://scan.example.org --hide-codes --json
  ticketscan record https://controller.example.org --learn gatex.yaml   and write its device file
  ticketscan record http://127.0.0.1:8080 --device-file control-id      names this device and its fields

Set the device or the software to the printed address instead of the service. Every byte is forwarded; only
Host and a base path change, and answers are requested uncompressed. Keys of ticketscan in plain text, Base64 or hex are not
kept, nor secrets of other systems found by name, form or place; rarer encodings may be kept. Check a recording before you
pass it on. ticketscan replay sends it again and shows it field by field; docs/new-device.md describes the steps to a new
device model.`;

/** `ticketscan record`: records the traffic between a device and a service. */
export function command(io: CliIo): Command {
  const record = new Command('record')
    .description('Record every exchange between a device or software and a service, as a proxy.')
    .argument('<upstream>', 'base URL of the real service')
    .option('--out <file>', 'the recording, one JSON object a line', 'recording.jsonl')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '8081')
    .option('--hide-codes', 'replace ticket codes by others of the same length')
    .option('--tls-cert <file>', 'serve HTTPS to devices with this certificate (PEM)')
    .option('--tls-key <file>', 'its key (PEM)')
    .option('--tls-self-signed', 'serve HTTPS to devices with a self-signed certificate')
    .option(
      '--learn <file>',
      'when it is stopped, write a device file of the unknown device (YAML)',
    )
    .option(
      '--device-file <file>',
      'device file (YAML), a folder or a name, once or several times: names these devices and their fields',
      collected,
    )
    .option('--json', 'one JSON object a line: listening, kind, exchange, summary')
    .addHelpText('after', EXAMPLES)
    .action((upstream: string, options: RecordOptions) => recordSession(upstream, options, io));
  return addTrustOptions(record);
}
