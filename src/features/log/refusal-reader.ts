import {
  NO_REFUSALS,
  type RefusalCounts,
  type SeenRefusals,
  sumOf,
  withoutOld,
} from '../../core/refusal-counts.ts';
import type { RecordStore } from '../../stores/record-store.ts';

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
  if (isOwner && (await store.list('organisation')).length === 1) return allRefusals(store, now);
  const document = await store.read('refusals', organisationId);
  const counts = document ? (document.value as RefusalCounts) : NO_REFUSALS;
  return { ...latestFirst(counts, now), unknownKeys: false };
}

/** All of them, also with unknown keys and without any: for the person who runs the server. Otherwise as `refusalsOf`. */
export async function allRefusals(
  store: Pick<RecordStore, 'list'>,
  now: number,
): Promise<SeenRefusals> {
  const documents = await store.list('refusals');
  const counts = documents.map(({ value }) => value as RefusalCounts);
  const others = counts.reduce(
    (sum, one) => (one.others ? sumOf(sum, one.others) : sum),
    NO_REFUSALS.others,
  );
  const rows = counts.flatMap((one) => one.rows);
  return { ...latestFirst({ rows, others }, now), unknownKeys: true };
}

function latestFirst(counts: RefusalCounts, now: number): RefusalCounts {
  const { rows, others } = withoutOld(counts, now);
  return { rows: rows.toSorted((a, b) => b.lastAt - a.lastAt), others };
}
