import { Option, Command as TypedCommand } from '@commander-js/extra-typings';
import type { Command } from 'commander';
import { TLS_KEY_TYPES } from '../../kit/served-tls.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addTrustOptions, collected, durationFor } from '../../terminal/options.ts';
import { type RecordOptions, recordSession } from './record-session.ts';
import { sendRecording } from './send.ts';
import { showFile } from './show.ts';

const EXAMPLES = `
Examples:
  ticketscan record https://scan.example.org --out gate.jsonl
  ticketscan record http://127.0.0.1:8080 --host 0.0.0.0 --port 8090 --out gate.jsonl   for a device on the network
  ticketscan record https://scan.example.org --hide-codes --json
  ticketscan record https://controller.example.org --learn gatex.yaml   and write its device file
  ticketscan record http://127.0.0.1:8080 --device-file control-id      names this device and its fields
  ticketscan record show gate.jsonl                                     what is in the recording, field by field
  ticketscan record send gate.jsonl http://127.0.0.1:8080 --key env:KEY send it again, compare the answers

Set the device or the software to the printed address instead of the service. Every byte is forwarded; only
Host and a base path change, and answers are requested uncompressed. Keys of ticketscan in plain text, Base64 or hex are not
kept, nor secrets of other systems found by name, form or place; rarer encodings may be kept. Check a recording before you
pass it on. ticketscan docs device-files has the steps from a recording to a device file, without code.`;

const SHOW_EXAMPLES = `
Examples:
  ticketscan record show gate.jsonl                             what is in the recording, field by field
  ticketscan record show gate.jsonl --extract packets           each exchange as files for golden packets
  ticketscan record show gate.jsonl --learn gatex.yaml          write a device file from it
  ticketscan record show gate.jsonl --device-file gatex.yaml    does the file read it, and answer like that?

Sends nothing. With --device-file the exit code is 0 when every request is read and every answer is one of the file's, else 1.`;

const SEND_EXAMPLES = `
Examples:
  ticketscan record send gate.jsonl http://127.0.0.1:8080 --key env:KEY
  ticketscan record send gate.jsonl http://127.0.0.1:8080 --key key-1=env:GATE --key key-2=env:POS --pace original

Sending consume requests again takes uses again. Exit code 0 when every answer is as recorded, 1 when one differs.`;

/** `ticketscan record`: records the traffic between a device and a service, shows a recording, and sends one again. */
export function command(io: CliIo): Command {
  const record = new TypedCommand('record')
    .description('Record every exchange between a device or software and a service, as a proxy.')
    .argument('<upstream>', 'base URL of the real service')
    .option('--out <file>', 'the recording, one JSON object a line', 'recording.jsonl')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 picks a free one', '8081')
    .option('--hide-codes', 'replace ticket codes by others of the same length')
    .option('--tls-cert <file>', 'serve HTTPS to devices with this certificate (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--tls-self-signed', 'serve HTTPS to devices with a self-signed certificate')
    .addOption(
      new Option(
        '--tls-key-type <type>',
        'key type of the certificate: rsa for devices that know only RSA (default: ec)',
      ).choices(TLS_KEY_TYPES),
    )
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
    .action((upstream, options) => recordSession(upstream, options as RecordOptions, io));
  return addTrustOptions(record as unknown as Command)
    .addCommand(showCommand(io))
    .addCommand(sendCommand(io))
    .enablePositionalOptions();
}

const RECORDING = ['<file>', 'a recording that ticketscan record made'] as const;
const KEY =
  'the key to put in place of the removed one; env:NAME, file:PATH; key-2=… for one of several';
const CODES = 'JSON object: a ticket code of the recording to the one to put in its place';

function showCommand(io: CliIo): Command {
  return new TypedCommand('show')
    .summary('show the contents of a recording, or a device file that it proves')
    .description('Show the contents of a recording. Sends nothing.')
    .argument(...RECORDING)
    .option('--extract <dir>', 'write each request and response into files there')
    .option('--key <key...>', `with --extract: ${KEY}`)
    .option('--codes <file>', `with --extract: ${CODES}`)
    .option('--learn <file>', 'write a device file of the unknown device in it (YAML)')
    .option(
      '--device-file <file>',
      'prove a device file: show what it reads, and compare its answers',
    )
    .option('--json', 'one JSON object a line')
    .addHelpText('after', SHOW_EXAMPLES)
    .action((file, options) => showFile(file, options, io)) as unknown as Command;
}

function sendCommand(io: CliIo): Command {
  const send = new TypedCommand('send')
    .summary('send a recording to a server again and compare the answers')
    .description('Send a recording to a server again and compare the answers.')
    .argument(...RECORDING)
    .argument('<base-url>', 'the server to send it to')
    .option('--key <key...>', KEY)
    .option('--codes <file>', CODES)
    .addOption(
      new Option('--pace <pace>', 'with the recorded times, or one request after another')
        .choices(['original', 'fast'] as const)
        .default('fast' as const),
    )
    .option(
      '--volatile <name...>',
      'members of answers that always differ; scannedAt is one already',
    )
    .option('--keep-host', 'send the recorded header Host')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for an answer, such as 10s or 500ms')
        .argParser(durationFor('--timeout'))
        .default(10_000, '10s'),
    )
    .option('--json', 'one JSON object a line')
    .addHelpText('after', SEND_EXAMPLES)
    .action((file, url, options) => sendRecording(file, url, options, io));
  return addTrustOptions(send as unknown as Command);
}
