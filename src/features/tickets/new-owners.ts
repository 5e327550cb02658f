import { randomBytes } from 'node:crypto';
import { type NewAuditLogEntry, UNNAMED_ORGANISATION } from '../../core/administrative-records.ts';
import { checkedName } from '../../core/checked-name.ts';
import type { Clock } from '../../core/clock.ts';
import { isSameName } from '../../core/folded-text.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { EventRecord, Organisation } from '../../core/records.ts';
import type { Change, RecordChange } from '../../stores/record-store.ts';
import type { Store } from '../../stores/store.ts';
import { type AuditedChange, auditEntryOf, COMMAND_LINE } from '../actor.ts';
import { administrationOn } from '../administration.ts';
import { makeRecordId } from '../record-checks.ts';

/**
 * The events that tickets with these ids need, as they are to be created. A name that is taken gets the id of the event behind it,
 * because the id is part of every code and cannot change.
 * @param wanted the name of each event by its id
 * @param organisation whose they are to be; in a store without organisations, the name of the first
 * @throws TicketscanError as `findOrganisation` does, `usage` for a name that cannot be
 */
export async function planOwners(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  wanted: ReadonlyMap<string, string>,
  organisation: string | undefined,
): Promise<Change> {
  const isFirst = (await store.list('organisation', { limit: 1 })).length === 0;
  const owner = isFirst
    ? newOrganisation(checkedName(organisation ?? UNNAMED_ORGANISATION), clock.now())
    : await administrationOn({ store, clock }).organisations.find(organisation);
  const others = await store.list('event', { organisationId: owner.id });
  const taken = others.map(({ name }) => name);
  const created = (change: Omit<AuditedChange, 'organisationId'>) =>
    auditEntryOf(COMMAND_LINE, clock, { ...change, organisationId: owner.id });
  const { name, limits } = owner;
  const records: RecordChange[] = [];
  const audit: NewAuditLogEntry[] = [];
  if (isFirst) {
    records.push({ kind: 'organisation', before: null, after: owner });
    audit.push(
      created({ act: 'organisation.create', subject: owner.id, details: { name, limits } }),
    );
  }
  for (const [id, given] of wanted) {
    const isTaken = taken.some((name) => isSameName(name, given));
    const chosen = checkedName(isTaken ? `${given} (${id})` : given);
    taken.push(chosen);
    const fixed = { organisationId: owner.id, createdAt: clock.now(), archivedAt: null };
    records.push({ kind: 'event', before: null, after: { id, name: chosen, ...fixed } });
    audit.push(created({ act: 'event.create', subject: id, details: { name: chosen } }));
  }
  return { records, audit };
}

/** The events that a plan creates. */
export function plannedEvents({ records = [] }: Change): EventRecord[] {
  return records.flatMap((one) => (one.kind === 'event' && one.after ? [one.after] : []));
}

function newOrganisation(name: string, createdAt: number): Organisation {
  const id = makeRecordId('org', randomBytes);
  return { id, name, limits: DEFAULT_LIMITS, createdAt };
}
