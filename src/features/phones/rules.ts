import { type AdministrativeBound, reaches } from '../../core/administrative-records.ts';
import { hashApiKey } from '../../core/api-key.ts';
import { checkedName } from '../../core/checked-name.ts';
import type { Direction } from '../../core/direction.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import {
  PAIRINGS_PER_ACCOUNT_MAX,
  PHONE_NAME_CHARACTERS_MAX,
  PHONES_PER_ACCOUNT_MAX,
} from '../../core/limits.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import { BASE36, BASE62, randomText } from '../../kit/random.ts';
import { actorOf, makeSessionToken, type Principal, sessionEndsAt } from '../accounts/access.ts';
import {
  type AccountRecord,
  accountRecords,
  findTyped,
  listTyped,
  type PairingRecord,
  type SessionRecord,
  type TypedRecord,
} from '../accounts/account-records.ts';
import type { AccountDeps } from '../accounts/rules.ts';
import { byPairing, Throttle } from '../accounts/throttle.ts';
import { auditEntryOf } from '../actor.ts';
import { again } from '../record-checks.ts';

/** How long a pairing waits for the phone, and then again for the answer on the dashboard. */
export const PAIRING_MS = 2 * MINUTE_MS;
/** 131 bits. */
const TOKEN_CHARACTERS = 22;
const CODE_DIGITS = 4;

const OPEN_PAIRINGS: AdministrativeBound = {
  member: 'createdBy',
  countMax: PAIRINGS_PER_ACCOUNT_MAX,
  reason: 'pairings_max',
};
const OF_ACCOUNT: AdministrativeBound = {
  member: 'phoneOf',
  countMax: PHONES_PER_ACCOUNT_MAX,
  reason: 'phones_max',
};

/** A paired phone, and the account for which it scans. */
export interface ListedPhone {
  readonly id: string;
  readonly name: string;
  readonly account: Pick<AccountRecord, 'id' | 'name'>;
  readonly pairedAt: number;
  readonly lastSeenAt: number;
  readonly expiresAt: number;
  /** Whether it stands at the entrance or at the exit; null before it said so. */
  readonly way: Direction | null;
}

/** The state of a pairing: no phone has redeemed the token, or one has, and shows this code. */
export type PairingState =
  | { readonly kind: 'open' }
  | { readonly kind: 'asked'; readonly phone: string; readonly code: string };

/**
 * Phones that scan without a password (ADR 0050). The dashboard shows a token once, as a QR code; the phone that redeems it
 * waits with the token of a session that does not exist yet, until somebody who compared the codes confirms it.
 */
export class Phones {
  readonly #deps: Omit<AccountDeps, 'passwords'>;
  readonly #throttle: Throttle;

