import type { AdministrativeRevision, Role } from '../../core/administrative-records.ts';
import { checkedName } from '../../core/checked-name.ts';
import type { Direction } from '../../core/direction.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { withoutInvisible } from '../../core/folded-text.ts';
import { ACCOUNT_NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { ofOrganisation, type RecordOf, typedRecords } from '../typed-records.ts';
import type { PasswordRecord } from './passwords.ts';

/** An account. Stored under its folded name, so that names are unique. */
export interface AccountRecord {
  readonly id: string;
  /** The organisation; null for the account that a server creates in an empty store, which gets the first organisation later. */
  readonly organisationId: string | null;
  readonly name: string;
  readonly role: Role;
  /** Ids of the events whose tickets a scanner may scan; absent for all. */
  readonly events?: readonly string[];
  readonly password: PasswordRecord;
  /** The key (Base64) that signs the proofs of earlier sign-ins; made at the first one. */
  readonly deviceKey?: string;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

/** What sessions and access tokens have in common. */
export interface Credential {
  /** The salt of the password that the account had then: with another password this is void. */
  readonly passwordSalt: string;
  readonly accountName: string;
  /** An account of the same name that was made later is another one. */
  readonly accountId: string;
  readonly createdAt: number;
}

/** Kept under the hash of its token. */
export interface SessionRecord extends Credential {
  readonly lastSeenAt: number;
  /** Set for a phone that was paired: its session may scan and nothing else. */
  readonly phone?: PairedPhone;
  /** The account of a paired phone, by which its phones are counted. */
  readonly phoneOf?: string;
  /** Where a paired phone stands, as it said last; missing before. */
  readonly way?: Direction;
}

/** A phone that is to be paired. Kept under the hash of its token. */
export interface PairingRecord {
  readonly id: string;
  /** The account that shows the token, and confirms. */
  readonly createdBy: string;
  /** The account for which the phone will scan. */
  readonly accountId: string;
  readonly expiresAt: number;
  /** The hash of the token that the phone holds, by which its pairing is found; absent before a phone has asked. */
  readonly askedBy?: string;
  /** The phone that redeemed the token; null before. */
  readonly asked: {
    readonly phone: string;
    /** Shown on both sides. */
    readonly code: string;
    /** The hash of the token that the phone holds: its session is kept under it once it is confirmed. */
    readonly sessionHash: string;
  } | null;
}

/** A phone that scans for an account. */
export interface PairedPhone {
  readonly id: string;
  readonly name: string;
}

/** Kept under the hash of its value. */
export interface AccessTokenRecord extends Credential {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: number;
}

interface ValueOf {
  readonly account: AccountRecord;
  readonly session: SessionRecord;
  readonly 'access-token': AccessTokenRecord;
  readonly pairing: PairingRecord;
}

export type TypedRecord<Kind extends keyof ValueOf> = RecordOf<Kind, ValueOf[Kind]>;

export const { read: findTyped, list: listTyped } = typedRecords<ValueOf>();

/** The accounts of one organisation; null for those without one, undefined for all. */
export async function accountRecords(
  store: Pick<RecordStore, 'list'>,
  organisationId: string | null | undefined,
): Promise<TypedRecord<'account'>[]> {
  if (typeof organisationId === 'string')
    return listTyped(store, 'account', ofOrganisation(organisationId));
  const all = await listTyped(store, 'account');
  if (organisationId === undefined) return all;
  return all.filter(({ value }) => value.organisationId === organisationId);
}

export async function accountsOf(
  store: Pick<RecordStore, 'list'>,
  organisationId: string,
): Promise<AccountRecord[]> {
  return (await accountRecords(store, organisationId)).map(({ value }) => value);
}

/** The accounts that go with an organisation. */
export interface LeavingAccounts {
  readonly accounts: readonly AccountRecord[];
  /** These accounts, and an owner who stays: all must be unchanged since they were read. */
  readonly unchanged: readonly AdministrativeRevision[];
}

/**
 * The accounts of an organisation that is to be deleted with them.
 * @throws TicketscanError `conflict` when nobody could sign in as an owner afterwards
 */
export async function leavingAccounts(
  store: Pick<RecordStore, 'list'>,
  organisationId: string,
): Promise<LeavingAccounts> {
  const all = await listTyped(store, 'account');
  const leaving = all.filter(({ value }) => value.organisationId === organisationId);
  const staying = all.find(
    ({ value }) => value.organisationId !== organisationId && value.role === 'owner',
  );
  if (leaving.length > 0 && !staying) {
    throw new TicketscanError(
      'conflict',
      'No other organisation has an owner: without these accounts nobody could sign in. Create an owner there first: ' +
        'ticketscan accounts create --role owner --organisation NAME --name NAME',
    );
  }
  const held = staying && leaving.length > 0 ? [...leaving, staying] : leaving;
  return { accounts: leaving.map(({ value }) => value), unchanged: held.map(revisionOf) };
}

export function revisionOf({ kind, id, revision }: TypedRecord<'account'>): AdministrativeRevision {
  return { kind, id, revision };
}

/**
 * Deletes the sessions and access tokens of an account that is gone, or that has another password: they are void already.
 * @param except a session that stays
 */
export async function endCredentials(
  store: Pick<RecordStore, 'list' | 'write'>,
  accountId: string,
  except: string | null = null,
): Promise<void> {
  for (const kind of ['session', 'access-token'] as const) {
    const all = await listTyped(store, kind, { name: 'accountId', anyOf: [accountId] });
    const theirs = all.filter(({ id }) => id !== except);
    if (theirs.length > 0) await store.write({ deleted: theirs, audit: [] });
  }
}

/** Ends the phones of an account that may no longer scan: they stay ended when it may scan again. */
export async function endPhones(
  store: Pick<RecordStore, 'list' | 'write'>,
  accountId: string,
): Promise<void> {
  const phones = await listTyped(store, 'session', { name: 'phoneOf', anyOf: [accountId] });
  if (phones.length > 0) await store.write({ deleted: phones, audit: [] });
}

/**
 * The name under which an account is stored: people forget how exactly they spelt it, and copy characters that nobody sees. Accents
 * and punctuation count, because it is the key of an administrative record that exists.
 */
export function foldedName(name: string): string {
  // To upper case first: only that makes SS of ß.
  return withoutInvisible(name).normalize('NFKC').toUpperCase().toLowerCase();
}

/** Characters that nobody sees: joiners, fillers, direction marks, the empty Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u2800]/u;

/** The author in the audit log of changes without an account. */
const RESERVED = ['command line', 'befehlszeile', 'kommandozeile'];

/**
 * The name of a new account, as it was given. Existing accounts may have other names: they keep them.
 * @throws TicketscanError `usage` for a name with what nobody sees, `conflict` for a reserved one
 */
export function checkedAccountName(name: string): string {
  checkedName(name, ACCOUNT_NAME_CHARACTERS_MAX);
  const compatible = name.normalize('NFKC');
  if (name !== name.trim() || compatible !== compatible.trim()) {
    throw refuse('account_name_spaces');
  }
  if (INVISIBLE.test(name) || INVISIBLE.test(compatible)) {
    throw refuse('account_name_invisible');
  }
  const folded = foldedName(name);
  if (RESERVED.some((reserved) => folded.includes(reserved))) throw nameRefused(name);
  return name;
}

/** The same answer for names that are taken and names that are reserved: it does not say whose name it is. */
export function nameRefused(name: string): TicketscanError {
  return refuse('account_name_taken', { name });
}
