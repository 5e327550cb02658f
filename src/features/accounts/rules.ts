import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AdministrativeBound,
  type AdministrativeRevision,
  accountIdOf,
  mayScan,
  type NewAuditLogEntry,
  type Role,
} from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import {
  ACCOUNTS_PER_ORGANISATION_MAX,
  PASSWORD_CHARACTERS_MAX,
  PASSWORD_CHARACTERS_MIN,
} from '../../core/limits.ts';
import { BASE36, BASE62, type RandomBytes, randomText } from '../../kit/random.ts';
import { noSuchEventThere } from '../../stores/store-errors.ts';
import type { AdministeredStore } from '../actor.ts';
import { type Actor, type AuditedChange, auditEntryOf, COMMAND_LINE } from '../actor.ts';
import {
  type AccountRecord,
  accountRecords,
  checkedAccountName,
  endCredentials,
  endPhones,
  findTyped,
  foldedName,
  nameRefused,
  revisionOf,
  type TypedRecord,
} from './account-records.ts';
import type { Passwords } from './passwords.ts';

export interface AccountDeps {
  readonly store: AdministeredStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly passwords: Passwords;
}

export interface NewAccount {
  readonly name: string;
  readonly role: Role;
  readonly organisationId: string | null;
  readonly password: string;
  /** The ids of the events whose tickets a scanner may scan; all of the organisation by default. */
  readonly events?: 'all' | readonly string[] | undefined;
}

/** The members of an account that can change. */
export interface AccountEdit {
  readonly role?: Role | undefined;
  readonly password?: string | undefined;
  readonly events?: 'all' | readonly string[] | undefined;
}

/** The accounts: created, changed and deleted by an owner or on the command line. */
export class Accounts {
  readonly #deps: AccountDeps;
  readonly #actor: Actor;

  constructor(deps: AccountDeps, actor: Actor) {
    this.#deps = deps;
    this.#actor = actor;
  }

