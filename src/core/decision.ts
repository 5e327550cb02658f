import type { Action, Direction, ExitRule, ReaderDirections } from './direction.ts';
import { directionOf } from './direction.ts';
import type {
  REASONS_OF_A_CODE,
  REASONS_OF_A_TICKET,
  REASONS_OF_AN_EXIT,
} from './outcome-names.ts';
import { hasEnded, type Ticket } from './ticket.ts';

export type Operation = 'validate' | 'consume';

/** What makes the body of a scan unusable. */
export type BodyIssue =
  | 'not_json_type'
  | 'too_long'
  | 'broken_http'
  | 'not_utf8'
  | 'byte_order_mark'
  | 'not_json'
  | 'not_object'
  | 'too_deep'
  | 'code_twice'
  | 'no_code'
  | 'code_not_text'
  | 'code_empty';

/** The answer to a scan (section 2.3). `ticket` is its state after the scan. */
export type Decision =
  | { readonly status: 'validated'; readonly ticket: Ticket }
  | { readonly status: 'consumed'; readonly ticket: Ticket; readonly scannedAt: number }
  | { readonly status: 'exhausted'; readonly ticket: Ticket }
  | {
      readonly status: 'rejected';
      readonly reason: (typeof REASONS_OF_A_TICKET | typeof REASONS_OF_AN_EXIT)[number];
      readonly ticket: Ticket;
    }
  | {
      readonly status: 'rejected';
      readonly reason: (typeof REASONS_OF_A_CODE)[number];
      /** What is wrong with the body: the message of `missing_ticket_code` says it to own software. */
      /** Stored answers have this name. */
      readonly fault?: BodyIssue;
    }
  | { readonly status: 'not_found' };

/** The states, in the order of the rules: the first that is true of a ticket is its state. The order is ADR 0003. */
export const TICKET_STATES = [
  'cancelled',
  'not_yet_valid',
  'expired',
  'exhausted',
  'valid',
] as const;
/** What a scan would answer. */
export type TicketState = (typeof TICKET_STATES)[number];

/**
 * The state of a ticket: what a scan would answer at that time. A scan asks this function too (`decide`), so that nobody is
 * shown another state than the gate finds. A window includes both its ends.
 *
 * @param now one time for the whole request, milliseconds since 1970 UTC
 */
export function stateOf(ticket: Ticket, now: number): TicketState {
  if (ticket.cancelledAt !== null) return 'cancelled';
  if (ticket.validFrom !== null && now < ticket.validFrom) return 'not_yet_valid';
  if (hasEnded(ticket, now)) return 'expired';
  return ticket.usesConsumed >= ticket.usesAllowed ? 'exhausted' : 'valid';
}

/**
 * Decides about a ticket whose code is genuine and in the key's scope: its state decides, and `stateOf` has the rules in
 * their order.
 *
 * This is the only place of the rule. Every store calls it on the locked, current state of the ticket, so
 * that two gates can never both take the last use. Sections 2.3 and 3.2; the order is ADR 0003.
 *
 * @param ticket its current state, undefined when it does not exist
 * @param now one time for the whole request, milliseconds since 1970 UTC
 */
export function decide(ticket: Ticket | undefined, operation: Operation, now: number): Decision {
  if (ticket === undefined) return { status: 'not_found' };
  const state = stateOf(ticket, now);
  if (state === 'cancelled') return { status: 'rejected', reason: 'ticket_cancelled', ticket };
  if (state === 'exhausted') return { status: 'exhausted', ticket };
  if (state !== 'valid') return { status: 'rejected', reason: state, ticket };
  if (operation === 'validate') return { status: 'validated', ticket };
  const used = withOneUse(ticket, now);
  return { status: 'consumed', ticket: used, scannedAt: used.lastConsumedAt };
}

/**
 * Decides at an exit that opens for everybody who came in: with a ticket that was used, also one that is exhausted, expired
 * or cancelled since, because nobody is locked in. Spends nothing.
 */
function decideExit(ticket: Ticket | undefined): Decision {
  if (ticket === undefined) return { status: 'not_found' };
  if (ticket.usesConsumed === 0) return { status: 'rejected', reason: 'not_used', ticket };
  return { status: 'validated', ticket };
}

/** Takes one use. A ticket's time never runs backwards, even when the wall clock does. */
function withOneUse(ticket: Ticket, now: number): Ticket & { lastConsumedAt: number } {
  const lastConsumedAt = Math.max(now, ticket.lastConsumedAt ?? now);
  return { ...ticket, usesConsumed: ticket.usesConsumed + 1, lastConsumedAt };
}

/** True when the gate may open: `valid` of section 2.3, `AcsRes` "1" of section 2.4. */
export function isGranted(
  decision: Decision,
): decision is Extract<Decision, { status: 'validated' | 'consumed' }> {
  return decision.status === 'validated' || decision.status === 'consumed';
}

/** A scan as far as its direction goes. */
interface ReadScan {
  readonly operation: Operation;
  readonly reader: string | null;
  readonly now: number;
}

/** The decision about a ticket at a reader, with the direction that is configured for it. */
export function decideAtReader(
  ticket: Ticket | undefined,
  scan: ReadScan,
  key: ReaderDirections,
): Decision & { readonly direction?: Direction } {
  const rule = exitRule(scan, key);
  const decision =
    rule === 'open' ? decideExit(ticket) : decide(ticket, rule ?? scan.operation, scan.now);
  const direction = directionOf(key, scan.reader);
  return direction ? { ...decision, direction } : decision;
}

/** What a granted scan did. */
export function actionTaken(scan: ReadScan, key: ReaderDirections, { status }: Decision): Action {
  if (status === 'consumed') return 'consumed';
  return exitRule(scan, key) === 'open' ? 'opened' : 'validated';
}

/** True at an exit that opens for everybody who came in: the rules about the ticket's state are not asked there. */
export function isOpenExit(
  scan: Pick<ReadScan, 'operation' | 'reader'>,
  key: ReaderDirections,
): boolean {
  return exitRule(scan, key) === 'open';
}

/** What applies to this scan if it is one outwards at the consume endpoint; undefined where it does what it does elsewhere. */
function exitRule(
  { operation, reader }: Pick<ReadScan, 'operation' | 'reader'>,
  key: ReaderDirections,
): ExitRule | undefined {
  if (operation !== 'consume' || directionOf(key, reader) !== 'out') return undefined;
  return key.onExit;
}
