import type { AuditLogEntry } from './administrative-records.ts';

/** Replaces the name of a guest in the audit log. */
export const ERASED = 'erased';

const NAMES: ReadonlySet<string> = new Set(['holder', 'firstName', 'lastName']);

/** A JSON value with `erased` in the place of every name of a holder, wherever it is. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [
    name,
    NAMES.has(name) && one !== null ? ERASED : withoutNames(one),
  ]);
  return Object.fromEntries(members);
}

/** Of an audit entry about a ticket: without names, and without the free text of an undo, which may have one. */
export function erasedDetails({
  act,
  details,
}: Pick<AuditLogEntry, 'act' | 'details'>): AuditLogEntry['details'] {
  const erased = withoutNames(details) as AuditLogEntry['details'];
  return act === 'ticket.undo' ? { ...erased, reason: ERASED } : erased;
}
