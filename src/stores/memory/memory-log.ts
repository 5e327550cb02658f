import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { LogEntry, Occupancy } from '../../core/records.ts';
import type { CountedBy, ScanCount } from '../../core/scan-count.ts';
import type { Ticket } from '../../core/ticket.ts';
import { usesIn } from '../../core/undo.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import {
  indexFrom,
  type LogPage,
  type LogSearch,
  logPage,
  meetsConditions,
  type OutcomeCount,
  type OutcomeCounts,
  outcomeCounts,
  searchedRange,
} from '../log-search.ts';
import type { CountSearch, LogFilter, ScanSum, VerifyReport } from '../store.ts';
import { notFound } from '../store-errors.ts';
import {
  countsOtherScans,
  countsOtherUses,
  homelessTickets,
  numberedOtherwise,
  usedTooOften,
} from '../verify-words.ts';
import { isBeingDeleted, type MemoryState, writeAuditEntry } from './memory-state.ts';

export function readLog(
  state: MemoryState,
  { afterSequence, ticketId, limit }: LogFilter,
): LogEntry[] {
  const start = indexFrom(state.log, (afterSequence ?? 0) + 1);
  const entries = state.log
    .slice(start)
    .filter((entry) => ticketId === undefined || entry.ticketId === ticketId);
  const page = afterSequence === undefined ? entries.slice(-limit) : entries.slice(0, limit);
  return page.map((entry) => state.linked(entry));
}

export function searchLog(state: MemoryState, search: LogSearch): LogPage {
  const { newest, oldest } = state;
  const range = searchedRange(search, newest, oldest);
  const looked = between(state.log, range.first, range.last);
  if (search.afterSequence === undefined) looked.reverse();
  const { organisationId } = search;
  const found = looked.filter(
    (entry) =>
      (organisationId === undefined || state.ownerOfKey(entry.keyId) === organisationId) &&
      meetsConditions(entry, search),
  );
  const page = found.slice(0, search.limit).map((entry) => state.linked(entry));
  return logPage(search, range, newest, page, oldest);
}

