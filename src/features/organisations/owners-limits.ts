import type { AdministrativeRecord } from '../../core/administrative-records.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits, OWNERS_KEYS_MAX } from '../../core/limits.ts';
import type { Organisation } from '../../core/records.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { Actor } from '../actor.ts';

type LimitStore = Pick<RecordStore, 'list' | 'read'>;

/** The kind of the record that says who last set the limits of an organisation. Without it, they are those of its creation. */
const KIND = 'limits';

/**
 * Whether the owners of an organisation may raise its number of keys: while it is the only one of the store and the
 * operator never set its limits.
 */
export async function mayRaiseKeys(
  store: LimitStore,
  { id, limits }: Organisation,
): Promise<boolean> {
  const { keysMax, ...others } = DEFAULT_LIMITS;
  const areUsual = Object.entries(others).every(
    ([name, value]) => limits[name as keyof OrganisationLimits] === value,
  );
  if (!areUsual || (await store.list('organisation', { limit: 2 })).length !== 1) return false;
  const setBy = await store.read(KIND, id);
  return setBy ? setBy.value === OWNER : limits.keysMax === keysMax;
}

const OWNER = 'owner';
const OPERATOR = 'operator';

/** What is to be written with limits that somebody sets; undefined when it stands there already. */
export async function limitsSetBy(
  store: LimitStore,
  id: string,
  { accountId }: Actor,
): Promise<AdministrativeRecord | undefined> {
  const found = await store.read(KIND, id);
  const value = accountId === null ? OPERATOR : OWNER;
  return found?.value === value
    ? undefined
    : { kind: KIND, id, revision: found?.revision ?? 0, value };
}

/** @throws TicketscanError `not_allowed` where only the operator changes them, `usage` for more keys than owners may give themselves */
export async function checkOwnersLimits(
  store: LimitStore,
  organisation: Organisation,
  limits: Partial<OrganisationLimits>,
): Promise<void> {
  const { keysMax, ...others } = limits;
  if (Object.keys(others).length > 0 || !(await mayRaiseKeys(store, organisation))) {
    throw refuse('limits_of_operator', { command: limitsCommand(organisation.name) });
  }
  const { keysMax: before } = organisation.limits;
  if (keysMax !== undefined && keysMax >= before && keysMax <= OWNERS_KEYS_MAX) return;
  throw refuse('owners_keys_max', { max: OWNERS_KEYS_MAX }, { detail: `It is ${before} now.` });
}

/** The command by which the operator raises the number of keys. */
function limitsCommand(name: string): string {
  return `ticketscan organisations edit '${name.replaceAll("'", "'\\''")}' --keys-max N --store URL`;
}

/** The refusal of a key too many, with what raises the number. @param error of the store */
export async function explainedRefusal(
  store: LimitStore,
  organisationId: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof TicketscanError) || error.reason !== 'keys_max') return error;
  const organisation = await store.read('organisation', organisationId);
  if (!organisation) return error;
  const { keysMax: max } = organisation.limits;
  const command = limitsCommand(organisation.name);
  const isRaisable = max < OWNERS_KEYS_MAX && (await mayRaiseKeys(store, organisation));
  return isRaisable
    ? refuse('keys_max_raisable', { max }, { detail: `Or: ${command}` })
    : refuse('keys_max', { max, command });
}
