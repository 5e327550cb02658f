import { readTimestamp } from '../../facts/timestamp.ts';
import type { TargetTicket } from '../../target/target.ts';

/** Clocks differ, and a request takes its time. */
const MARGIN_MS = 60_000;

/** True while a ticket's window may just be opening or closing: then either answer is right. */
export function isNearWindowEnd(
  { validFrom, validUntil }: TargetTicket,
  now = Date.now(),
): boolean {
  return [validFrom, validUntil].some((end) => {
    const moment = readTimestamp(end);
    return moment?.hasZone === true && Math.abs(moment.epochMs - now) < MARGIN_MS;
  });
}
