import { readTimestamp } from '../../facts/timestamp.ts';
import { isNearOtherSide, type TargetTicket, type TicketKind } from '../../target/target.ts';

/** Clocks differ, and a request takes its time. */
const MARGIN_MS = 60_000;

/** True while a ticket's window may just be opening or closing, and once that changed its kind: then either answer is right. */
export function isNearWindowEnd(
  ticket: TargetTicket,
  kind?: TicketKind,
  now = Date.now(),
): boolean {
  if (kind !== undefined && isNearOtherSide(kind, ticket, now, MARGIN_MS)) return true;
  return [ticket.validFrom, ticket.validUntil].some((end) => {
    const moment = readTimestamp(end);
    return moment?.hasZone === true && Math.abs(moment.epochMs - now) < MARGIN_MS;
  });
}
