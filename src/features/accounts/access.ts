import { lesserRole, mayScan, type Role } from '../../core/administrative-records.ts';
import { hashApiKey, isWellFormedAccessToken } from '../../core/api-key.ts';
import type { Clock } from '../../core/clock.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import type { Organisation } from '../../core/records.ts';
import { HOUR_MS, MINUTE_MS } from '../../kit/durations.ts';
import { BASE62, type RandomBytes, randomText } from '../../kit/random.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type Actor, auditEntryOf, COMMAND_LINE } from '../actor.ts';
import { OrganisationRules } from '../organisations/rules.ts';
import {
  type AccountRecord,
  type Credential,
  findTyped,
  foldedName,
  listTyped,
  type PairedPhone,
  type SessionRecord,
  type TypedRecord,
} from './account-records.ts';
import { deviceOf, deviceProof, makeDeviceKey } from './cookies.ts';
import { type AccountDeps, Accounts } from './rules.ts';
import { byCurrentPassword, byKnownDevice, byStranger, Throttle } from './throttle.ts';

/** An unused session ends after this time. */
export const IDLE_MS = HOUR_MS;
/** Every session ends after this time, however much it is used. */
export const SESSION_MS = 12 * HOUR_MS;
/** Precision of the last use of a session: each update waits for the disk. */
const SEEN_EVERY_MS = MINUTE_MS;
const SESSIONS_PER_ACCOUNT_MAX = 20;
const TOKEN_CHARACTERS = 43;

/** An authenticated caller, with its role and its organisation. */
export interface Principal {
  readonly account: AccountRecord;
  /** The folded name, under which the account is stored. */
  readonly accountName: string;
  readonly organisation: Organisation;
  /** The account's, or less for an access token. */
  readonly role: Role;
  /** Ids of the events whose tickets it may scan. */
  readonly events: 'all' | readonly string[];
  /** Set in the session of a phone that was paired; its role is scanner. */
  readonly phone: PairedPhone | null;
  readonly expiresAt: number;
  /** The time at which it ends if it is unused until then; null for an access token, which does not end so. */
  readonly idleUntil: number | null;
  /** The record of the session; null for an access token. */
  readonly sessionId: string | null;
}

export type SignInResult =
  | {
      readonly kind: 'signed_in';
      readonly token: string;
      readonly principal: Principal;
      /** The browser keeps it: with it, wrong guesses by others do not delay its sign-ins. */
      readonly deviceProof: string | undefined;
    }
  /** @param accountId for the server's log; null when there is no such account */
  | { readonly kind: 'refused'; readonly accountId: string | null };

/** Where a sign-in comes from. */
export interface SignInOrigin {
  readonly address: string;
  /** The session that the new one replaces. */
  readonly replaced?: string | undefined;
  /** The browser's proof of an earlier sign-in to this account. */
  readonly deviceProofOf: (accountId: string) => string | undefined;
}

/** Authenticates callers: sessions of people, and access tokens of their scripts. */
export class Access {
  readonly #deps: AccountDeps;
  readonly #throttle: Throttle;
  /** Wrong passwords since the last sign-in, by account. */
  readonly #refused = new Map<string, number>();

