import { lesserRole, type Role } from '../../core/administrative-records.ts';
import { hashApiKey, isWellFormedAccessToken } from '../../core/api-key.ts';
import { TicketscanError } from '../../core/errors.ts';
import { BASE62, randomText } from '../../core/random.ts';
import type { Organisation } from '../../core/records.ts';
import { type Actor, actOf, COMMAND_LINE } from '../actor.ts';
import { Administration } from '../administration.ts';
import { type AccountRecord, foldedName, type TypedDocument, typed } from './account-records.ts';
import { type AccountDeps, Accounts } from './accounts.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

/** A session that nobody uses ends after this. */
export const IDLE_MS = 60 * 60_000;
/** However busy, a session ends after this. */
export const SESSION_MS = 12 * 60 * 60_000;
/** How exactly the last use of a session is known: writing it down waits for the disk. */
const SEEN_EVERY_MS = 60_000;
const SESSIONS_PER_ACCOUNT_MAX = 20;
const TOKEN_CHARACTERS = 43;

/** Somebody who was let in, and what they may do in which organisation. */
export interface Principal {
  readonly account: AccountRecord;
  readonly organisation: Organisation;
  /** The account's, or less for an access token. */
  readonly role: Role;
  readonly expiresAt: number;
  /** Null for an access token: it does not end for want of use. */
  readonly idleUntil: number | null;
  /** The document of the session; null for an access token. */
  readonly sessionId: string | null;
}

export type SignInResult =
  | { readonly kind: 'signed_in'; readonly token: string; readonly principal: Principal }
  | { readonly kind: 'refused' }
  | { readonly kind: 'wait'; readonly waitMs: number };

