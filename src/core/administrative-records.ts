/** Administrative data besides organisations, events and keys; for a store it is only JSON. */
export const ADMINISTRATIVE_KINDS = [
  'account',
  'session',
  'access-token',
  'pairing',
  'refusals',
  'webhook',
  'webhook-progress',
  'webhook-notices',
  'webhook-lease',
  'sheet-settings',
  'device-names',
  'limits',
  'events-max',
  'guest-search',
  'inside-from',
  'deletion',
  'log-ends',
  'backup',
  'server-address',
  'replaced-ticket',
  'replacement',
  'event-home',
  'site',
  'site-token',
  'site-contact',
  'site-feed',
  'site-progress',
  'site-rows',
  'site-of',
] as const;
export type AdministrativeKind = (typeof ADMINISTRATIVE_KINDS)[number];

export interface AdministrativeRecord {
  readonly kind: AdministrativeKind;
  readonly id: string;
  /** 1 when it is new; each change adds 1. */
  readonly revision: number;
  /** Any JSON value. */
  readonly value: unknown;
}

/** The revision that was read: another revision means that the record was changed since. */
export type AdministrativeRevision = Pick<AdministrativeRecord, 'kind' | 'id' | 'revision'>;

/** A limit on the administrative records of a kind with the same text in a member, including the written one. */
export interface AdministrativeBound {
  /** A member of the value: administrative records with the same text in it are counted. */
  readonly member: string;
  /** How many administrative records there may be, with the one that is written. */
  readonly countMax: number;
  /** Why more are refused, with `countMax` as `max`; */
  readonly reason?: 'accounts_max' | 'access_tokens_max' | 'pairings_max' | 'phones_max';
  /** or the message of a limit without a reason of its own. */
  readonly refusal?: string;
}

/** One audit entry: who changed what, and when. */
export interface NewAuditLogEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Null for a change of the store as a whole. */
  readonly organisationId: string | null;
  /** Null for changes that no account made. */
  readonly accountId: string | null;
  /** The name of the account, `command line`, or `document` for what was edited in the document of a store. */
  readonly by: string;
  /** What was done, such as `key.create`. */
  readonly act: string;
  /** The id of what it was done to. */
  readonly subject: string;
  /** What changed; never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditLogEntry extends NewAuditLogEntry {
  /** Orders the audit log. */
  readonly sequence: number;
}

/** Rights of an account: scan in the page and nothing else; read; also manage tickets and events; also manage keys and accounts. */
export const ROLES = ['scanner', 'viewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** True when `role` may do all that `needed` may. */
export function reaches(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** A viewer only reads: who may let people in is a scanner, or may also manage tickets. */
export function mayScan(role: Role): boolean {
  return role === 'scanner' || reaches(role, 'operator');
}

/** What the id of every account begins with, and no id of a key. */
export const ACCOUNT_ID = 'acc_';

/** @param random ten characters of a-z0-9 */
export function accountIdOf(random: string): string {
  return `${ACCOUNT_ID}${random}`;
}

/** True for the id of an account, false for that of a key: the scan log has either. */
export function isAccountId(id: string): boolean {
  return id.startsWith(ACCOUNT_ID);
}

/** The lesser of two roles. */
export function lesserRole(a: Role, b: Role): Role {
  return reaches(a, b) ? b : a;
}

/** The name of an organisation that was made without one: its owner gives it another. */
export const UNNAMED_ORGANISATION = 'Default';

/** The events that an endpoint may choose. `webhook.test` and `webhook.gap` go to every endpoint. */
export const WEBHOOK_EVENTS = [
  'scan.granted',
  'scan.denied',
  'device.offline',
  'device.online',
  'quota.warning',
  'denials.many',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