  /**
   * @throws TicketscanError `conflict` when the name is taken or reserved, `limit_reached`, `usage` for a name or
   * password that cannot be, `busy`
   */
  async create(options: NewAccount): Promise<AccountRecord> {
    const { organisationId, role } = options;
    const name = checkedAccountName(options.name);
    checkPassword(options.password);
    const events = await this.#scopeOf(organisationId, role, options.events);
    const account: AccountRecord = {
      id: accountIdOf(randomText(BASE36, 10, this.#deps.random)),
      organisationId,
      name,
      role,
      ...events,
      password: await this.#deps.passwords.hash(options.password),
      createdAt: this.#deps.clock.now(),
      lastSignInAt: null,
    };
    const record = {
      kind: 'account',
      id: foldedName(name),
      revision: 0,
      value: account,
    } as const;
    try {
      await this.#put(record, 'create', { role, ...events }, [], [OF_ORGANISATION]);
    } catch (error) {
      throw (error as TicketscanError).code === 'conflict' ? nameRefused(name) : error;
    }
    return account;
  }

  /**
   * The part of an account that says which events it may scan; empty for all events.
   * @throws TicketscanError `usage` for events of another role or none, `not_found` for one that is not the organisation's
   */
  async #scopeOf(
    organisationId: string | null,
    role: Role,
    events: 'all' | readonly string[] | undefined,
  ): Promise<Pick<AccountRecord, 'events'>> {
    if (events === undefined || events === 'all') return {};
    if (role !== 'scanner') {
      throw refuse('events_of_scanners');
    }
    if (events.length === 0) {
      throw refuse('no_event_chosen');
    }
    for (const id of events) {
      const event = await this.#deps.store.read('event', id);
      if (event?.organisationId !== organisationId) throw noSuchEventThere(id);
    }
    return { events: [...new Set(events)] };
  }

  /** The accounts of one organisation, or of all, by name. */
  async list(organisationId: string | null | undefined): Promise<AccountRecord[]> {
    return (await accountRecords(this.#deps.store, organisationId)).map(({ value }) => value);
  }

  /**
   * Applies at once. A new password ends every session and access token of the account, and a role that may not scan ends its phones.
   * @param among the accounts of this organisation, or of all
   * @throws TicketscanError `not_found`, `conflict`, `usage`
   */
  async edit(
    among: string | null | undefined,
    id: string,
    changes: AccountEdit,
  ): Promise<AccountRecord> {
    const { role, password } = changes;
    if (password !== undefined) checkPassword(password);
    const record = await this.#record(among, id);
    const { organisationId } = record.value;
    const staying = role && role !== 'owner' ? await this.#ownerBeside(record) : [];
    const { events: before, ...account } = record.value;
    const roleAfter = role ?? account.role;
    const kept = roleAfter === 'scanner' ? before : undefined;
    const events = await this.#scopeOf(organisationId, roleAfter, changes.events ?? kept);
    const value = {
      ...account,
      ...events,
      ...(role !== undefined && { role }),
      ...(password !== undefined && { password: await this.#deps.passwords.hash(password) }),
    };
    const details = {
      ...(role && { role }),
      ...(changes.events !== undefined && { events: changes.events }),
      ...(password !== undefined && { password: 'changed' }),
    };
    await this.#put({ ...record, value }, 'change', details, staying);
    await this.#endAfter(value, password !== undefined);
    return value;
  }

  async #endAfter({ id, role }: AccountRecord, isNewPassword: boolean): Promise<void> {
    if (isNewPassword) await endCredentials(this.#deps.store, id);
    else if (!mayScan(role)) await endPhones(this.#deps.store, id);
  }

  /** Ends every access token of the account, and every session but the one that it was changed in. @throws TicketscanError `usage`, `conflict` */
  async changeOwnPassword(
    organisationId: string,
    id: string,
    password: string,
    sessionId: string | null,
  ): Promise<void> {
    checkPassword(password);
    const record = await this.#record(organisationId, id);
    const value = { ...record.value, password: await this.#deps.passwords.hash(password) };
    await this.#putKeeping({ ...record, value }, sessionId);
    await endCredentials(this.#deps.store, id, sessionId);
  }

  /** Deletes an account with its sessions and access tokens. @throws TicketscanError `not_found`, `conflict` for the last owner */
  async delete(among: string | null | undefined, id: string): Promise<void> {
    const record = await this.#record(among, id);
    const staying = await this.#ownerBeside(record);
    const auditEntry = this.#auditEntry('delete', record.value);
    // The revision is the one that was read: the account may have become the only owner since.
    await this.#deps.store.write({
      deleted: [{ kind: 'account', id: record.id }],
      unchanged: [revisionOf(record), ...staying],
      audit: [auditEntry],
    });
    await endCredentials(this.#deps.store, id);
  }

  /** Changes the password and keeps one session, in one transaction: in between, its page would be told that it has ended. */
  async #putKeeping(record: TypedRecord<'account'>, sessionId: string | null): Promise<void> {
    const read = () => findTyped(this.#deps.store, 'session', sessionId ?? '');
    const session = await read();
    const { salt: passwordSalt } = record.value.password;
    const kept = session ? [{ ...session, value: { ...session.value, passwordSalt } }] : [];
    try {
      await this.#deps.store.write({
        administrative: [record, ...kept],
        audit: [this.#auditEntry('change', record.value, { password: 'changed' })],
      });
    } catch (error) {
      // Another request of the same session has saved its time, or the account itself has changed.
      const isOfSession = (await read())?.revision !== session?.revision;
      if ((error as TicketscanError).code !== 'conflict' || !isOfSession) throw error;
      await this.#putKeeping(record, sessionId);
    }
  }

  async #record(among: string | null | undefined, id: string): Promise<TypedRecord<'account'>> {
    const all = await accountRecords(this.#deps.store, among);
    const found = all.find(({ value }) => value.id === id);
    if (!found) throw new TicketscanError('not_found', `Unknown account ${id}.`);
    return found;
  }

  /**
   * An organisation keeps at least one owner. The other owner must still be one when this change is written: of two owners
   * who remove each other at the same time, only one succeeds.
   * @returns none where this is no owner
   * @throws TicketscanError `conflict` when there is no other
   */
  async #ownerBeside({
    value,
  }: TypedRecord<'account'>): Promise<readonly AdministrativeRevision[]> {
    if (value.role !== 'owner') return [];
    const all = await accountRecords(this.#deps.store, value.organisationId);
    const other = all.find((one) => one.value.role === 'owner' && one.value.id !== value.id);
    if (other) return [revisionOf(other)];
    throw refuse('last_owner');
  }

  async #put(
    record: TypedRecord<'account'>,
    what: string,
    details: AuditedChange['details'],
    unchanged: readonly AdministrativeRevision[] = [],
    bounds: readonly AdministrativeBound[] = [],
  ): Promise<void> {
    const auditEntry = this.#auditEntry(what, record.value, details);
    await this.#deps.store.write({
      administrative: [record],
      unchanged,
      bounds,
      audit: [auditEntry],
    });
  }

  #auditEntry(
    what: string,
    account: AccountRecord,
    details: AuditedChange['details'] = {},
  ): NewAuditLogEntry {
    const { id, name, organisationId } = account;
    return auditEntryOf(this.#actor, this.#deps.clock, {
      act: `account.${what}`,
      subject: id,
      organisationId,
      details: { name, ...details },
    });
  }
}

