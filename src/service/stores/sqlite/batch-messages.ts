import type { Decision, Operation } from '../../../core/decision.ts';
import type { Direction } from '../../../core/direction.ts';
import type {
  BatchRequest,
  KeyRequest,
  RetryToken,
  ScanOutcome,
  ScanRequest,
  ToldDecision,
} from '../../../core/scan-batch.ts';
import type { ScanBatchResult } from '../store.ts';
import { columnsFromTicket, type TicketColumns, ticketFromColumns } from './ticket-rows.ts';

// A batch on its way to the database's thread, and its result on the way back. Scans of tickets and their decisions are lists
// without names: both threads spend half as much on these as on objects. What is rare stays as it is.

/** What the requests of one key say alike. */
type Asker = Pick<KeyRequest, 'keyId' | 'rate' | 'rotation' | 'device'>;

/** A scan of a ticket; on REST without the members of devices and retries. `asker` is a place in the list of askers. */
type PackedScan = readonly [
  asker: number,
  now: number,
  operation: Operation,
  ticketId: string,
  eventId: string,
  serial?: string | null,
  reader?: string | null,
  retry?: RetryToken | null,
];

export interface PackedBatch {
  readonly askers: readonly Asker[];
  readonly requests: readonly (PackedScan | BatchRequest)[];
}

export function packBatch(requests: readonly BatchRequest[]): PackedBatch {
  const askers: Asker[] = [];
  const places = new Map<string, number>();
  const placeOf = ({ keyId, rate, rotation, device }: Asker): number => {
    const place = places.get(keyId);
    const known = place === undefined ? undefined : askers[place];
    const isSame = known?.rate === rate && known?.rotation === rotation && known?.device === device;
    if (place !== undefined && isSame) return place;
    places.set(keyId, askers.length);
    return askers.push({ keyId, rate, rotation, device } as Asker) - 1;
  };
  return { askers, requests: requests.map((request) => packRequest(request, placeOf)) };
}

function packRequest(
  request: BatchRequest,
  placeOf: (asker: Asker) => number,
): PackedScan | BatchRequest {
  if (request.kind !== 'scan' || request.events !== undefined) return request;
  const { now, operation, subject, serial, reader, retry } = request;
  if (subject.kind !== 'ticket') return request;
  const { ticketId, eventId } = subject;
  const asker = placeOf(request);
  return serial === null && reader === null && retry === null
    ? [asker, now, operation, ticketId, eventId]
    : [asker, now, operation, ticketId, eventId, serial, reader, retry];
}

export function unpackBatch({ askers, requests }: PackedBatch): BatchRequest[] {
  return requests.map((packed) =>
    'kind' in packed ? packed : unpackScan(askers[packed[0]] as Asker, packed),
  );
}

function unpackScan(
  asker: Asker,
  [, now, operation, ticketId, eventId, serial = null, reader = null, retry = null]: PackedScan,
): ScanRequest {
  const { keyId, rate, rotation, device } = asker;
  const subject = { kind: 'ticket', ticketId, eventId } as const;
  const asked = {
    ...{ keyId, now, rate },
    ...(rotation !== undefined && { rotation }),
    ...(device !== undefined && { device }),
  };
  return { kind: 'scan', ...asked, operation, subject, serial, reader, retry };
}

/** `detail` is the reason of a rejection, or the time of a use. The ticket is the one that the request names. */
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

/** @param requests whose result it is */
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
  if (decision.language !== undefined || 'fault' in decision) return outcome;
  const ticket = 'ticket' in decision ? decision.ticket : null;
  // A repeated answer may be about a ticket whose code is not genuine any more.
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

/** @param requests whose result it is */
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

/** What `packOutcome` made is a decision again; the types of its parts belong to its status. */
function unpackDecision(
  [status, detail, columns, direction]: PackedDecision,
  request: BatchRequest | undefined,
): ToldDecision {
  const asked = ticketIn(request);
  const ticket = columns && asked && ticketFromColumns(asked.ticketId, asked.eventId, columns);
  const told = direction && { direction };
  if (status === 'consumed') return { status, ticket, scannedAt: detail, ...told } as ToldDecision;
  const rejected = status === 'rejected' && { reason: detail };
  return { status, ...rejected, ...(ticket && { ticket }), ...told } as ToldDecision;
}