export function countOutcomes(
  state: MemoryState,
  afterSequence: number,
  searchMax: number,
): OutcomeCounts {
  const { newest, oldest } = state;
  const range = searchedRange({ afterSequence, searchMax }, newest, oldest);
  const counts = new Map<string, OutcomeCount>();
  for (const entry of between(state.log, range.first, range.last)) {
    const { operation, replayed, direction, done, keyId, serial, status, reason, at } = entry;
    // Somebody who went out was not admitted.
    const isExit = direction === 'out' && done !== undefined;
    if (operation !== 'consume' || replayed || isExit) continue;
    const organisationId = state.ownerOfKey(keyId) ?? '';
    const minute = Math.floor(at / MINUTE_MS);
    // Every consume is a scan.
    const scan = { status: status as OutcomeCount['status'], reason };
    const one = { organisationId, keyId, serial, minute, ...scan };
    const name = JSON.stringify(one);
    counts.set(name, { ...one, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  return outcomeCounts(afterSequence, range, newest, [...counts.values()]);
}

/** The entries with these numbers, both included. */
function between(log: readonly LogEntry[], first: number, last: number): LogEntry[] {
  const start = indexFrom(log, first);
  return log.slice(start, Math.max(start, indexFrom(log, last + 1)));
}

/** Which members a sum keeps apart besides operation, outcome and direction. */
const KEPT_APART = {
  quarter: ['quarter'],
  event: ['eventId'],
  gate: ['keyId', 'serial'],
  kind: ['kind'],
} as const satisfies Record<CountSearch['by'], readonly (keyof CountedBy)[]>;

export function sumScans(state: MemoryState, search: CountSearch): ScanSum[] {
  const { organisationId, fromQuarter, untilQuarter, by, eventId } = search;
  const sums = new Map<string, ScanSum>();
  for (const count of state.counts.values()) {
    if (count.quarter < fromQuarter || count.quarter >= untilQuarter) continue;
    if (eventId !== undefined && count.eventId !== eventId) continue;
    if (state.ownerOfKey(count.keyId) !== organisationId) continue;
    const names = [...KEPT_APART[by], 'operation', 'outcome', 'direction'] as const;
    const group = Object.fromEntries(names.map((name) => [name, count[name]]));
    const name = JSON.stringify(group);
    const scans = (sums.get(name)?.scans ?? 0) + count.scans;
    sums.set(name, { ...group, scans } as ScanSum);
  }
  return [...sums.values()];
}

/** Counters that the log contradicts, in sentences. Left out are serials, because not all of them are named, and what a ticket is now. */
function countProblems(state: MemoryState): string[] {
  const sums = new Map<
    string,
    { counter: ScanCount | CountedBy; counted: number; logged: number }
  >();
  const sumOf = (counter: ScanCount | CountedBy) => {
    const { quarter, keyId, eventId, kind, operation, outcome, direction } = counter;
    const isMulti = kind === 'permanent' ? 'multi' : kind;
    const name = JSON.stringify([quarter, keyId, eventId, isMulti, operation, outcome, direction]);
    const sum = sums.get(name) ?? { counter, counted: 0, logged: 0 };
    sums.set(name, sum);
    return sum;
  };
  for (const count of state.counts.values()) sumOf(count).counted += count.scans - count.pruned;
  for (const entry of state.log) if (!entry.replayed) sumOf(state.countedAs(entry)).logged += 1;
  return [...sums.values()]
    .filter(({ counted, logged }) => counted !== logged)
    .map(({ counter, ...sum }) => countsOtherScans({ ...counter, ...sum }));
}

/** What the log says of one ticket: by how much each entry moved the counter, and where to. */
type Moves = { readonly change: number; readonly counter: number }[];

/** Proves that counters equal the log and that no ticket is over its uses. */
export function verifyMemory(state: MemoryState): VerifyReport {
  const { tickets, importedUses, log } = state;
  const moves = new Map<string, Moves>();
  for (const entry of log) {
    const { ticketId, usesConsumed } = entry;
    const change = usesIn(entry);
    if (change === 0 || ticketId === null) continue;
    const known = moves.get(ticketId) ?? [];
    known.push({ change, counter: usesConsumed ?? 0 });
    moves.set(ticketId, known);
  }
  const problems = [...tickets.values()].flatMap((ticket) => {
    return problemOf(ticket, moves.get(ticket.id) ?? [], importedUses.get(ticket.id) ?? 0) ?? [];
  });
  for (const ticketId of moves.keys()) {
    if (!tickets.has(ticketId))
      problems.push(`The log holds uses of ${ticketId}, which does not exist.`);
  }
  problems.push(...ticketProblems(state), ...countProblems(state));
  return { tickets: tickets.size, scans: log.length, problems };
}

function ticketProblems(state: MemoryState): string[] {
  const homeless = new Map<string, string[]>();
  for (const { id, eventId } of state.tickets.values()) {
    if (!state.events.has(eventId) && !isBeingDeleted(state, eventId))
      homeless.set(eventId, [...(homeless.get(eventId) ?? []), id]);
  }
  return [...homeless].map(([eventId, ids]) => {
    return homelessTickets(eventId, ids.length, ids[0] ?? '');
  });
}

function problemOf(
  { id, usesConsumed, usesAllowed }: Ticket,
  moves: Moves,
  earlier: number,
): string | undefined {
  if (usesConsumed > usesAllowed) {
    return usedTooOften(id, usesConsumed, usesAllowed);
  }
  const logged = moves.reduce((sum, { change }) => sum + change, 0);
  if (usesConsumed !== earlier + logged) {
    return countsOtherUses(id, usesConsumed, logged, earlier);
  }
  let counter = earlier;
  const inOrder = moves.every((move) => {
    counter += move.change;
    return move.counter === counter;
  });
  return inOrder ? undefined : numberedOtherwise(id, earlier + 1, usesConsumed);
}

export function listOccupancy(state: MemoryState, eventIds?: readonly string[]): Occupancy[] {
  const asked = eventIds && new Set(eventIds);
  const all = [...state.occupancy.values()].filter(({ eventId }) => asked?.has(eventId) ?? true);
  return all.sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
}

export function resetOccupancy(
  state: MemoryState,
  eventId: string,
  at: number,
  auditEntry: NewAuditLogEntry,
): void {
  if (!state.events.has(eventId)) throw notFound('event', eventId);
  state.occupancy.set(eventId, { eventId, entered: 0, exited: 0, resetAt: at });
  writeAuditEntry(state, auditEntry);
}
