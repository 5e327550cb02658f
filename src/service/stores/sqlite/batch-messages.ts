import type { Decision } from '../../../core/decision.ts';
import type { Direction } from '../../../core/direction.ts';
import type { ScanOutcome, ToldDecision } from '../../../core/scan-batch.ts';
import type { ScanBatchResult } from '../store.ts';
import { columnsFromTicket, type TicketColumns, ticketFromColumns } from './ticket-rows.ts';

/** `detail` is the reason of a rejection, or the time of a use. */
type PackedDecision = readonly [
  status: Decision['status'],
  detail: string | number | null,
  ticket: TicketColumns | null,
  direction?: Direction | undefined,
];

/**
 * The result of a batch on its way from the database's thread. Decisions are lists without names: both threads spend half
 * as much on these as on objects. Outcomes that are rare stay as they are.
 */
export interface PackedResult {
  readonly revision: number;
  readonly outcomes: readonly (PackedDecision | ScanOutcome)[];
}

export function packResult({ outcomes, revision }: ScanBatchResult): PackedResult {
  return { revision, outcomes: outcomes.map(packOutcome) };
}

function packOutcome(outcome: ScanOutcome): PackedDecision | ScanOutcome {
  if (outcome.kind !== 'decided') return outcome;
  const { decision } = outcome;
  if (decision.language !== undefined || 'fault' in decision) return outcome;
  const ticket = 'ticket' in decision ? columnsFromTicket(decision.ticket) : null;
  return [decision.status, detailOf(decision), ticket, decision.direction];
}

function detailOf(decision: Decision): string | number | null {
  if (decision.status === 'consumed') return decision.scannedAt;
  return decision.status === 'rejected' ? decision.reason : null;
}

export function unpackResult({ outcomes, revision }: PackedResult): ScanBatchResult {
  return {
    revision,
    outcomes: outcomes.map((packed) =>
      'kind' in packed ? packed : { kind: 'decided', decision: unpackDecision(packed) },
    ),
  };
}

/** What `packOutcome` made is a decision again; the types of its parts belong to its status. */
function unpackDecision([status, detail, columns, direction]: PackedDecision): ToldDecision {
  const ticket = columns && ticketFromColumns(columns);
  const told = direction && { direction };
  if (status === 'consumed') return { status, ticket, scannedAt: detail, ...told } as ToldDecision;
  const rejected = status === 'rejected' && { reason: detail };
  return { status, ...rejected, ...(ticket && { ticket }), ...told } as ToldDecision;
}
