import type { AdministrativeDocument, Role } from '../../../core/administrative-records.ts';
import type { PasswordRecord } from './passwords.ts';

/** Somebody who may sign in. Kept under the folded name, so that a name is taken once. */
export interface AccountRecord {
  readonly id: string;
  /** Null for the account that a server makes on an empty store: it takes the first organisation that there is. */
  readonly organisationId: string | null;
  readonly name: string;
  /** What the name looks like; accounts of an earlier version have none. */
  readonly likeness?: string;
  readonly role: Role;
  readonly password: PasswordRecord;
  /** Signs what browsers prove an earlier sign-in with (Base64); made at the first one. */
  readonly deviceKey?: string;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

/** What sessions and access tokens have in common. */
export interface Credential {
  /** Of the password that the account had then: with another password this is void. Those of an earlier version have none. */
  readonly passwordSalt?: string;
  readonly accountName: string;
  /** An account of the same name that was made later is another one. */
  readonly accountId: string;
  readonly createdAt: number;
}

/** Kept under the hash of its token. */
interface SessionRecord extends Credential {
  readonly lastSeenAt: number;
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
