import { NO_REFUSALS, type RefusalCounts, sumOf, withoutOld } from '../../core/refusal-counts.ts';
import type { RecordStore } from '../stores/record-store.ts';

/**
 * The refused requests with keys of one organisation: disabled and deleted ones, of the other type, or over a limit.
 * @param now milliseconds since 1970 UTC
 * @returns the latest first
 */
export async function refusalsOf(
  store: Pick<RecordStore, 'findDocument'>,
  organisationId: string,
  now: number,
): Promise<RefusalCounts> {
  const document = await store.findDocument('refusals', organisationId);
  return latestFirst(document ? (document.value as RefusalCounts) : NO_REFUSALS, now);
}

/** All of them, also with unknown keys and without any: for the person who runs the server. Otherwise as `refusalsOf`. */
export async function allRefusals(
  store: Pick<RecordStore, 'listDocuments'>,
  now: number,
): Promise<RefusalCounts> {
  const documents = await store.listDocuments('refusals');
  const counts = documents.map(({ value }) => value as RefusalCounts);
  const others = counts.reduce(
    (sum, one) => (one.others ? sumOf(sum, one.others) : sum),
    NO_REFUSALS.others,
  );
  return latestFirst({ rows: counts.flatMap(({ rows }) => rows), others }, now);
}

function latestFirst(counts: RefusalCounts, now: number): RefusalCounts {
  const { rows, others } = withoutOld(counts, now);
  return { rows: rows.toSorted((a, b) => b.lastAt - a.lastAt), others };
}
