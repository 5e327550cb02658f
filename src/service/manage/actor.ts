import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';

/** Who does an administrative act. */
export interface Actor {
  /** Null for whoever holds the store itself. */
  readonly accountId: string | null;
  readonly by: string;
}

/** Whoever can open the store may do anything with it: the command line, and programs with the library. */
export const COMMAND_LINE: Actor = { accountId: null, by: 'command line' };

/** What an act is, without who and when. */
export interface AuditedChange {
  /** Such as `key.create`. */
  readonly act: string;
  /** The id of what it is done to. */
  readonly subject: string;
  readonly organisationId: string | null;
  /** What changes; never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The entry of the trail for an act that happens now. */
export function auditEntryOf(
  actor: Actor,
  clock: Pick<Clock, 'now'>,
  change: AuditedChange,
): NewAuditLogEntry {
  const { accountId, by } = actor;
  return { at: clock.now(), accountId, by, ...change, details: change.details ?? {} };
}