  constructor(deps: Omit<AccountDeps, 'passwords'>) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps.clock);
  }

  /**
   * Begins a pairing. Only this answer contains the token.
   * @param accountId for whom the phone will scan: an owner may choose a scanner of the organisation
   * @throws TicketscanError `not_allowed`, `not_found`, `limit_reached`
   */
  async begin(
    principal: Principal,
    accountId = principal.account.id,
  ): Promise<{ id: string; token: string; expiresAt: number }> {
    const { store, clock, random } = this.#deps;
    await this.#accountFor(principal, accountId);
    await this.#dropEnded(principal);
    const token = randomText(BASE62, TOKEN_CHARACTERS, random);
    const expiresAt = clock.now() + PAIRING_MS;
    const value: PairingRecord = {
      id: `pair_${randomText(BASE36, 10, random)}`,
      createdBy: principal.account.id,
      accountId,
      expiresAt,
      asked: null,
    };
    const record = { kind: 'pairing', id: hashApiKey(token), revision: 0, value } as const;
    await store.write({ administrative: [record], bounds: [OPEN_PAIRINGS], audit: [] });
    return { id: value.id, token, expiresAt };
  }

  /**
   * A phone asks to be paired. Only the first phone that sends a token can.
   * @param address where it comes from: guesses must wait
   * @returns what to compare, and the token of the session that it gets if it is confirmed
   * @throws TicketscanError `not_found` for a token that is unknown, has expired or was redeemed; `usage` for a name; RetryLater
   */
  async redeem(
    token: string,
    phoneName: string,
    address: string,
  ): Promise<{ code: string; sessionToken: string; expiresAt: number }> {
    const { store, clock, random } = this.#deps;
    const phone = checkedName(phoneName.trim(), PHONE_NAME_CHARACTERS_MAX);
    const pairing = await findTyped(store, 'pairing', hashApiKey(token));
    const isOpen = pairing && !pairing.value.asked && clock.now() < pairing.value.expiresAt;
    // Only wrong guesses must wait, so that somebody who guesses does not keep out the phones of the same network.
    if (!isOpen) {
      this.#throttle.attempt(byPairing(address));
      throw unknownToken();
    }
    const sessionToken = makeSessionToken(random);
    const code = randomText('0123456789', CODE_DIGITS, random);
    const askedBy = hashApiKey(sessionToken);
    const asked = { phone, code, sessionHash: askedBy };
    const expiresAt = clock.now() + PAIRING_MS;
    try {
      await store.write({
        administrative: [{ ...pairing, value: { ...pairing.value, asked, askedBy, expiresAt } }],
        audit: [],
      });
    } catch (error) {
      // Another phone was faster.
      throw (error as TicketscanError).code === 'conflict' ? unknownToken() : error;
    }
    return { code, sessionToken, expiresAt };
  }

  /** Whether a phone that has asked still waits for the answer. Once it is confirmed, its session exists. */
  async isWaiting(sessionToken: string): Promise<boolean> {
    const now = this.#deps.clock.now();
    const own = { name: 'askedBy', anyOf: [hashApiKey(sessionToken)] } as const;
    const asked = await listTyped(this.#deps.store, 'pairing', own);
    return asked.some(({ value }) => now < value.expiresAt);
  }

  /** A pairing of the caller. @throws TicketscanError `not_found` when it has ended */
  async stateOf(principal: Principal, id: string): Promise<PairingState> {
    const { asked } = (await this.#own(principal, id)).value;
    return asked ? { kind: 'asked', phone: asked.phone, code: asked.code } : { kind: 'open' };
  }

  /**
   * Pairs the phone that asked; its session begins.
   * @throws TicketscanError `not_found` when the pairing has ended, `conflict` when nobody has asked, `limit_reached`
   */
  async confirm(principal: Principal, id: string): Promise<void> {
    const { store, clock, random } = this.#deps;
    const pairing = await this.#own(principal, id);
    const { asked, accountId } = pairing.value;
    if (!asked) {
      throw refuse('phone_not_asked');
    }
    const account = await this.#accountFor(principal, accountId);
    const now = clock.now();
    const phone = { id: `phone_${randomText(BASE36, 10, random)}`, name: asked.phone };
    const value: SessionRecord = {
      accountName: account.id,
      accountId,
      passwordSalt: account.value.password.salt,
      createdAt: now,
      lastSeenAt: now,
      phone,
      phoneOf: accountId,
    };
    const auditEntry = this.#auditEntry(principal, 'pair', phone, account.value.name);
    const { kind, id: recordId, revision } = pairing;
    await store.write({
      administrative: [{ kind: 'session', id: asked.sessionHash, revision: 0, value }],
      deleted: [pairing],
      unchanged: [{ kind, id: recordId, revision }],
      bounds: [OF_ACCOUNT],
      audit: [auditEntry],
    });
  }

  /** Ends a pairing, whether a phone has asked or not. @throws TicketscanError `not_found` */
  async refuse(principal: Principal, id: string): Promise<void> {
    const pairing = await this.#own(principal, id);
    await this.#deps.store.write({ deleted: [{ kind: 'pairing', id: pairing.id }], audit: [] });
  }

  /** Oldest first: one's own, or for an owner all of the organisation. */
  async list(principal: Principal): Promise<ListedPhone[]> {
    const phones = (await this.#phones(principal)).map(({ listed }) => listed);
    return phones.sort((a, b) => a.pairedAt - b.pairedAt);
  }

  /** A phone says where it stands. @throws TicketscanError `not_found` for a session that is no phone's */
  async standAt({ sessionId }: Principal, way: Direction): Promise<void> {
    const { store } = this.#deps;
    await again(async () => {
      const session = await findTyped(store, 'session', sessionId ?? '');
      if (!session?.value.phone)
        throw new TicketscanError('not_found', 'Only a paired phone stands somewhere.');
      if (session.value.way === way) return;
      await store.write({
        administrative: [{ ...session, value: { ...session.value, way } }],
        audit: [],
      });
    });
  }

  /** Applies to every request that starts after this resolves. @throws TicketscanError `not_found` */
  async revoke(principal: Principal, id: string): Promise<void> {
    const found = (await this.#phones(principal)).find(({ listed }) => listed.id === id);
    if (!found) throw new TicketscanError('not_found', `Unknown phone ${id}.`);
    const { recordId, listed } = found;
    const auditEntry = this.#auditEntry(principal, 'revoke', listed, listed.account.name);
    await this.#deps.store.write({
      deleted: [{ kind: 'session', id: recordId }],
      audit: [auditEntry],
    });
  }

  async #phones(
    principal: Principal,
  ): Promise<readonly { readonly recordId: string; readonly listed: ListedPhone }[]> {
    const { store, clock } = this.#deps;
    const accounts = new Map<string, AccountRecord>();
    for (const { value } of await this.#accounts(principal)) accounts.set(value.id, value);
    const anyOf = [...accounts.keys()];
    const all = await listTyped(store, 'session', { name: 'phoneOf', anyOf });
    return all.flatMap(({ id: recordId, value }) => {
      const account = accounts.get(value.accountId);
      const isOwn = account?.id === principal.account.id || principal.role === 'owner';
      if (!account || !isOwn || !value.phone || clock.now() >= sessionEndsAt(value)) return [];
      const { createdAt: pairedAt, lastSeenAt, phone, way = null } = value;
      const { id, name } = account;
      const expiresAt = sessionEndsAt(value);
      return [
        {
          recordId,
          listed: { ...phone, account: { id, name }, pairedAt, lastSeenAt, expiresAt, way },
        },
      ];
    });
  }

  /** The account for which the phone scans. @throws TicketscanError `not_allowed`, `not_found` */
  async #accountFor(principal: Principal, id: string): Promise<TypedRecord<'account'>> {
    const account = (await this.#accounts(principal)).find(({ value }) => value.id === id);
    if (!account) throw new TicketscanError('not_found', `Unknown account ${id}.`);
    const { role } = account.value;
    if (id === principal.account.id && reaches(principal.role, 'operator')) return account;
    if (principal.role === 'owner' && role === 'scanner') return account;
    throw refuse('phone_account');
  }

  #accounts({ organisation }: Principal): Promise<TypedRecord<'account'>[]> {
    return accountRecords(this.#deps.store, organisation.id);
  }

  async #own({ account }: Principal, id: string): Promise<TypedRecord<'pairing'>> {
    const { store, clock } = this.#deps;
    const own = { name: 'createdBy', anyOf: [account.id] } as const;
    const found = (await listTyped(store, 'pairing', own)).find(({ value }) => value.id === id);
    if (found && clock.now() < found.value.expiresAt) return found;
    throw refuse('pairing_ended', {}, { of: id });
  }

  /** Removes those of the caller, which count against its bound. `dropEnded` removes those of others. */
  async #dropEnded({ account }: Principal): Promise<void> {
    const now = this.#deps.clock.now();
    const own = { name: 'createdBy', anyOf: [account.id] } as const;
    const all = await listTyped(this.#deps.store, 'pairing', own);
    const ended = all.filter(({ value }) => now >= value.expiresAt);
    if (ended.length > 0) await this.#deps.store.write({ deleted: ended, audit: [] });
  }

  #auditEntry(
    principal: Principal,
    what: string,
    { id, name }: { readonly id: string; readonly name: string },
    account: string,
  ) {
    return auditEntryOf(actorOf(principal), this.#deps.clock, {
      act: `phone.${what}`,
      subject: id,
      organisationId: principal.organisation.id,
      details: { name, account },
    });
  }
}

function unknownToken(): TicketscanError {
  return refuse('pairing_code');
}
