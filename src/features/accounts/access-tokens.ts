import { type AdministrativeBound, type Role, reaches } from '../../core/administrative-records.ts';
import { hashApiKey, makeAccessToken } from '../../core/api-key.ts';
import { checkedName } from '../../core/checked-name.ts';
import { type Clock, isoTime } from '../../core/clock.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { endsSoon } from '../../core/key-terms.ts';
import { ACCESS_TOKENS_PER_ACCOUNT_MAX, TOKEN_NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { BASE36, randomText } from '../../kit/random.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type Actor, auditEntryOf } from '../actor.ts';
import { dailyWatch, type Warn } from '../keys/key-watches.ts';
import { actorOf, type Principal } from './access.ts';
import {
  type AccessTokenRecord,
  type AccountRecord,
  accountRecords,
  listTyped,
} from './account-records.ts';
import type { AccountDeps } from './rules.ts';

const OF_ACCOUNT: AdministrativeBound = {
  member: 'accountId',
  countMax: ACCESS_TOKENS_PER_ACCOUNT_MAX,
  reason: 'access_tokens_max',
};

/** A token and its account. */
export interface OwnedToken {
  readonly token: AccessTokenRecord;
  readonly account: AccountRecord;
}

/** Access tokens for scripts: each belongs to an account, and has no more rights than it. */
export class AccessTokens {
  readonly #deps: Omit<AccountDeps, 'passwords'>;

  constructor(deps: Omit<AccountDeps, 'passwords'>) {
    this.#deps = deps;
  }

  /** Only the result contains the value. @throws TicketscanError `not_allowed` for a greater role, `limit_reached` */
  async create(
    principal: Principal,
    options: { readonly name: string; readonly role: Role; readonly days: number },
  ): Promise<{ record: AccessTokenRecord; value: string }> {
    const { store, clock, random } = this.#deps;
    const { account, accountName } = principal;
    if (!reaches(principal.role, options.role)) {
      throw refuse('token_role');
    }
    const value = makeAccessToken(random);
    const record: AccessTokenRecord = {
      id: `pat_${randomText(BASE36, 10, random)}`,
      accountName,
      accountId: account.id,
      passwordSalt: account.password.salt,
      name: checkedName(options.name, TOKEN_NAME_CHARACTERS_MAX),
      role: options.role,
      createdAt: clock.now(),
      expiresAt: clock.now() + options.days * DAY_MS,
    };
    await store.write({
      administrative: [{ kind: 'access-token', id: hashApiKey(value), revision: 0, value: record }],
      bounds: [OF_ACCOUNT],
      audit: [this.#auditEntry(actorOf(principal), 'create', { token: record, account })],
    });
    return { record, value };
  }

  /** The tokens of the account itself, oldest first. */
  async list({ account }: Principal): Promise<AccessTokenRecord[]> {
    const all = await this.listAll(account.organisationId);
    return all.filter((one) => one.account.id === account.id).map(({ token }) => token);
  }

  /** The tokens of every account of the organisation, oldest first; of all organisations when none is named. */
  async listAll(organisationId?: string | null): Promise<OwnedToken[]> {
    const owned = await ownedTokens(this.#deps.store, organisationId);
    return owned.sort((a, b) => a.token.createdAt - b.token.createdAt);
  }

  /** Deletes a token of the account itself. @throws TicketscanError `not_found` */
  async delete(principal: Principal, id: string): Promise<void> {
    const { account } = principal;
    await this.#delete(actorOf(principal), id, account.organisationId, account.id);
  }

  /** Deletes any token of the organisation. @throws TicketscanError `not_found` */
  async revoke(actor: Actor, id: string, organisationId?: string | null): Promise<OwnedToken> {
    return this.#delete(actor, id, organisationId);
  }

  async #delete(
    actor: Actor,
    id: string,
    organisationId?: string | null,
    accountId?: string,
  ): Promise<OwnedToken> {
    const { store } = this.#deps;
    const found = (await ownedTokens(store, organisationId)).find(
      ({ token, account }) => token.id === id && (accountId ?? account.id) === account.id,
    );
    if (!found) throw new TicketscanError('not_found', `Unknown access token ${id}.`);
    const auditEntry = this.#auditEntry(actor, 'delete', found);
    await store.write({
      deleted: [{ kind: 'access-token', id: found.recordId }],
      audit: [auditEntry],
    });
    return found;
  }

  #auditEntry(actor: Actor, what: string, { token, account }: OwnedToken) {
    const { id, name, role } = token;
    return auditEntryOf(actor, this.#deps.clock, {
      act: `access-token.${what}`,
      subject: id,
      organisationId: account.organisationId,
      details: { name, role, account: account.name },
    });
  }
}

/** Tokens whose account still exists: those of an earlier account with the same name do not count. */
async function ownedTokens(
  store: Pick<RecordStore, 'list'>,
  organisationId: string | null | undefined,
): Promise<(OwnedToken & { readonly recordId: string })[]> {
  const accounts = new Map<string, AccountRecord>();
  for (const { value } of await accountRecords(store, organisationId)) {
    accounts.set(value.id, value);
  }
  const tokens =
    organisationId === undefined
      ? await listTyped(store, 'access-token')
      : await listTyped(store, 'access-token', { name: 'accountId', anyOf: [...accounts.keys()] });
  return tokens.flatMap(({ id: recordId, value: token }) => {
    const account = accounts.get(token.accountId);
    return account ? [{ recordId, token, account }] : [];
  });
}

/** The access tokens whose end is near, of every organisation. */
export async function endingTokens(
  store: Pick<RecordStore, 'list'>,
  now: number,
): Promise<AccessTokenRecord[]> {
  const tokens = await listTyped(store, 'access-token');
  return tokens.map(({ value }) => value).filter(({ expiresAt }) => endsSoon(expiresAt, now));
}

/** @returns a function to call about once a minute: it warns once a day of each access token whose end is near */
export function tokenExpiryWatch(
  store: Pick<RecordStore, 'list'>,
  clock: Clock,
  warn: Warn,
): () => Promise<void> {
  return dailyWatch(
    clock,
    (now) => endingTokens(store, now),
    ({ id, expiresAt }) => {
      const facts = { accessToken: id, expiresAt: isoTime(expiresAt) };
      warn(facts, 'an access token expires soon; scripts with it are then refused');
    },
  );
}