  constructor(deps: AccountDeps) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps.clock);
  }

  /**
   * Makes a new session, and then ends the one that it replaces, so that a refused person keeps the old one. An unknown name and a wrong
   * password get the same answer.
   * @throws RetryLater after too many attempts, and when too many wait for the slow hash
   */
  async signIn(name: string, password: string, origin: SignInOrigin): Promise<SignInResult> {
    const folded = foldedName(name);
    const record = await this.#account(folded);
    const isRight = await this.#isRight(folded, password, record, origin);
    if (!record) return { kind: 'refused', accountId: null };
    const accountId = record.value.id;
    const refused = this.#refused.get(accountId) ?? 0;
    if (!isRight) {
      this.#refused.set(accountId, refused + 1);
      return { kind: 'refused', accountId };
    }
    const account = await this.#signedIn(record, refused);
    if (!account) return { kind: 'refused', accountId };
    this.#refused.delete(accountId);
    const token = await this.#startSession(record.id, account);
    const principal = await this.bySession(token);
    // If the password was changed meanwhile, the session is void from its beginning.
    if (!principal) {
      await this.endSession(token);
      return { kind: 'refused', accountId };
    }
    if (origin.replaced !== undefined) await this.endSession(origin.replaced);
    const { clock, random } = this.#deps;
    const proof = deviceProof(account, clock.now(), random);
    return { kind: 'signed_in', token, principal, deviceProof: proof };
  }

  /** @throws RetryLater */
  async #isRight(
    folded: string,
    password: string,
    record: TypedRecord<'account'> | undefined,
    { address, deviceProofOf }: SignInOrigin,
  ): Promise<boolean> {
    const { passwords, clock } = this.#deps;
    const account = record?.value;
    const device = account && deviceOf(account, deviceProofOf(account.id), clock.now());
    const queue = device === undefined ? 'strangers' : 'known';
    // An attempt that is not checked does not count.
    passwords.refuseWhenFull(queue);
    const attempt =
      device === undefined ? byStranger(folded, address) : byKnownDevice(folded, device);
    this.#throttle.attempt(attempt);
    const isRight = await passwords.verify(password, account?.password, queue);
    if (isRight) this.#throttle.succeeded(attempt);
    return isRight;
  }

  /** The caller with this session; undefined when it has ended. */
  async bySession(token: string): Promise<Principal | undefined> {
    const session = await findTyped(this.#deps.store, 'session', hashApiKey(token));
    if (!session) return undefined;
    const { createdAt, phone = null } = session.value;
    const now = this.#deps.clock.now();
    if (now >= sessionEndsAt(session.value)) {
      await this.#deps.store.write({ deleted: [{ kind: 'session', id: session.id }], audit: [] });
      return undefined;
    }
    if (now >= session.value.lastSeenAt + SEEN_EVERY_MS) await this.#seen(session, now);
    const expiresAt = createdAt + SESSION_MS;
    const times = { expiresAt, idleUntil: phone ? expiresAt : Math.min(expiresAt, now + IDLE_MS) };
    const principal = await this.#principal(session.value, phone, {
      ...times,
      sessionId: session.id,
    });
    return principal ?? this.#keptMeanwhile(token, session);
  }

  /** The caller whose password was changed between the look at its session and the look at its account, if the session was kept. */
  async #keptMeanwhile(
    token: string,
    { id, value }: TypedRecord<'session'>,
  ): Promise<Principal | undefined> {
    const session = await findTyped(this.#deps.store, 'session', id);
    const isKept = session !== undefined && session.value.passwordSalt !== value.passwordSalt;
    return isKept ? this.bySession(token) : undefined;
  }

  /** The caller with this access token; undefined when it has expired. */
  async byAccessToken(value: string): Promise<Principal | undefined> {
    if (!isWellFormedAccessToken(value)) return undefined;
    const found = await findTyped(this.#deps.store, 'access-token', hashApiKey(value));
    if (!found) return undefined;
    const token = found.value;
    const { expiresAt, role } = token;
    if (this.#deps.clock.now() >= expiresAt) return undefined;
    const times = { expiresAt, idleUntil: null, sessionId: null };
    const principal = await this.#principal(token, null, times);
    return principal && { ...principal, role: lesserRole(role, principal.role) };
  }

  async endSession(token: string): Promise<void> {
    await this.#deps.store.write({
      deleted: [{ kind: 'session', id: hashApiKey(token) }],
      audit: [],
    });
  }

  /**
   * Ends every other session of the account, and its access tokens.
   * @throws TicketscanError `not_allowed` when the current password is wrong; RetryLater as `signIn` does
   */
  async changePassword(principal: Principal, current: string, next: string): Promise<void> {
    const { account, organisation, sessionId } = principal;
    this.#deps.passwords.refuseWhenFull('known');
    // Somebody who has stolen a session must not guess the password with it.
    const attempt = byCurrentPassword(account.id);
    this.#throttle.attempt(attempt);
    const isRight = await this.#deps.passwords.verify(current, account.password, 'known');
    if (!isRight) throw refuse('password_wrong');
    this.#throttle.succeeded(attempt);
    const accounts = new Accounts(this.#deps, actorOf(principal));
    await accounts.changeOwnPassword(organisation.id, account.id, next, sessionId);
  }

  #account(folded: string): Promise<TypedRecord<'account'> | undefined> {
    return findTyped(this.#deps.store, 'account', folded);
  }

  /**
   * Saves the time. An account that a server created before any organisation gets the first one.
   * @param refused wrong passwords before this one, for the audit log
   * @returns undefined when it was changed in the meantime, so that it is not sure that the password still holds
   */
  async #signedIn(
    record: TypedRecord<'account'>,
    refused: number,
  ): Promise<AccountRecord | undefined> {
    const { store, clock, random } = this.#deps;
    const organisations = new OrganisationRules({ store, clock, random, actor: COMMAND_LINE });
    const organisationId = record.value.organisationId ?? (await organisations.first()).id;
    const deviceKey = record.value.deviceKey ?? makeDeviceKey(random);
    const value = { ...record.value, organisationId, deviceKey, lastSignInAt: clock.now() };
    const { id: accountId, name: by } = value;
    const details = refused === 0 ? {} : { wrongPasswordsBefore: refused };
    const change = { act: 'session.start', subject: accountId, organisationId, details };
    try {
      await store.write({
        administrative: [{ ...record, value }],
        audit: [auditEntryOf({ accountId, by }, clock, change)],
      });
      return value;
    } catch (error) {
      if (!(error instanceof TicketscanError) || error.code !== 'conflict') throw error;
    }
    // Two sign-ins at once: only the time has changed.
    const now = await this.#account(record.id);
    const isSame = now?.value.id === accountId && now.value.password.hash === value.password.hash;
    return isSame ? this.#signedIn(now, refused) : undefined;
  }

  async #startSession(
    accountName: string,
    { id: accountId, password }: AccountRecord,
  ): Promise<string> {
    const { store, clock, random } = this.#deps;
    const now = clock.now();
    const dropped = await this.#oldSessions(accountId, now);
    const token = makeSessionToken(random);
    await store.write({
      administrative: [
        {
          kind: 'session',
          id: hashApiKey(token),
          revision: 0,
          value: {
            accountName,
            accountId,
            passwordSalt: password.salt,
            createdAt: now,
            lastSeenAt: now,
          },
        },
      ],
      deleted: dropped,
      audit: [],
    });
    return token;
  }

  /**
   * The ended sessions of this account, and its oldest ones if it has too many: they go when the new one is there. `dropEnded` removes those
   * of other accounts: signing in must not wait for them.
   */
  async #oldSessions(accountId: string, now: number): Promise<TypedRecord<'session'>[]> {
    const own = { name: 'accountId', anyOf: [accountId] } as const;
    const all = await listTyped(this.#deps.store, 'session', own);
    const hasEnded = ({ value }: TypedRecord<'session'>) => now >= sessionEndsAt(value);
    const theirs = all
      .filter((session) => !session.value.phone && !hasEnded(session))
      .sort((a, b) => b.value.lastSeenAt - a.value.lastSeenAt);
    return [...all.filter(hasEnded), ...theirs.slice(SESSIONS_PER_ACCOUNT_MAX - 1)];
  }

  async #seen(session: TypedRecord<'session'>, now: number): Promise<void> {
    const value = { ...session.value, lastSeenAt: now };
    try {
      await this.#deps.store.write({ administrative: [{ ...session, value }], audit: [] });
    } catch (error) {
      // Another request of the same session was faster, or ended it: either way there is nothing to save.
      if (!(error instanceof TicketscanError)) throw error;
    }
  }

  async #principal(
    { accountName, accountId, passwordSalt }: Credential,
    phone: PairedPhone | null,
    session: Pick<Principal, 'expiresAt' | 'idleUntil' | 'sessionId'>,
  ): Promise<Principal | undefined> {
    const account = (await this.#account(accountName))?.value;
    if (account?.id !== accountId) return undefined;
    if (passwordSalt !== account.password.salt) return undefined;
    const { organisationId } = account;
    const organisation =
      organisationId === null
        ? undefined
        : await this.#deps.store.read('organisation', organisationId);
    if (!organisation || (phone && !mayScan(account.role))) return undefined;
    const role = phone ? 'scanner' : account.role;
    const events = account.events ?? 'all';
    return { account, accountName, organisation, role, events, phone, ...session };
  }
}

export function makeSessionToken(random: RandomBytes): string {
  return randomText(BASE62, TOKEN_CHARACTERS, random);
}

/** When a session ends if nobody uses it any more. A phone at a quiet gate is not used for hours. */
export function sessionEndsAt({ createdAt, lastSeenAt, phone }: SessionRecord): number {
  const longest = createdAt + SESSION_MS;
  return phone ? longest : Math.min(longest, lastSeenAt + IDLE_MS);
}

/** The author in the audit log for the changes of a principal. */
export function actorOf({ account }: Pick<Principal, 'account'>): Actor {
  return { accountId: account.id, by: account.name };
}

/** Removes the ended sessions and pairings of every organisation. A server does it beside its requests. */
export async function dropEnded(
  store: Pick<RecordStore, 'list' | 'write'>,
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  const now = clock.now();
  const sessions = await listTyped(store, 'session');
  const pairings = await listTyped(store, 'pairing');
  const deleted = [
    ...sessions.filter(({ value }) => now >= sessionEndsAt(value)),
    ...pairings.filter(({ value }) => now >= value.expiresAt),
  ];
  if (deleted.length > 0) await store.write({ deleted, audit: [] });
}
