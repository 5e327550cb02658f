/** What the administration keeps besides organisations, events and keys; a store knows only that it is JSON. */
export const DOCUMENT_KINDS = ['account', 'session', 'access-token'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

export interface AdministrativeDocument {
  readonly kind: DocumentKind;
  readonly id: string;
  /** 1 when it is new; each change adds 1. */
  readonly revision: number;
  /** Whatever JSON can say. */
  readonly value: unknown;
}

/** A document as somebody read it: another revision means that it was changed since. */
export type DocumentRevision = Pick<AdministrativeDocument, 'kind' | 'id' | 'revision'>;

/** How many documents of its kind may belong together with the one that is written. */
export interface DocumentBound {
  /** A member of the value: documents with the same text in it are counted. */
  readonly member: string;
  /** With the one that is written. */
  readonly countMax: number;
  /** What to tell when there are as many already. */
  readonly refusal: string;
}

/** One administrative act, as the trail tells it: who did what to what, and when. */
export interface NewAuditLogEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Null for an act on the store as a whole. */
  readonly organisationId: string | null;
  /** Null for acts that no account did. */
  readonly accountId: string | null;
  /** The name of the account, or `command line`. */
  readonly by: string;
  /** What was done, such as `key.create`. */
  readonly act: string;
  /** The id of what it was done to. */
  readonly subject: string;
  /** What changed; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditLogEntry extends NewAuditLogEntry {
  /** Orders the trail. */
  readonly sequence: number;
}

/** What an account may do: look; also handle tickets and events; also handle keys, accounts and limits. */
export const ROLES = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** True when `role` may do all that `needed` may. */
export function reaches(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The lesser of two roles. */
export function lesserRole(a: Role, b: Role): Role {
  return reaches(a, b) ? b : a;
}