/** Who is asking: sessions of people who signed in, and access tokens of their scripts. */
export class Access {
  readonly #deps: AccountDeps;
  readonly #throttle: SignInThrottle;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
    this.#throttle = new SignInThrottle(deps.clock);
  }

  /** Makes a new session, and ends the one that `replaced` names. An unknown name and a wrong password are one answer. */
  async signIn(
    name: string,
    password: string,
    address: string,
    replaced: string | undefined,
  ): Promise<SignInResult> {
    const folded = foldedName(name);
    const waitMs = this.#throttle.attempt(folded, address);
    if (waitMs > 0) return { kind: 'wait', waitMs };
    const document = await this.#account(folded);
    const isRight = await this.#deps.passwords.verify(password, document?.value.password);
    if (!isRight || !document) return { kind: 'refused' };
    this.#throttle.succeeded(folded, address);
    if (replaced !== undefined) await this.endSession(replaced);
    const account = await this.#signedIn(document);
    if (!account) return { kind: 'refused' };
    const token = await this.#startSession(account);
    const principal = await this.bySession(token);
    // A new password ends the sessions that are there; one that began meanwhile with the old one ends here.
    if (principal?.account.password.hash === account.password.hash)
      return { kind: 'signed_in', token, principal };
    await this.endSession(token);
    return { kind: 'refused' };
  }

  /** Whose session this is, if it has not ended. */
  async bySession(token: string): Promise<Principal | undefined> {
    const found = await this.#deps.store.findDocument('session', hashApiKey(token));
    if (!found) return undefined;
    const session = typed<'session'>(found);
    const { createdAt, lastSeenAt, accountName, accountId } = session.value;
    const now = this.#deps.clock.now();
    if (now >= createdAt + SESSION_MS || now >= lastSeenAt + IDLE_MS) {
      await this.#deps.store.deleteDocument('session', session.id);
      return undefined;
    }
    if (now >= lastSeenAt + SEEN_EVERY_MS) await this.#seen(session, now);
    const expiresAt = createdAt + SESSION_MS;
    const times = { expiresAt, idleUntil: Math.min(expiresAt, now + IDLE_MS) };
    return this.#principal(accountName, accountId, { ...times, sessionId: session.id });
  }

  /** Whose access token this is, if it has not expired. */
  async byAccessToken(value: string): Promise<Principal | undefined> {
    if (!isWellFormedAccessToken(value)) return undefined;
    const found = await this.#deps.store.findDocument('access-token', hashApiKey(value));
    if (!found) return undefined;
    const { accountName, accountId, expiresAt, role } = typed<'access-token'>(found).value;
    if (this.#deps.clock.now() >= expiresAt) return undefined;
    const times = { expiresAt, idleUntil: null, sessionId: null };
    const principal = await this.#principal(accountName, accountId, times);
    return principal && { ...principal, role: lesserRole(role, principal.role) };
  }

  async endSession(token: string): Promise<void> {
    await this.#deps.store.deleteDocument('session', hashApiKey(token));
  }

  /** Ends every other session of the account. @throws TicketscanError `not_allowed` when the current password is wrong */
  async changePassword(principal: Principal, current: string, next: string): Promise<void> {
    const { account, organisation, sessionId } = principal;
    this.#slowDown(account);
    const isRight = await this.#deps.passwords.verify(current, account.password);
    if (!isRight) throw new TicketscanError('not_allowed', 'The current password is wrong.');
    const accounts = new Accounts(this.#deps, actorOf(principal));
    await accounts.changeOwnPassword(organisation.id, account.id, next, sessionId);
  }

  /** Who has taken over a session must not guess the password in it. @throws TicketscanError `not_allowed` */
  #slowDown({ name }: AccountRecord): void {
    const waitMs = this.#throttle.attempt(foldedName(name), 'a session');
    if (waitMs === 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new TicketscanError('not_allowed', `Too many attempts. Try again in ${seconds} seconds.`);
  }

  async #account(folded: string): Promise<TypedDocument<'account'> | undefined> {
    const document = await this.#deps.store.findDocument('account', folded);
    return document && typed<'account'>(document);
  }

  /**
   * Notes when, and gives an account that a server made the organisation that there is by now.
   * @returns undefined when it was changed in the meantime, so that it is not sure that the password still holds
   */
  async #signedIn(document: TypedDocument<'account'>): Promise<AccountRecord | undefined> {
    const { store, clock, random } = this.#deps;
    const administration = new Administration(store, clock, random, COMMAND_LINE);
    const organisationId =
      document.value.organisationId ?? (await administration.firstOrganisation()).id;
    const value = { ...document.value, organisationId, lastSignInAt: clock.now() };
    const { id: accountId, name: by } = value;
    const act = { act: 'session.start', subject: accountId, organisationId };
    try {
      await store.putDocument({ ...document, value }, actOf({ accountId, by }, clock, act));
      return value;
    } catch (error) {
      if (!(error instanceof TicketscanError) || error.code !== 'conflict') throw error;
    }
    // Somebody signs in twice at once: then nothing has changed but when.
    const now = await this.#account(document.id);
    const isSame = now?.value.id === accountId && now.value.password.hash === value.password.hash;
    return isSame ? this.#signedIn(now) : undefined;
  }

  async #startSession({ id: accountId, name }: AccountRecord): Promise<string> {
    const { store, clock, random } = this.#deps;
    const now = clock.now();
    await this.#dropOldSessions(accountId, now);
    const token = randomText(BASE62, TOKEN_CHARACTERS, random);
    await store.putDocument({
      kind: 'session',
      id: hashApiKey(token),
      revision: 0,
      value: { accountName: foldedName(name), accountId, createdAt: now, lastSeenAt: now },
    });
    return token;
  }

  /** Ended sessions of everybody, and the oldest of this account when it has too many. */
  async #dropOldSessions(accountId: string, now: number): Promise<void> {
    const all = (await this.#deps.store.listDocuments('session')).map((one) =>
      typed<'session'>(one),
    );
    const hasEnded = ({ value }: TypedDocument<'session'>) =>
      now >= Math.min(value.createdAt + SESSION_MS, value.lastSeenAt + IDLE_MS);
    const theirs = all
      .filter((session) => session.value.accountId === accountId && !hasEnded(session))
      .sort((a, b) => b.value.lastSeenAt - a.value.lastSeenAt);
    const dropped = [...all.filter(hasEnded), ...theirs.slice(SESSIONS_PER_ACCOUNT_MAX - 1)];
    for (const { id } of dropped) await this.#deps.store.deleteDocument('session', id);
  }

  async #seen(session: TypedDocument<'session'>, now: number): Promise<void> {
    const value = { ...session.value, lastSeenAt: now };
    try {
      await this.#deps.store.putDocument({ ...session, value });
    } catch (error) {
      // Another request of the same session was faster, or ended it: either way there is nothing to note.
      if (!(error instanceof TicketscanError)) throw error;
    }
  }

  async #principal(
    accountName: string,
    accountId: string,
    session: Pick<Principal, 'expiresAt' | 'idleUntil' | 'sessionId'>,
  ): Promise<Principal | undefined> {
    const account = (await this.#account(accountName))?.value;
    if (account?.id !== accountId) return undefined;
    const organisations = await this.#deps.store.listOrganisations();
    const organisation = organisations.find(({ id }) => id === account.organisationId);
    return organisation && { account, organisation, role: account.role, ...session };
  }
}

/** Who the trail names for what a principal does. */
export function actorOf({ account }: Pick<Principal, 'account'>): Actor {
  return { accountId: account.id, by: account.name };
}
