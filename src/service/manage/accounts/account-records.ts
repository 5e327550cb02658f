import type { AdministrativeDocument, Role } from '../../../core/administrative-records.ts';
import type { PasswordRecord } from './passwords.ts';

/** An account. Stored under its folded name, so that names are unique. */
export interface AccountRecord {
  readonly id: string;
  /** Null for the account that a server creates in an empty store: it gets the first organisation later. */
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
  /** Of the password that the account had then: with another password this is void. */
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
}

/** A phone that is to be paired. Kept under the hash of its token. */
export interface PairingRecord {
  readonly id: string;
  /** The account that shows the token, and confirms. */
  readonly createdBy: string;
  /** The account for which the phone will scan. */
  readonly accountId: string;
  readonly expiresAt: number;
  /** The phone that redeemed the token; null before. */
  readonly asked: {
    readonly phone: string;
    /** Shown on both sides. */
    readonly code: string;
    /** Of the token that the phone holds: its session is kept under it once it is confirmed. */
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

/** A document with the value that its kind has: only this program writes them. */
export interface TypedDocument<Kind extends keyof ValueOf> extends AdministrativeDocument {
  readonly kind: Kind;
  readonly value: ValueOf[Kind];
}

export function typed<Kind extends keyof ValueOf>(
  document: AdministrativeDocument,
): TypedDocument<Kind> {
  return document as TypedDocument<Kind>;
}
