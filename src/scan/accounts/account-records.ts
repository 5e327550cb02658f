import type {
  AdministrativeDocument,
  DocumentKind,
  Role,
} from '../../core/administrative-records.ts';
import type { PasswordRecord } from './passwords.ts';

/** Somebody who may sign in. Kept under the folded name, so that a name is taken once. */
export interface AccountRecord {
  readonly id: string;
  /** Null for the account that a server makes on an empty store: it takes the first organisation that there is. */
  readonly organisationId: string | null;
  readonly name: string;
  readonly role: Role;
  readonly password: PasswordRecord;
  readonly createdAt: number;
  readonly lastSignInAt: number | null;
}

/** Kept under the hash of its token. */
interface SessionRecord {
  readonly accountName: string;
  /** An account of the same name that was made later is another one. */
  readonly accountId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

/** Kept under the hash of its value. */
export interface AccessTokenRecord {
  readonly id: string;
  readonly accountName: string;
  readonly accountId: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface ValueOf {
  readonly account: AccountRecord;
  readonly session: SessionRecord;
  readonly 'access-token': AccessTokenRecord;
}

/** A document with the value that its kind has: only this program writes them. */
export interface TypedDocument<Kind extends DocumentKind> extends AdministrativeDocument {
  readonly kind: Kind;
  readonly value: ValueOf[Kind];
}

export function typed<Kind extends DocumentKind>(
  document: AdministrativeDocument,
): TypedDocument<Kind> {
  return document as TypedDocument<Kind>;
}

/** Under what an account is kept: people do not remember how they spelt their own name. */
export function foldedName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
