import * as z from 'zod';
import { isSameName } from '../../../core/folded-text.ts';
import type { DeviceNames } from '../../../core/gate-name.ts';
import { REFUSAL_REASONS } from '../../../core/outcome-names.ts';
import { type LogEntry, type RefusalCount, RefusalListJson } from '../../../core/records.ts';
import type { SeenRefusals } from '../../../core/refusal-counts.ts';
import { refusalAdvice } from '../../../core/refusals/advice.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import { describeSecret } from '../../../scan/refusal-counter.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { type Names, showTable, withName } from '../../../terminal/results.ts';
import { siteOfEntry } from '../../sites/event-homes.ts';
import type { LogConditions } from '../operations.ts';
import type { ConditionOptions } from './conditions.ts';

const HEADS = ['OPERATION', 'OUTCOME', 'TICKET', 'USES', 'KEY', 'SERIAL', 'READER'];

/** @param zone absent where the output names it elsewhere */
export function logHeads(zone?: string): string[] {
  return ['#', zone === undefined ? 'TIME' : inZone('TIME', zone), ...HEADS];
}

/** A line for people. A device that has a name is called by it, with its serial. */
export function logCells(
  entry: LogEntry,
  names: Names,
  zone: string,
  devices: DeviceNames,
): string[] {
  return [
    String(entry.sequence),
    shownTime(entry.at, zone),
    entry.operation,
    outcomeText(entry),
    entry.ticketId ?? sanitizeForTerminal(entry.excerpt ?? ''),
    entry.usesConsumed === null ? '' : String(entry.usesConsumed),
    callerText(entry, names),
    deviceText(entry, devices),
    sanitizeForTerminal(entry.reader ?? ''),
  ];
}

/** The key or account, and the site that answered the scan. */
function callerText({ keyId, site }: LogEntry, names: Names): string {
  const caller = withName(keyId, names);
  return site ? `${caller} at ${sanitizeForTerminal(siteOfEntry(site, names))}` : caller;
}

function deviceText(entry: LogEntry, devices: DeviceNames): string {
  const name = devices.of(entry);
  const serial = sanitizeForTerminal(entry.serial ?? '');
  return name === undefined ? serial : `${sanitizeForTerminal(name)} (${serial})`;
}

/** Why a scan took no use that looks as if it took one. */
function withoutUse({ site, replayed }: LogEntry): string {
  if (site?.late) return ' (late, took no use)';
  return replayed ? ' (repeated)' : '';
}

/** The outcome with the direction, where the key says one: `consumed in`, `opened out`. */
function outcomeText(entry: LogEntry): string {
  const { status, reason, undo, undoneBy, direction, done, byHand } = entry;
  if (undo) return sanitizeForTerminal(`${status} #${undo.sequence} by ${undo.by}: ${undo.reason}`);
  const later = undoneBy === undefined ? '' : ` (undone by #${undoneBy})`;
  const outcome = done ?? `${status}${reason === null ? '' : ` ${reason}`}`;
  const hand = byHand ? ' (by hand)' : '';
  return `${outcome}${direction ? ` ${direction}` : ''}${withoutUse(entry)}${hand}${later}`;
}

const REFUSAL_HEADS = ['TIMES', 'REASON', 'KEY', 'SERIAL', 'ADDRESS', 'ENDPOINT'];

/** The conditions on refused requests. */
interface Wanted extends Pick<ConditionOptions, 'key' | 'serial'> {
  readonly names: Names;
  readonly times: Pick<LogConditions, 'from' | 'until'>;
  readonly limit: number;
}

/**
 * The latest of those that were meant, those with keys of the store before made-up ones; the others are left out where a key or a device
 * was named.
 */
export function chosenRefusals(seen: SeenRefusals, wanted: Wanted): SeenRefusals {
  const { rows, others, unknownKeys } = seen;
  const { key, serial, names, times, limit } = wanted;
  const isOfKey = (row: RefusalCount) =>
    key === undefined ||
    row.keyId === key ||
    isSameName(names.get(row.keyId ?? '') ?? '', key) ||
    row.key === describeSecret(key);
  const chosen = rows.filter(
    (row) =>
      isOfKey(row) && (serial === undefined || row.serial === serial) && isWithin(row, times),
  );
  const hasAll = key === undefined && serial === undefined;
  return {
    rows: [...chosen.filter(isKnown), ...chosen.filter((row) => !isKnown(row))]
      .slice(0, limit)
      .toSorted((a, b) => a.lastAt - b.lastAt),
    others: hasAll && others && isWithin(others, times) ? others : null,
    unknownKeys,
  };
}

function isKnown({ keyId }: RefusalCount): boolean {
  return keyId !== null;
}

function isWithin(
  { firstAt, lastAt }: Pick<RefusalCount, 'firstAt' | 'lastAt'>,
  { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY }: Wanted['times'],
): boolean {
  return lastAt >= from && firstAt <= until;
}

interface RefusalView {
  readonly names: Names;
  readonly zone: string;
  readonly json: boolean;
}

/** Shows refused requests. */
export function showRefusals(
  io: CliIo,
  counts: SeenRefusals,
  { names, zone, json }: RefusalView,
): void {
  const { rows, others, unknownKeys } = counts;
  if (json) {
    const list = z.encode(RefusalListJson, { items: [...rows], others, unknownKeys });
    for (const item of list.items) io.out(JSON.stringify(item));
    if (list.others) io.out(JSON.stringify({ reason: 'others', ...list.others }));
    return;
  }
  if (rows.length === 0 && !others) {
    note(
      io,
      unknownKeys
        ? 'No requests were refused. New refusals appear within 10 seconds.'
        : 'No requests with a key of this organisation were refused. New refusals appear within 10 seconds.',
    );
  }
  showTable(
    io,
    [inZone('LAST', zone), ...REFUSAL_HEADS],
    rows.map((row) => cellsOf(row, names, zone)),
  );
  for (const reason of new Set(rows.map((row) => row.reason))) {
    io.out(`${REFUSAL_REASONS[reason]}: ${refusalAdvice(reason)}`);
  }
  if (!others) return;
  const { times, lastAt } = others;
  const requests = counted(times, 'more request');
  io.out(
    `${requests} not listed one by one, the last at ${inZone(shownTime(lastAt, zone), zone)}.`,
  );
}

function cellsOf(row: RefusalCount, names: Names, zone: string): string[] {
  const { reason, key, keyId, serial, endpoint, times, lastAt } = row;
  return [
    shownTime(lastAt, zone),
    String(times),
    REFUSAL_REASONS[reason],
    keyId === null ? (key ?? '-') : `${key ?? '-'} ${withName(keyId, names)}`,
    sanitizeForTerminal(serial ?? ''),
    refusedAddress(row),
    endpoint,
  ];
}

/** The address that a refused request came from, and the site that refused it. */
export function refusedAddress({ address, site }: Pick<RefusalCount, 'address' | 'site'>): string {
  return sanitizeForTerminal(site === undefined ? address : `${address} at ${site}`);
}
