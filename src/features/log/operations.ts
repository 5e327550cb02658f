import * as z from 'zod';
import { type AdministrativeRecord, reaches } from '../../core/administrative-records.ts';
import { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import {
  LogEntryJson,
  logEntryView,
  type RefusalCount,
  RefusalListJson,
} from '../../core/records.ts';
import type { RefusalCounts, SeenRefusals } from '../../core/refusal-counts.ts';
import { NO_REFUSALS, sumOf, withoutOld } from '../../core/refusal-counts.ts';
import { GivenTime, PageLimit } from '../../operations/fields.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { operation } from '../context.ts';
import { namesOfKeptRefusals } from '../sites/refusals-of-sites.ts';
import { administrationOf } from '../tickets/operations.ts';
import { type LogConditions as Conditions, readLogPage } from './log-reader.ts';

const tag = 'Scan log';

/** `admitted` is a consumed use; `denied` every scan that was answered with a denial, also at a way out that could count nobody. */
export const OUTCOMES = ['admitted', 'denied', ...OUTCOME_NAMES, 'undone'] as const;

export const LogConditions = z.object({
  ticket: z.string().max(100).optional(),
  key: z.string().max(100).optional(),
  event: z.string().max(100).optional(),
  /** The serial of the device. */
  serial: z.string().max(100).optional(),
  outcome: z.enum(OUTCOMES).optional(),
  /** Entries of this time and later. */
  from: GivenTime.optional(),
  /** Entries of this time and earlier. */
  until: GivenTime.optional(),
});
export type LogConditions = z.output<typeof LogConditions>;

/** The conditions of a request, within the organisation that asks. @param organisationId null for all organisations */
export function conditionsFrom(
  {
    ticket: ticketId,
    key: keyId,
    event: eventId,
    from: fromAt,
    until: untilAt,
    ...same
  }: LogConditions,
  organisationId: string | null,
): Conditions {
  const conditions = { ...same, ticketId, keyId, eventId, fromAt, untilAt };
  return { ...conditions, organisationId: organisationId ?? undefined };
}

export const Sequence = z.coerce.number<number | string>().int().min(0);

/** The entries after the number in `after` that no longer exist. Continue after `goOnAfter`. */
const LogGap = z.object({
  fromSequence: z.number().int().nullable(),
  toSequence: z.number().int().nullable(),
  reason: z.enum(['pruned', 'log_replaced']),
  goOnAfter: z.number().int(),
});

export const readLog = operation({
  id: 'readLog',
  http: 'GET /log',
  tag,
  role: 'viewer',
  summary: 'Read the scan log',
  description:
    'Newest first; with `after`, oldest first. One answer examines a limited number of entries: a page can be short, even empty, and still have a `next`. Send it as `before` (or `after`) of the next request. With `after` nothing is missed: what was pruned before it could be read is told as `gap`.',
  query: LogConditions.extend({
    /** Newest first, among the entries before this number. */
    before: Sequence.optional(),
    /** Oldest first, among the entries after this number. */
    after: Sequence.optional(),
    limit: PageLimit,
  }),
  answer: z.object({
    items: z.array(LogEntryJson),
    next: z.number().int().nullable(),
    /** The last entry that was looked at. */
    searchedBackTo: z.number().int(),
    gap: LogGap.exactOptional(),
  }),
  run: async ({ store, scope }, { before, after, limit, ...given }) => {
    const bounds = { beforeSequence: before, afterSequence: after };
    const conditions = { ...conditionsFrom(given, scope.organisationId), ...bounds };
    const { entries, searchedTo, ended, gap } = await readLogPage(store, conditions, limit);
    const list = { items: entries.map(logEntryView), next: ended ? null : searchedTo };
    return { ...list, searchedBackTo: searchedTo, ...(gap && { gap }) };
  },
});

export const undoUse = operation({
  id: 'undoUse',
  http: 'POST /log/:sequence/undo',
  tag,
  role: 'operator',
  summary: 'Take back the use of a log entry',
  description:
    'The ticket has one use more, the log gets an entry `undone`, and a repeat of the request is a new scan. Once for each entry: afterwards, and for an entry that took no use, 409.',
  params: z.object({ sequence: z.coerce.number<number | string>().int().min(1) }),
  body: z.object({
    /** Why, in one line of 1 to 200 characters: the log keeps it. */
    reason: z.string(),
  }),
  answer: LogEntryJson,
  run: async (context, { sequence, reason }) =>
    logEntryView(await administrationOf(context).undo(sequence, reason)),
});

/** Connections and requests that were refused before a decision; they are in no scan log. */
export const readRefusals = operation({
  id: 'readRefusals',
  http: 'GET /refusals',
  tag,
  role: 'viewer',
  summary: 'Count connections and requests that were refused',
  description:
    'The latest first: with disabled and deleted keys of the organisation, keys of the other integration type, and over a limit. Alike requests are one item. The counts are written within seconds and dropped 30 days after the last request. Unknown and mistyped keys, and what was refused before a key was looked at (TLS, HTTP, paths), belong to no organisation: `unknownKeys` says whether they are listed, for an owner of the only organisation of the store. Else the operator sees them: `ticketscan log --refused --store URL`.',
  answer: RefusalListJson,
  run: async ({ store, clock, scope }) => {
    const { organisation, role } = scope;
    const { rows, ...seen } = organisation
      ? await refusalsOf(store, organisation.id, reaches(role, 'owner'), clock.now())
      : await allRefusals(store, clock.now());
    return { items: rows, ...seen };
  },
});

/**
 * The refused requests with keys of one organisation: disabled and deleted ones, of the other type, or over a limit. An owner of the only
 * organisation sees those with unknown keys too: they can be meant for no other.
 * @param now milliseconds since 1970 UTC
 * @returns the latest first
 */
export async function refusalsOf(
  store: Pick<RecordStore, 'read' | 'list'>,
  organisationId: string,
  isOwner: boolean,
  now: number,
): Promise<SeenRefusals> {
  const isAlone = async () => (await store.list('organisation', { limit: 2 })).length === 1;
  if (isOwner && (await isAlone())) return allRefusals(store, now);
  const sites = await namesOfKeptRefusals(store, organisationId);
  const own = await Promise.all(
    [organisationId, ...sites.keys()].map((id) => store.read('refusals', id)),
  );
  const isKnown = ({ keyId }: RefusalCount) => keyId !== null;
  const counts = sumOfAll(own, sites);
  return {
    ...latestFirst({ ...counts, rows: counts.rows.filter(isKnown) }, now),
    unknownKeys: false,
  };
}

/** All of them, also with unknown keys and without any: for the person who runs the server. Otherwise as `refusalsOf`. */
export async function allRefusals(
  store: Pick<RecordStore, 'list'>,
  now: number,
): Promise<SeenRefusals> {
  const sites = await namesOfKeptRefusals(store, undefined);
  return { ...latestFirst(sumOfAll(await store.list('refusals'), sites), now), unknownKeys: true };
}

/** @param sites the names of the sites that refused what is in a record, by the name of the record */
function sumOfAll(
  kept: readonly (AdministrativeRecord | undefined)[],
  sites: ReadonlyMap<string, string>,
): RefusalCounts {
  return kept.reduce<RefusalCounts>((sum, record) => {
    if (!record) return sum;
    const { rows, others } = record.value as RefusalCounts;
    const site = sites.get(record.id);
    return {
      rows: [...sum.rows, ...(site === undefined ? rows : rows.map((row) => ({ ...row, site })))],
      others: others ? sumOf(sum.others, others) : sum.others,
    };
  }, NO_REFUSALS);
}

function latestFirst(counts: RefusalCounts, now: number): RefusalCounts {
  const { rows, others } = withoutOld(counts, now);
  return { rows: rows.toSorted((a, b) => b.lastAt - a.lastAt), others };
}
