import { isDeepStrictEqual } from 'node:util';
import {
  ACCOUNT_ID,
  type AdministrativeBound,
  type AdministrativeRecord,
  type AdministrativeRevision,
  type NewAuditLogEntry,
} from '../core/administrative-records.ts';
import { hashApiKey } from '../core/api-key.ts';
import { refuse, TicketscanError } from '../core/errors.ts';
import { foldedText } from '../core/folded-text.ts';
import { USUAL_DOOR } from '../core/key-settings.ts';
import { EVENTS_PER_ORGANISATION_MAX } from '../core/limits.ts';
import { withoutPersonalTexts } from '../core/personal-texts.ts';
import type { ApiKeyRecord, EventRecord, LogEntry, ScannerRecord } from '../core/records.ts';
import type { StoredAnswer } from '../core/scan-requests.ts';
import type { NewTicket, Ticket } from '../core/ticket.ts';
import { differenceOf } from '../core/ticket-changes.ts';
import type { InsertOptions, RecordChange, RecordKind } from './record-store.ts';
import { changedMeanwhile, notEmpty, notFound, taken } from './store-errors.ts';

/** The limit that the operator set for an organisation, or the usual one. */
export function eventsMaxFrom(set: AdministrativeRecord | undefined): number {
  return typeof set?.value === 'number' ? set.value : EVENTS_PER_ORGANISATION_MAX;
}

/** The event that a change creates or takes out of the archive; undefined for any other change. */
export function openedEvent({ kind, before, after }: RecordChange): EventRecord | undefined {
  if (kind !== 'event' || after === null || after.archivedAt !== null) return undefined;
  return before === null || before.archivedAt !== null ? after : undefined;
}

/** Whether a name contains a text, after both were folded. */
export function isNamed({ name }: { readonly name: string }, text: string): boolean {
  return foldedText(name).includes(foldedText(text));
}

/**
 * The audit entry of an insert. If tickets were skipped, it counts only those that were inserted.
 * @param tickets without the `known` ones, whose reference is taken
 * @param inserted those of `tickets` whose id did not exist
 * @returns null when all were skipped
 * @throws TicketscanError `conflict` for an id that exists, unless it is to be skipped
 */
export function auditEntryOfInsert(
  auditEntry: NewAuditLogEntry,
  tickets: readonly NewTicket[],
  inserted: readonly NewTicket[],
  { existing, known }: InsertOptions & { readonly known: number },
): NewAuditLogEntry | null {
  const isWhole = inserted.length === tickets.length;
  if (isWhole && known === 0) return auditEntry;
  if (!isWhole && existing === 'refuse') throw takenTicket(tickets, inserted);
  if (inserted.length === 0) return null;
  const events = [...new Set(inserted.map(({ eventId }) => eventId))];
  return { ...auditEntry, details: { ...auditEntry.details, count: inserted.length, events } };
}

/** The audit entry of a change of `count` tickets; null when that is 0. */
export function auditEntryWithCount(
  auditEntry: NewAuditLogEntry,
  count: number,
): NewAuditLogEntry | null {
  return count === 0 ? null : { ...auditEntry, details: { ...auditEntry.details, count } };
}

/** The audit entry of an edit; null when it changed nothing. */
export function auditEntryOfEdit(
  auditEntry: NewAuditLogEntry,
  before: Ticket,
  after: Ticket,
): NewAuditLogEntry | null {
  const difference = differenceOf(before, after);
  return difference && { ...auditEntry, details: { ...auditEntry.details, ...difference } };
}

/** The error for `tickets` of which not all were inserted; it names the first one that was not. */
export function takenTicket(
  tickets: readonly NewTicket[],
  inserted: readonly NewTicket[],
): TicketscanError {
  const ids = new Set(inserted.map(({ id }) => id));
  return taken(`Ticket ${tickets.find(({ id }) => !ids.delete(id))?.id}`);
}

/** Whether a stored answer was given when this use was taken: the log does not name the answer. */
export function isAnswerOfUse(
  decision: StoredAnswer['decision'],
  { ticketId, usesConsumed, at }: LogEntry,
): boolean {
  if (decision.status !== 'consumed') return false;
  const { ticket, scannedAt, uses = 1 } = decision;
  const earlier = ticket.usesConsumed - (usesConsumed ?? 0);
  return ticket.id === ticketId && earlier >= 0 && earlier < uses && scannedAt === at;
}

