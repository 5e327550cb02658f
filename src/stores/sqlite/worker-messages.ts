import type { Decision, Operation } from '../../core/decision.ts';
import type { Direction } from '../../core/direction.ts';
import type { Failure } from '../../core/errors.ts';
import type {
  BatchRequest,
  EncodedDecision,
  KeyRequest,
  RetryToken,
  ScanOutcome,
  ScanRequest,
} from '../../core/scan-requests.ts';
import type { StoreMethod } from '../forwarding-store.ts';
import type { ScanBatchResult } from '../store.ts';
import type { FormatOptions } from '../store-format.ts';
import { columnsFromTicket, type TicketColumns, ticketFromColumns } from '../ticket-row.ts';

/** The data with which the thread is started. */
export interface OpenedBy {
  readonly path: string;
  readonly options: FormatOptions;
}

/**
 * A call from a store to the thread that owns its database. It is sent as JSON text, which costs a third of a structured
 * clone of the same small objects.
 */
export interface Call {
  readonly id: number;
  readonly method: StoreMethod;
  readonly args: readonly unknown[];
}

export interface Reply {
  /** The call's id; 0 reports that the database is open, or why it is not. */
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}

// A batch is packed for the database's thread, and its result for the way back. Scans of tickets and their decisions become arrays
// without names, which cost both threads half as much as objects. Rare kinds of requests stay as they are.

/** The members that all requests of one key share. */
type Caller = Pick<KeyRequest, 'keyId' | 'rate' | 'rotation' | 'device'>;

/** A scan of a ticket; a scan of REST lacks the members of devices and retries. `caller` is an index in the list of callers. */
type PackedScan = readonly [
  caller: number,
  now: number,
  operation: Operation,
  ticketId: string,
  eventId: string,
  serial?: string | null,
  reader?: string | null,
  retry?: RetryToken | null,
];

export interface PackedBatch {
  readonly callers: readonly Caller[];
  readonly requests: readonly (PackedScan | BatchRequest)[];
}

export function packBatch(requests: readonly BatchRequest[]): PackedBatch {
  const callers: Caller[] = [];
  const indices = new Map<string, number>();
  const indexOf = ({ keyId, rate, rotation, device }: Caller): number => {
    const index = indices.get(keyId);
    const known = index === undefined ? undefined : callers[index];
    const isSame = known?.rate === rate && known?.rotation === rotation && known?.device === device;
    if (index !== undefined && isSame) return index;
    indices.set(keyId, callers.length);
    return callers.push({ keyId, rate, rotation, device } as Caller) - 1;
  };
  return { callers, requests: requests.map((request) => packRequest(request, indexOf)) };
}

function packRequest(
  request: BatchRequest,
  indexOf: (caller: Caller) => number,
): PackedScan | BatchRequest {
  if (request.kind !== 'scan' || request.events !== undefined) return request;
  if (request.byHand !== undefined || request.uses !== undefined) return request;
  const { now, operation, subject, serial, reader, retry } = request;
  if (subject.kind !== 'ticket' || subject.typed) return request;
  const { ticketId, eventId } = subject;
  const caller = indexOf(request);
  return serial === null && reader === null && retry === null
    ? [caller, now, operation, ticketId, eventId]
    : [caller, now, operation, ticketId, eventId, serial, reader, retry];
}

export function unpackBatch({ callers, requests }: PackedBatch): BatchRequest[] {
  return requests.map((packed) =>
    'kind' in packed ? packed : unpackScan(callers[packed[0]] as Caller, packed),
  );
}

function unpackScan(
  caller: Caller,
  [, now, operation, ticketId, eventId, serial = null, reader = null, retry = null]: PackedScan,
): ScanRequest {
  const { keyId, rate, rotation, device } = caller;
  const subject = { kind: 'ticket', ticketId, eventId } as const;
  const asked = {
    keyId,
    now,
    rate,
    ...(rotation !== undefined && { rotation }),
    ...(device !== undefined && { device }),
  };
  return { kind: 'scan', ...asked, operation, subject, serial, reader, retry };
}

/** An outcome as threads exchange it. `detail` is the reason of a rejection or the time of a use; the ticket is that of the request. */
type PackedDecision = readonly [
  status: Decision['status'],
  detail: string | number | null,
  ticket: TicketColumns | null,
  direction?: Direction | undefined,
];

export interface PackedResult {
  readonly revision: number;
  readonly outcomes: readonly (PackedDecision | ScanOutcome)[];
}

/** @param requests the requests of the result */
export function packResult(
  { outcomes, revision }: ScanBatchResult,
  requests: readonly BatchRequest[],
): PackedResult {
  return {
    revision,
    outcomes: outcomes.map((outcome, index) => packOutcome(outcome, requests[index])),
  };
}

function packOutcome(
  outcome: ScanOutcome,
  request: BatchRequest | undefined,
): PackedDecision | ScanOutcome {
  if (outcome.kind !== 'decided') return outcome;
  const { decision } = outcome;
  const { language, uses } = decision;
  if (language !== undefined || uses !== undefined || 'fault' in decision) return outcome;
  const ticket = 'ticket' in decision ? decision.ticket : null;
  // A repeated answer may be about a ticket whose code is no longer genuine.
  if (ticket && ticket.id !== ticketIn(request)?.ticketId) return outcome;
  const columns = ticket && columnsFromTicket(ticket);
  return [decision.status, detailOf(decision), columns, decision.direction];
}

function ticketIn(request: BatchRequest | undefined) {
  return request?.kind === 'scan' && request.subject.kind === 'ticket'
    ? request.subject
    : undefined;
}

function detailOf(decision: Decision): string | number | null {
  if (decision.status === 'consumed') return decision.scannedAt;
  return decision.status === 'rejected' ? decision.reason : null;
}

/** @param requests the requests of the result */
export function unpackResult(
  { outcomes, revision }: PackedResult,
  requests: readonly BatchRequest[],
): ScanBatchResult {
  return {
    revision,
    outcomes: outcomes.map((packed, index) =>
      'kind' in packed
        ? packed
        : { kind: 'decided', decision: unpackDecision(packed, requests[index]) },
    ),
  };
}

/** Turns what `packOutcome` made into a decision again. The types of its parts belong to its status. */
function unpackDecision(
  [status, detail, columns, direction]: PackedDecision,
  request: BatchRequest | undefined,
): EncodedDecision {
  const asked = ticketIn(request);
  const ticket = columns && asked && ticketFromColumns(asked.ticketId, asked.eventId, columns);
  const outcome = direction && { direction };
  if (status === 'consumed')
    return { status, ticket, scannedAt: detail, ...outcome } as EncodedDecision;
  const rejected = status === 'rejected' && { reason: detail };
  return { status, ...rejected, ...(ticket && { ticket }), ...outcome } as EncodedDecision;
}
