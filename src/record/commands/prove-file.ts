import { TicketscanError } from '../../core/errors.ts';
import { DeviceFileError, loadDeviceFiles } from '../../device-files/load.ts';
import type { DeviceFile } from '../../device-files/schema.ts';
import { counted } from '../../kit/counted.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { type Proven, prove } from '../device-files/prove.ts';
import type { StoredExchange } from '../recording.ts';
import { exchangeLine } from './exchange-line.ts';

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
  const proven = prove(exchanges, onlyFileAt(path));
  if (proven.length === 0) {
    throw new TicketscanError('usage', `The recording has no request that ${path} could be for.`);
  }
  for (const one of proven) {
    if (json) io.out(JSON.stringify(eventOf(one)));
    else for (const line of linesOf(one)) io.out(sanitizeForTerminal(line));
  }
  const counts = countsOf(proven);
  io.out(json ? JSON.stringify({ event: 'summary', ...counts }) : summary(counts));
  io.exit(counts.different === 0 ? 0 : 1);
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
  try {
    const [file, ...others] = loadDeviceFiles(path);
    if (file && others.length === 0) return file;
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new TicketscanError('usage', error.message, { cause: error });
  }
  throw new TicketscanError('usage', `${path} has several device files: name one of them.`);
}

function factsOf({ read }: Proven) {
  if (!read) return {};
  if (read.kind !== 'scan') return { kind: read.kind, serial: read.serial };
  const { ticketCode = null, serial, reader } = read.scan;
  return { kind: read.kind, code: ticketCode, serial, reader };
}

function eventOf(proven: Proven) {
  const { exchange, outcomes = null, differences } = proven;
  const { number, model, method, path, status } = exchangeLine(exchange);
  const same = differences.length === 0;
  const facts = { number, model, method, path, status, ...factsOf(proven), outcomes };
  return { event: 'read', ...facts, same, differences };
}

function linesOf(proven: Proven): string[] {
  const { method, path, number } = exchangeLine(proven.exchange);
  const { kind = 'not read', ...values } = factsOf(proven);
  const facts = Object.entries(values).map(([name, value]) => `${name} ${value ?? 'missing'}`);
  const like =
    proven.outcomes?.[0] === undefined ? [] : [`answered as ${likeText(proven.outcomes)}`];
  return [
    `${String(number).padStart(4)}  ${method} ${path}  ${[kind, ...facts, ...like].join(', ')}`,
    ...proven.differences.map(({ what, recorded, now }) => `      ${what}: ${recorded} → ${now}`),
  ];
}

/** Denials often share an answer. */
function likeText(outcomes: readonly string[]): string {
  return outcomes.length > 2 ? `a denial (${outcomes.length} outcomes)` : outcomes.join(' or ');
}
