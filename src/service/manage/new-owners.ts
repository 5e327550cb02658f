import { randomBytes } from 'node:crypto';
import { UNNAMED_ORGANISATION } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { NewEventRecord, Organisation } from '../../core/records.ts';
import { BASE36, randomText } from '../../kit/random.ts';
import type { NewOwners, RecordStore } from '../stores/record-store.ts';
import { type AuditedChange, auditEntryOf, COMMAND_LINE } from './actor.ts';
import type { Administration } from './administration.ts';
import { checkedName } from './record-checks.ts';

const ORGANISATION_ID_CHARACTERS = 10;

interface Asked {
  readonly store: Pick<RecordStore, 'listOrganisations' | 'listEvents'>;
  readonly administration: Pick<Administration, 'findOrganisation'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The events that tickets with these ids need, as they are to be created. A name that is taken gets the id of the event behind it,
 * because the id is part of every code and cannot change.
 * @param wanted the name of each event by its id
 * @param organisation whose they are to be; in a store without organisations, the name of the first
 * @throws TicketscanError as `findOrganisation` does, `usage` for a name that cannot be
 */
export async function planOwners(
  { store, administration, clock }: Asked,
  wanted: ReadonlyMap<string, string>,
  organisation: string | undefined,
): Promise<NewOwners> {
  const isFirst = (await store.listOrganisations()).length === 0;
  const owner = isFirst
    ? newOrganisation(checkedName(organisation ?? UNNAMED_ORGANISATION), clock.now())
    : await administration.findOrganisation(organisation);
  const others = (await store.listEvents()).filter((one) => one.organisationId === owner.id);
  const taken = new Set(others.map(({ name }) => name));
  const created = (change: Omit<AuditedChange, 'organisationId'>) =>
    auditEntryOf(COMMAND_LINE, clock, { ...change, organisationId: owner.id });
  const events = [...wanted].map(([id, given]) => {
    const name = checkedName(taken.has(given) ? `${given} (${id})` : given);
    taken.add(name);
    const record: NewEventRecord = { id, organisationId: owner.id, name, createdAt: clock.now() };
    return { record, auditEntry: created({ act: 'event.create', subject: id, details: { name } }) };
  });
  const { name, limits } = owner;
  const change = { act: 'organisation.create', subject: owner.id, details: { name, limits } };
  return { organisation: isFirst ? { record: owner, auditEntry: created(change) } : null, events };
}

function newOrganisation(name: string, createdAt: number): Organisation {
  const id = `org_${randomText(BASE36, ORGANISATION_ID_CHARACTERS, randomBytes)}`;
  return { id, name, limits: DEFAULT_LIMITS, createdAt };
}
