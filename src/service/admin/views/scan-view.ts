import { ticketView } from '../../../core/codecs/ticket.ts';
import { type Decision, isGranted } from '../../../core/decision.ts';
import type { Language } from '../../../core/scan-batch.ts';
import type { Ticket } from '../../../core/ticket.ts';
import type { AccountScope } from '../../../operations/route.ts';
import { messageFor } from '../../http/scan-result.ts';
import { findLastUse, wasUsed } from '../../manage/last-use.ts';
import type { ScanDone } from '../wire/scans.ts';

/** The messages of the scan endpoints mention an API key. */
const NOT_ALLOWED = {
  en: 'Your account may not scan tickets of this event',
  de: 'Dein Konto darf Tickets dieser Veranstaltung nicht scannen',
} as const;

/** The answer to a scan by somebody who is signed in. */
export async function scanView(
  decision: Decision,
  language: Language,
  scope: AccountScope,
): Promise<ScanDone> {
  const ticket = 'ticket' in decision ? decision.ticket : null;
  // Only the reader of a device leads outwards.
  const reason =
    decision.status === 'rejected' && decision.reason !== 'not_used' ? decision.reason : null;
  const lastUse = ticket && decision.status !== 'consumed' ? await lastUseOf(ticket, scope) : null;
  const { timeZone } = scope.organisation;
  const lastUsed = { timeZone, gate: lastUse?.gate ?? undefined };
  const message =
    reason === 'event_not_allowed'
      ? NOT_ALLOWED[language]
      : messageFor(decision, language, lastUsed);
  return {
    valid: isGranted(decision),
    status: decision.status,
    reason,
    message,
    ticket: ticket && (await shownTicket(ticket, scope)),
    scannedAt: decision.status === 'consumed' ? decision.scannedAt : null,
    lastUse,
  };
}

async function shownTicket(ticket: Ticket, scope: AccountScope): Promise<ScanDone['ticket']> {
  const event = (await scope.events()).find(({ id }) => id === ticket.eventId);
  return { ...ticketView(ticket, scope.clock.now()), eventName: event?.name ?? ticket.eventId };
}

/** When and where the ticket was last used: a guest who is refused asks for it. */
export async function lastUseOf(ticket: Ticket, scope: AccountScope): Promise<ScanDone['lastUse']> {
  if (!wasUsed(ticket)) return null;
  const entry = await findLastUse(scope.store, ticket);
  const gate = entry ? (entry.serial ?? (await scope.gateName(entry.keyId))) : null;
  return { at: ticket.lastConsumedAt, gate };
}