/** Returns a stored decision without the guest's data if its ticket is one of these; else the same object. */
export function answerWithoutGuest(
  decision: StoredAnswer['decision'],
  ticketIds: ReadonlySet<string>,
): StoredAnswer['decision'] {
  if (!('ticket' in decision) || !ticketIds.has(decision.ticket.id)) return decision;
  const ticket = withoutPersonalTexts(decision.ticket);
  return ticket === decision.ticket ? decision : { ...decision, ticket };
}

/** An account that scans, as it is stored among the keys. No key value has the same hash, because key values begin with another text. */
export function keyOfScanner(scanner: ScannerRecord): { key: ApiKeyRecord; hash: string } {
  const { id, organisationId, name, createdAt } = scanner;
  const fixed = { type: 'api', events: 'all', active: true } as const;
  const key = { id, organisationId, name, ...fixed, ...USUAL_DOOR, createdAt };
  return { key, hash: hashApiKey(id) };
}

/** SQL that is true for the id of an account that scans. */
export function isScanner(id: string): string {
  return `substr(${id}, 1, ${ACCOUNT_ID.length}) = '${ACCOUNT_ID}'`;
}

export function scannerOfKey({ id, organisationId, name, createdAt }: ApiKeyRecord): ScannerRecord {
  return { id, organisationId, name, createdAt };
}

/**
 * Refuses a change of a record that is not as the caller read it.
 * @param stored the record as it is now @param before the record as the caller read it
 * @throws TicketscanError `not_found` if it is gone, `conflict` if it was changed or made meanwhile
 */
export function checkBefore(
  kind: RecordKind,
  stored: unknown,
  before: { readonly id: string } | null,
): void {
  if (stored === undefined && before !== null) throw notFound(kind, before.id);
  if (!isDeepStrictEqual(stored ?? null, before)) throw changedMeanwhile(kind);
}

/**
 * Refuses an administrative record for which there is no room. Engines call it inside the transaction of the write.
 * @param stored every record of the same kind
 * @throws TicketscanError `limit_reached`
 */
export function checkBounds(
  stored: readonly AdministrativeRecord[],
  record: AdministrativeRecord,
  bounds: readonly AdministrativeBound[],
): void {
  for (const { member, countMax, refusal, reason } of bounds) {
    const text = memberOf(record, member);
    const others = stored.filter(
      (other) => other.id !== record.id && memberOf(other, member) === text,
    );
    if (others.length < countMax) continue;
    const values = { max: countMax };
    throw reason
      ? refuse(reason, values)
      : new TicketscanError('limit_reached', refusal ?? '', { values });
  }
}

function memberOf({ value }: AdministrativeRecord, member: string): unknown {
  return (Object(value) as Readonly<Record<string, unknown>>)[member];
}

/** The administrative records of an organisation: its accounts, settings, webhooks and counts of refusals. */
export function administrativeRecordsOf(
  administrative: Iterable<AdministrativeRecord>,
  organisationId: string,
): AdministrativeRecord[] {
  return [...administrative].filter(
    (one) => one.id === organisationId || memberOf(one, 'organisationId') === organisationId,
  );
}

/** @param accounts the accounts to delete with their organisation @throws TicketscanError `conflict` if it has others */
export function refuseOtherAccounts(
  administrative: readonly AdministrativeRecord[],
  accounts: readonly AdministrativeRevision[],
): void {
  const known = new Set(accounts.map(({ kind, id }) => `${kind} ${id}`));
  if (administrative.some(({ kind, id }) => kind === 'account' && !known.has(`${kind} ${id}`)))
    throw notEmpty('organisation', 'accounts');
}

/**
 * The organisation that must exist when a person's new record is written, so that a deletion at the same moment leaves nothing
 * behind; undefined for other administrative records, and for accounts of the operator.
 */
export function ownerOfNew({
  kind,
  id,
  revision,
  value,
}: AdministrativeRecord): string | undefined {
  if (revision !== 0) return undefined;
  if (kind === 'sheet-settings' || kind === 'device-names') return id;
  if (kind !== 'account' && kind !== 'webhook') return undefined;
  return (value as { readonly organisationId?: string | null }).organisationId ?? undefined;
}
