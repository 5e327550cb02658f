import type { Decision } from '../../core/decision.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { LogEntry } from '../../core/records.ts';
import type { NewLogEntry, ScanRequest } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import type { RecordLists, RecordStore } from '../stores/record-store.ts';
import { explain, type InsteadOfFacts, type InsteadOfSteps } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { askerOf } from './gather-facts.ts';
import type { ScanFacts } from './scan-facts.ts';

type EntryStore = RecordLists & Pick<RecordStore, 'findTicket'>;

/**
 * Why a scan that is in the log was answered as it was. The answer and the count of uses are those of then; key, event
 * and window are shown as they are now, because the log does not repeat them.
 * @param timeZone of the times in its sentences, as `explain` takes it
 * @returns undefined for a use that was taken back, which is no scan
 */
export async function explainLogEntry(
  store: EntryStore,
  entry: LogEntry,
  timeZone?: string,
): Promise<Explanation | undefined> {
  if (!isScan(entry)) return undefined;
  const now = entry.ticketId === null ? undefined : await store.findTicket(entry.ticketId);
  const ticket = now && asItWas(now, entry);
  const eventId = entry.ticketId === null ? undefined : eventOfTicketId(entry.ticketId);
  const event = (await store.list('event')).find(({ id }) => id === eventId);
  const facts: ScanFacts = {
    key: await askerOf(store, entry.keyId),
    limits: DEFAULT_LIMITS,
    requestsInMonth: 0,
    signature: { kind: 'forged', why: `It began with ${entry.excerpt}` },
    event,
    ticket,
  };
  const outcome = { kind: 'decided', decision: decisionOf(entry, ticket) } as const;
  return explain(requestOf(entry), facts, outcome, {
    isReplay: entry.replayed,
    atOpenExit: entry.done === 'opened' || entry.reason === 'not_used',
    instead: INSTEAD,
    timeZone,
  });
}

type ScanEntry = LogEntry & NewLogEntry;

function isScan(entry: LogEntry): entry is ScanEntry {
  return entry.operation !== 'undo';
}

const passed = (because: string): InsteadOfFacts => ({ result: 'passed', because });
const INSTEAD: InsteadOfSteps = {
  rate: passed('Within the rate: requests over it are not logged.'),
  quota: passed('Within the quota: requests over it are not logged.'),
  retry: passed('Not a repeated request.'),
  signature: passed('The code was genuine; the log does not say which key signed it.'),
};

/** Uses and cancellation as the scan met them. */
function asItWas(ticket: Ticket, { usesConsumed, status, reason, replayed }: ScanEntry): Ticket {
  const taken = status === 'consumed' && !replayed ? 1 : 0;
  return {
    ...ticket,
    usesConsumed: (usesConsumed ?? ticket.usesConsumed) - taken,
    lastConsumedAt: null,
    cancelledAt: reason === 'ticket_cancelled' ? ticket.cancelledAt : null,
  };
}

function decisionOf({ at, status, reason }: ScanEntry, ticket: Ticket | undefined): Decision {
  // The store no longer has this ticket: only its logged decision is known.
  const { [status]: make } = {
    validated: () => ({ status: 'validated', ticket }),
    consumed: () => ({ status: 'consumed', ticket, scannedAt: at }),
    exhausted: () => ({ status: 'exhausted', ticket }),
    rejected: () => ({ status: 'rejected', reason, ticket }),
    not_found: () => ({ status: 'not_found' }),
  };
  return make() as Decision;
}

function requestOf({ keyId, operation, at, serial, reader }: ScanEntry): ScanRequest {
  return {
    kind: 'scan',
    keyId,
    operation,
    subject: { kind: 'unreadable' },
    now: at,
    serial,
    reader,
    retry: null,
  };
}
