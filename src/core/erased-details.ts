import type { AuditLogEntry } from './administrative-records.ts';
import { PERSONAL_NAMES } from './personal-texts.ts';

/** Replaces the name of a guest in the audit log. */
export const ERASED = 'erased';

/** A JSON value with `erased` for everything that tells of a guest, wherever it is. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [
    name,
    PERSONAL_NAMES.has(name) && one !== null ? ERASED : withoutNames(one),
  ]);
  return Object.fromEntries(members);
}

/** The details of an audit entry about a ticket, without names, and without the free text of an undo, which may have one. */
export function erasedDetails({
  act,
  details,
}: Pick<AuditLogEntry, 'act' | 'details'>): AuditLogEntry['details'] {
  const erased = withoutNames(details) as AuditLogEntry['details'];
  return act === 'ticket.undo' ? { ...erased, reason: ERASED } : erased;
}
