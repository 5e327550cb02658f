import { existsSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { TicketscanError } from '../../core/errors.ts';
import { DeviceFileError, parseDeviceFile } from '../../device-files/load.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import { fileFailure } from '../../kit/failures.ts';
import { checkWritable, makeFolder, writeForOwner } from '../../kit/files.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { learnDeviceFile } from '../device-files/learn.ts';
import { type Proven, prove } from '../device-files/prove.ts';
import { FileDevices } from '../device-files/senders.ts';
import { type RequestKind, RequestKinds } from '../kinds/request-kinds.ts';
import type { StoredExchange } from '../recording.ts';
import type { Difference } from '../replay/differences.ts';
import { readDeviceFiles } from './inputs.ts';
import { exchangeFacts, kindLines } from './texts.ts';

/** Refuses a file that exists, or that cannot be written, before anything is recorded. @throws TicketscanError `usage` */
export function expectNoFile(path: string | undefined): void {
  if (path === undefined) return;
  if (existsSync(path))
    throw new TicketscanError(
      'usage',
      `${path} already exists: --learn overwrites no file. Name another one.`,
    );
  forLearned(path, () => checkWritable(path));
}

function forLearned(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
  }
}

/**
 * Writes a device file from a recording and says whether it can be loaded as it is.
 * @param from the recording, for messages
 * @throws TicketscanError `usage` when there is nothing to learn, or the file cannot be written
 */
export function learnFile(
  exchanges: readonly StoredExchange[],
  from: string,
  path: string,
  io: CliIo,
): void {
  expectNoFile(path);
  const text = learnDeviceFile(exchanges, nameFrom(path));
  if (text === undefined) {
    throw new TicketscanError(
      'usage',
      `${from} has no request of an unknown device: there is nothing to learn.`,
    );
  }
  forLearned(path, () => {
    makeFolder(dirname(path));
    writeForOwner(path, text, 'wx');
  });
  try {
    parseDeviceFile(text, path);
    io.err(
      `${path} can be loaded. Check the guesses, then: ticketscan record show ${from} --device-file ${path}`,
    );
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    io.err(`${path} was written. It cannot be loaded until this is corrected:\n${error.message}`);
  }
}

const NAME_CHARACTERS_MAX = 40;

/** `Gate X.yaml` becomes `gate-x`. */
function nameFrom(path: string): string {
  const bare = basename(path, extname(path)).toLowerCase();
  return bare.replaceAll(/[^a-z0-9]+/g, '-').slice(0, NAME_CHARACTERS_MAX);
}

/**
 * Shows what a device file makes of a recording, without a server. Exit code 1 when a request is not read, or an answer is not one of
 * the file's.
 * @throws TicketscanError `usage` for a file that cannot be used, or a recording without such a device
 */
export function proveFile(
  exchanges: readonly StoredExchange[],
  path: string,
  json: boolean,
  io: CliIo,
): void {
  const file = onlyFileAt(path);
  const proven = prove(exchanges, file);
  if (proven.length === 0) {
    throw new TicketscanError(
      'usage',
      `The recording has no request of a device that ${path} may describe.`,
    );
  }
  const kinds = kindsOf(proven, file);
  const counts = countsOf(proven);
  const lines = json
    ? [
        ...proven.map(eventOf),
        ...kinds.map((kind) => ({ event: 'kind', ...kind })),
        { event: 'summary', ...counts },
      ].map((one) => JSON.stringify(one))
    : [
        ...proven.flatMap(linesOf).map(sanitizeForTerminal),
        ...kinds.flatMap(kindLines),
        summary(counts),
      ];
  for (const line of lines) io.out(line);
  io.exit(counts.different === 0 ? 0 : 1);
}

/** The kinds of the requests that the file reads, with the meaning of each field that it names. */
function kindsOf(proven: readonly Proven[], file: DeviceFile): RequestKind[] {
  const kinds = new RequestKinds(new FileDevices([file]));
  for (const { exchange, read } of proven) if (read) kinds.observe(exchange);
  return kinds.all();
}

function countsOf(proven: readonly Proven[]) {
  const different = proven.filter(({ differences }) => differences.length > 0).length;
  const good = proven.filter(({ differences }) => differences.length === 0);
  const same = good.filter(({ outcomes }) => outcomes !== undefined).length;
  return { requests: proven.length, same, different, uncompared: good.length - same };
}

function summary({ same, different, uncompared }: ReturnType<typeof countsOf>): string {
  const rest =
    uncompared === 0 ? '' : `, ${uncompared} not compared (no answer of the device's server)`;
  return `${counted(same, 'answer')} as recorded, ${different} different${rest}.`;
}

function onlyFileAt(path: string): DeviceFile {
  const [file, ...others] = readDeviceFiles([path]);
  if (file && others.length === 0) return file;
  throw new TicketscanError('usage', `${path} has several device files. Name one of them.`);
}

function factsOf({ read }: Proven) {
  if (!read) return {};
  if (read.kind !== 'scan') return { kind: read.kind, serial: read.serial };
  const { ticketCode = null, serial, reader } = read.scan;
  return { kind: read.kind, code: ticketCode, serial, reader };
}

function eventOf(proven: Proven) {
  const { exchange, outcomes = null, differences } = proven;
  const { number, model, method, path, status } = exchangeFacts(exchange);
  const same = differences.length === 0;
  const facts = { number, model, method, path, status, ...factsOf(proven), outcomes };
  return { event: 'read', ...facts, same, differences };
}

function linesOf(proven: Proven): string[] {
  const { method, path, number } = exchangeFacts(proven.exchange);
  const { kind = 'not read', ...values } = factsOf(proven);
  const facts = Object.entries(values).map(([name, value]) => `${name} ${value ?? 'missing'}`);
  const like =
    proven.outcomes?.[0] === undefined ? [] : [`answered as ${likeText(proven.outcomes)}`];
  return [
    `${String(number).padStart(4)}  ${method} ${path}  ${[kind, ...facts, ...like].join(', ')}`,
    ...proven.differences.map(
      (one) =>
        `      ${one.what}${one.nearest === undefined ? '' : `, nearest is ${one.nearest}`}: ${fromTheDifference(one)}`,
    ),
  ];
}

const BEFORE_CHARACTERS = 20;
const FROM_CHARACTERS = 20;

/** Two long texts from shortly before the first character in which they differ. */
function fromTheDifference({ recorded = '', now = '' }: Difference): string {
  const at = [...recorded].findIndex((character, index) => character !== now[index]);
  const from = Math.max(0, (at === -1 ? recorded.length : at) - BEFORE_CHARACTERS);
  const part = (text: string) => {
    const end = from + BEFORE_CHARACTERS + FROM_CHARACTERS;
    return `${from > 0 ? '…' : ''}${text.slice(from, end)}${text.length > end ? '…' : ''}`;
  };
  return `${part(recorded)} → ${part(now)}`;
}

/** Denials often share an answer. */
function likeText(outcomes: readonly string[]): string {
  return outcomes.length > 2 ? `a denial (${outcomes.length} outcomes)` : outcomes.join(' or ');
}
