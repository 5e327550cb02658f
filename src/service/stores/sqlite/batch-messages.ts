import type { Decision } from '../../../core/decision.ts';
import type {
  ScanOutcome,
  ScanRequest,
  ScanSubject,
  ToldDecision,
} from '../../../core/scan-batch.ts';
import type { Ticket } from '../../../core/ticket.ts';
import type { ScanBatchResult } from '../store.ts';

/**
 * A batch on its way to the database's thread and back, as lists without names: both threads spend less on these than on
 * objects, and every scan passes here twice.
 */
export type PackedRequest = readonly [
  keyId: string,
  action: ScanRequest['action'],
  now: number,
  serial: string | null,
  reader: string | null,
  retry: ScanRequest['retry'],
  rate: ScanRequest['rate'] | null,
  /** The ids of the ticket and its event when the code is genuine, or what else the request is about. */
  subject: readonly [ticketId: string, eventId: string] | ScanSubject,
];

type PackedTicket = readonly [
  id: string,
  eventId: string,
  ticketType: Ticket['ticketType'],
  usesAllowed: number,
  holder: Ticket['holder'],
  validFrom: number | null,
  validUntil: number | null,
  createdAt: number,
  usesConsumed: number,
  lastConsumedAt: number | null,
  cancelledAt: number | null,
];

/** `detail` is the reason of a rejection, or the time of a use. */
type PackedDecision = readonly [
  status: Decision['status'],
  detail: string | number | null,
  ticket: PackedTicket | null,
];

export interface PackedResult {
  readonly revision: number;
  /** Outcomes that are rare stay as they are. */
  readonly outcomes: readonly (PackedDecision | ScanOutcome)[];
}

export function packRequests(requests: readonly ScanRequest[]): PackedRequest[] {
  return requests.map(({ keyId, action, now, serial, reader, retry, rate, subject }) => [
    keyId,
    action,
    now,
    serial,
    reader,
    retry,
    rate ?? null,
    subject.kind === 'ticket' ? [subject.ticketId, subject.eventId] : subject,
  ]);
}

export function unpackRequests(packed: readonly PackedRequest[]): ScanRequest[] {
  return packed.map(([keyId, action, now, serial, reader, retry, rate, subject]) => ({
    keyId,
    action,
    subject:
      'kind' in subject ? subject : { kind: 'ticket', ticketId: subject[0], eventId: subject[1] },
    now,
    serial,
    reader,
    retry,
    rate: rate ?? undefined,
  }));
}

export function packResult({ outcomes, revision }: ScanBatchResult): PackedResult {
  return {
    revision,
    outcomes: outcomes.map((outcome) =>
      outcome.kind === 'decided' && isUsual(outcome.decision)
        ? packDecision(outcome.decision)
        : outcome,
    ),
  };
}

function isUsual(decision: ToldDecision): boolean {
  return decision.language === undefined && !('fault' in decision);
}

function packDecision(decision: Decision): PackedDecision {
  const ticket = 'ticket' in decision ? packTicket(decision.ticket) : null;
  if (decision.status === 'consumed') return [decision.status, decision.scannedAt, ticket];
  return [decision.status, decision.status === 'rejected' ? decision.reason : null, ticket];
}

function packTicket(ticket: Ticket): PackedTicket {
  return [
    ticket.id,
    ticket.eventId,
    ticket.ticketType,
    ticket.usesAllowed,
    ticket.holder,
    ticket.validFrom,
    ticket.validUntil,
    ticket.createdAt,
    ticket.usesConsumed,
    ticket.lastConsumedAt,
    ticket.cancelledAt,
  ];
}

export function unpackResult({ outcomes, revision }: PackedResult): ScanBatchResult {
  return {
    revision,
    outcomes: outcomes.map((packed) =>
      'kind' in packed ? packed : { kind: 'decided', decision: unpackDecision(packed) },
    ),
  };
}

/** What `packDecision` made is a decision again; the types of its parts belong to its status. */
function unpackDecision([status, detail, packed]: PackedDecision): Decision {
  const ticket = packed && unpackTicket(packed);
  if (status === 'consumed') return { status, ticket, scannedAt: detail } as Decision;
  const rejected = status === 'rejected' && { reason: detail };
  return { status, ...rejected, ...(ticket && { ticket }) } as Decision;
}

function unpackTicket(packed: PackedTicket): Ticket {
  const [id, eventId, ticketType, usesAllowed, holder, validFrom, validUntil, createdAt] = packed;
  const [, , , , , , , , usesConsumed, lastConsumedAt, cancelledAt] = packed;
  return {
    id,
    eventId,
    ticketType,
    usesAllowed,
    holder,
    validFrom,
    validUntil,
    createdAt,
    usesConsumed,
    lastConsumedAt,
    cancelledAt,
  };
}
