import { join } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { makeFolder, writeForOwner } from '../../kit/files.ts';
import { counted } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { RequestKinds } from '../kinds/request-kinds.ts';
import type { Recording, StoredExchange } from '../recording.ts';
import { Restorer } from '../secrets/placeholders.ts';
import { learnFile, proveFile } from './device-file.ts';
import { labelsIn, readCodes, readKeys, readRecording } from './inputs.ts';
import { exchangeFacts, exchangeLine, kindLines } from './texts.ts';

interface ShowOptions {
  readonly extract?: string;
  readonly key?: readonly string[];
  readonly codes?: string;
  readonly learn?: string;
  readonly deviceFile?: string;
  readonly json?: true;
}

/** `record show`: the contents of a recording, or what its options make of them. */
export function showFile(path: string, options: ShowOptions, io: CliIo): void {
  const recording = readRecording(path, io);
  const { exchanges } = recording;
  const { learn, deviceFile, extract, json = false } = options;
  if (learn !== undefined) learnFile(exchanges, path, learn, io);
  else if (deviceFile !== undefined) proveFile(exchanges, deviceFile, json, io);
  else if (extract !== undefined) extractPackets(exchanges, extract, options, io);
  else showContents(recording, json, io);
}

/** The exchanges, then each kind of request field by field. */
function showContents({ header, exchanges }: Recording, json: boolean, io: CliIo): void {
  const kinds = new RequestKinds();
  for (const exchange of exchanges) kinds.observe(exchange);
  if (json) {
    for (const kind of kinds.all()) io.out(JSON.stringify({ event: 'kind', ...kind }));
    return;
  }
  const { upstream, recordedAt, codes } = header;
  const withCodes = codes === 'real' ? 'with ticket codes' : 'with replaced ticket codes';
  const count = counted(exchanges.length, 'exchange');
  io.out(`${count} with ${upstream}, ${recordedAt}, ${withCodes}`);
  for (const exchange of exchanges) io.out(exchangeLine(exchangeFacts(exchange)));
  for (const kind of kinds.all()) for (const line of kindLines(kind)) io.out(line);
}

/** The key of every example: it has the form of a key and opens nothing. */
const EXAMPLE_KEY = 'tscn_hw_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEX000000';

/**
 * Writes each complete request and response into a separate file, byte for byte, for golden packets.
 * Missing keys are replaced by an example. Only the owner can read the files, because they contain keys and codes.
 */
function extractPackets(
  exchanges: readonly StoredExchange[],
  folder: string,
  options: Pick<ShowOptions, 'key' | 'codes'>,
  io: CliIo,
): void {
  const labels = labelsIn(exchanges);
  const keys = readKeys(options.key ?? [EXAMPLE_KEY], labels, io);
  for (const label of labels) if (!keys.has(label)) keys.set(label, EXAMPLE_KEY);
  const restorer = new Restorer(keys, readCodes(options.codes));
  const packets = exchanges.flatMap(({ number, model, request, response }) =>
    Object.entries({ request, response }).flatMap(([kind, message]) => {
      const file = join(folder, `${String(number).padStart(3, '0')}-${model}.${kind}.http`);
      return message?.whole === true ? [{ file, message }] : [];
    }),
  );
  try {
    makeFolder(folder);
    for (const { file, message } of packets) {
      const { head, body } = restorer.restore(message);
      writeForOwner(file, Buffer.concat([Buffer.from(head, 'latin1'), body]), 'wx');
    }
  } catch (error) {
    const why = fileFailure(error);
    throw new TicketscanError('usage', `The packets cannot be written into ${folder}: ${why}.`);
  }
  for (const { file } of packets) io.out(file);
}
