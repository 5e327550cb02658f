import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { writeForOwner } from '../../kit/files.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { StoredExchange, StoredMessage } from '../recording.ts';
import { Restorer } from '../replay/restore.ts';
import { readCodes, readKeys } from './replay-secrets.ts';

/** The key of every example: it has the form of a key and opens nothing. */
const EXAMPLE_KEY = 'tscn_hw_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX000000';

/**
 * Writes each complete request and response into a separate file, byte for byte, for golden packets.
 * Missing keys are replaced by an example. Only the owner can read the files, because they contain keys and codes.
 */
export function extractPackets(
  exchanges: readonly StoredExchange[],
  folder: string,
  options: { readonly key?: readonly string[]; readonly codes?: string },
  io: CliIo,
): void {
  const labels = new Set(exchanges.flatMap(({ keys }) => keys));
  const keys = readKeys(options.key ?? [EXAMPLE_KEY], labels, io);
  for (const label of labels) if (!keys.has(label)) keys.set(label, EXAMPLE_KEY);
  const restorer = new Restorer(keys, readCodes(options.codes));
  const packets = exchanges.flatMap(({ number, model, request, response }) => {
    const name = `${String(number).padStart(3, '0')}-${model}`;
    const messages = { request, response };
    return Object.entries(messages).flatMap(([kind, message]) =>
      message?.whole === true ? [{ name: `${name}.${kind}.http`, message }] : [],
    );
  });
  writeAll(packets, folder, restorer);
  for (const { name } of packets) io.out(join(folder, name));
}

function writeAll(
  packets: readonly { readonly name: string; readonly message: StoredMessage }[],
  folder: string,
  restorer: Restorer,
): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, message } of packets) {
      const { head, body } = restorer.restore(message);
      const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body]);
      writeForOwner(join(folder, name), bytes, 'wx');
    }
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `The packets cannot be written into ${folder}: ${fileFailure(error)}.`,
    );
  }
}
