import { type Role, reaches } from '../../core/administrative-records.ts';
import { hashApiKey, makeAccessToken } from '../../core/api-key.ts';
import { TicketscanError } from '../../core/errors.ts';
import { ACCESS_TOKENS_PER_ACCOUNT_MAX } from '../../core/limits.ts';
import { BASE36, randomText } from '../../core/random.ts';
import { actOf } from '../actor.ts';
import { checkedName } from '../record-checks.ts';
import { actorOf, type Principal } from './access.ts';
import {
  type AccessTokenRecord,
  foldedName,
  type TypedDocument,
  typed,
} from './account-records.ts';
import type { AccountDeps } from './accounts.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Personal access tokens: everybody has their own, with no more rights than they have themselves. */
export class AccessTokens {
  readonly #deps: Omit<AccountDeps, 'passwords'>;

  constructor(deps: Omit<AccountDeps, 'passwords'>) {
    this.#deps = deps;
  }

  /** The value is in the answer and nowhere else. @throws TicketscanError `not_allowed` for a greater role and for a token that asks for another, `limit_reached` */
  async create(
    principal: Principal,
    wish: { readonly name: string; readonly role: Role; readonly days: number },
  ): Promise<{ record: AccessTokenRecord; value: string }> {
    const { store, clock, random } = this.#deps;
    const { account } = principal;
    if (principal.sessionId === null) {
      throw new TicketscanError(
        'not_allowed',
        'Sign in to create a token: one that was stolen must not make others that outlive it.',
      );
    }
    if (!reaches(principal.role, wish.role)) {
      throw new TicketscanError(
        'not_allowed',
        `You are ${principal.role}: a token of yours cannot be ${wish.role}.`,
      );
    }
    if ((await this.list(principal)).length >= ACCESS_TOKENS_PER_ACCOUNT_MAX) {
      throw new TicketscanError(
        'limit_reached',
        `An account has at most ${ACCESS_TOKENS_PER_ACCOUNT_MAX} access tokens. Delete one first.`,
      );
    }
    const value = makeAccessToken(random);
    const record: AccessTokenRecord = {
      id: `pat_${randomText(BASE36, 10, random)}`,
      accountName: foldedName(account.name),
      accountId: account.id,
      name: checkedName(wish.name),
      role: wish.role,
      createdAt: clock.now(),
      expiresAt: clock.now() + wish.days * DAY_MS,
    };
    await store.putDocument(
      { kind: 'access-token', id: hashApiKey(value), revision: 0, value: record },
      this.#act(principal, 'create', record),
    );
    return { record, value };
  }

  /** Of the account itself, oldest first. */
  async list(principal: Principal): Promise<AccessTokenRecord[]> {
    const own = (await this.#own(principal)).map(({ value }) => value);
    return own.sort((a, b) => a.createdAt - b.createdAt);
  }

  /** @throws TicketscanError `not_found` */
  async delete(principal: Principal, id: string): Promise<void> {
    const found = (await this.#own(principal)).find(({ value }) => value.id === id);
    if (!found) throw new TicketscanError('not_found', `There is no access token ${id}.`);
    const act = this.#act(principal, 'delete', found.value);
    await this.#deps.store.deleteDocument('access-token', found.id, act);
  }

  async #own({ account }: Principal): Promise<TypedDocument<'access-token'>[]> {
    const all = await this.#deps.store.listDocuments('access-token');
    return all
      .map((document) => typed<'access-token'>(document))
      .filter(({ value }) => value.accountId === account.id);
  }

  #act(principal: Principal, what: string, { id, name, role }: AccessTokenRecord) {
    return actOf(actorOf(principal), this.#deps.clock, {
      act: `access-token.${what}`,
      subject: id,
      organisationId: principal.organisation.id,
      details: { name, role },
    });
  }
}
