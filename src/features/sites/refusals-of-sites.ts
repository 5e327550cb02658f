import { hash } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { undefinedOnConflict } from '../../core/errors.ts';
import { nameOfIncarnation } from '../../core/event-home.ts';
import type { Occurrences } from '../../core/records.ts';
import {
  addRefusals,
  NO_REFUSALS,
  type RefusalCounts,
  withoutOld,
} from '../../core/refusal-counts.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { ofOrganisation } from '../typed-records.ts';
import { listSiteValues, type SiteRecord } from './site-records.ts';
import { ADDRESS_CHARACTERS, type FeedQuestion, type RefusalsTold } from './wire.ts';

/** What a site refused before a decision, as its centre keeps it. */
interface KeptRefusals extends RefusalCounts {
  /** The site told it with this digest. */
  readonly digest: string;
}

/**
 * What was refused at this site in the last 30 days, with its digest: the centre is told it only where it has another one.
 * @param known the digest of what the centre has
 */
export async function refusalsToTell(
  store: Pick<RecordStore, 'list'>,
  clock: Pick<Clock, 'now'>,
  known: string,
): Promise<FeedQuestion['refusals']> {
  const now = clock.now();
  const all = (await store.list('refusals')).map(({ value }) => value as RefusalCounts);
  // Together they are no more than one organisation may have.
  const { rows, others } = withoutOld(
    all.reduce((sum, one) => addRefusals(sum, one, now), NO_REFUSALS),
    now,
  );
  if (rows.length === 0 && others === null) return { digest: '', counts: null };
  // A proxy that is trusted may name anything as the address of a client.
  const told = rows.map((row) => ({
    ...row,
    address: row.address.slice(0, ADDRESS_CHARACTERS),
  }));
  const counts = { rows: told, others };
  const digest = hash('sha256', JSON.stringify(counts), 'hex');
  return { digest, counts: digest === known ? null : counts };
}

/** Keeps what a site has refused, in the place of what it told before. @returns the digest of what is kept */
export async function keepRefusals(
  store: Pick<RecordStore, 'read' | 'write'>,
  clock: Pick<Clock, 'now'>,
  site: SiteRecord,
  { incarnation, refusals: { digest, counts } }: FeedQuestion,
): Promise<string> {
  const id = nameOfIncarnation(site.id, incarnation);
  const stored = await store.read('refusals', id);
  const kept = (stored?.value as KeptRefusals | undefined)?.digest ?? '';
  if (counts === null || digest === kept) return kept;
  const value: KeptRefusals = { ...notAhead(counts, clock.now()), digest };
  const revision = stored?.revision ?? 0;
  try {
    await store.write({ administrative: [{ kind: 'refusals', id, revision, value }], audit: [] });
    return digest;
  } catch (error) {
    // Another question of the site was faster; the next one tells what is missing.
    undefinedOnConflict(error);
    return kept;
  }
}

/** A row that lies ahead would be the latest one for as long. */
function notAhead({ rows, others }: RefusalsTold, now: number): RefusalCounts {
  const here = <One extends Occurrences>(one: One): One => ({
    ...one,
    firstAt: Math.min(one.firstAt, now),
    lastAt: Math.min(one.lastAt, now),
  });
  return { rows: rows.map(here), others: others && here(others) };
}

/**
 * What sites have refused, by the name of the record in which it is kept.
 * @param organisationId undefined for the sites of all organisations
 */
export async function namesOfKeptRefusals(
  store: Pick<RecordStore, 'list'>,
  organisationId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const sites = await listSiteValues(store, 'site', ofOrganisation(organisationId));
  return new Map(
    sites.flatMap(({ value: { id, name, incarnation, earlier } }) =>
      [incarnation, ...earlier].map((one) => [nameOfIncarnation(id, one), name] as const),
    ),
  );
}