const OF_ORGANISATION: AdministrativeBound = {
  member: 'organisationId',
  countMax: ACCOUNTS_PER_ORGANISATION_MAX,
  reason: 'accounts_max',
};

/** Length is what makes a password strong. @throws TicketscanError `usage` */
function checkPassword(password: string): void {
  const bounds = { min: PASSWORD_CHARACTERS_MIN, max: PASSWORD_CHARACTERS_MAX };
  if (password.length < bounds.min || password.length > bounds.max)
    throw refuse('password_length', bounds);
}

const FIRST_NAME = 'admin';
/** 119 random bits. */
const FIRST_PASSWORD_CHARACTERS = 20;

/** How long the program asks a database whether it has made the account; the pause says how often. */
const OUTCOME_WAIT_MS = 5000;
const OUTCOME_RETRY_MS = 250;

export interface FirstAccount {
  readonly name: string;
  readonly password: string;
  /** False when the database did not say whether it has made the account. */
  readonly isCertain: boolean;
}

/**
 * Makes an owner of the first organisation with a random password, on a store without accounts.
 * @returns how to sign in, which nobody can find out again; undefined where there are accounts
 */
export async function makeFirstAccount(deps: AccountDeps): Promise<FirstAccount | undefined> {
  if ((await deps.store.list('account')).length > 0) return undefined;
  const [first] = await deps.store.list('organisation', { limit: 1 });
  const password = randomText(BASE62, FIRST_PASSWORD_CHARACTERS, deps.random);
  const account = { name: FIRST_NAME, organisationId: first?.id ?? null, password } as const;
  const create = () =>
    new Accounts(deps, COMMAND_LINE).create({ ...account, role: 'owner' }).then(() => true);
  try {
    await create();
  } catch (error) {
    if (!isUnknownOutcome(error)) throw error;
    const isMade = await madeAfterAll(deps, password, create);
    return isMade === false ? undefined : { ...account, isCertain: isMade === true };
  }
  return { ...account, isCertain: true };
}

function isUnknownOutcome(error: unknown): boolean {
  return error instanceof TicketscanError && error.values['outcome'] === 'unknown';
}

/**
 * Checks whether the account was made, and makes it if not.
 * @returns false when another server has made one; undefined when the database tells nothing in time
 */
async function madeAfterAll(
  deps: AccountDeps,
  password: string,
  create: () => Promise<boolean>,
): Promise<boolean | undefined> {
  const until = performance.now() + OUTCOME_WAIT_MS;
  while (performance.now() < until) {
    await sleep(OUTCOME_RETRY_MS);
    try {
      const made = await findTyped(deps.store, 'account', FIRST_NAME);
      if (made) return await deps.passwords.verify(password, made.value.password, 'strangers');
      return await create();
    } catch {
      // What was wrong before still is.
    }
  }
  return undefined;
}
