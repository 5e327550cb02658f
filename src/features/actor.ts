import type { NewAuditLogEntry } from '../core/administrative-records.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../kit/random.ts';
import type { RecordStore } from '../stores/record-store.ts';
import type { LogStore } from '../stores/store.ts';

/** The author of a change. */
export interface Actor {
  /** The account; null for direct access to the store. */
  readonly accountId: string | null;
  readonly by: string;
}

/** Direct access to the store permits everything: the command line, and programs with the library. */
export const COMMAND_LINE: Actor = { accountId: null, by: 'command line' };

/** A change, without its author and time. */
export interface AuditedChange {
  /** Such as `key.create`. */
  readonly act: string;
  /** The id of the object that changes. */
  readonly subject: string;
  readonly organisationId: string | null;
  /** The details of the change; they never contain a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The audit entry of a change that happens now. */
export function auditEntryOf(
  actor: Actor,
  clock: Pick<Clock, 'now'>,
  change: AuditedChange,
): NewAuditLogEntry {
  const { accountId, by } = actor;
  return { at: clock.now(), accountId, by, ...change, details: change.details ?? {} };
}

/** The part of a store that the administration needs. Only a deletion must search the log. */
export type AdministeredStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** What rules that change records work with. */
export interface RuleDeps {
  readonly store: AdministeredStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly actor: Actor;
}

/** The audit entry of a change that rules make. @param organisationId null for what belongs to the store as a whole */
export function auditEntryBy(
  { actor, clock }: RuleDeps,
  act: string,
  subject: string,
  organisationId: string | null,
  details: Readonly<Record<string, unknown>> = {},
): NewAuditLogEntry {
  return auditEntryOf(actor, clock, { act, subject, organisationId, details });
}
