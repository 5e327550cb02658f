import { isoTime } from '../core/clock.ts';
import { type CountedBy, QUARTER_MS } from '../core/scan-count.ts';
import { counted } from '../kit/text.ts';

export function usedTooOften(ticketId: string, uses: number, allowed: number): string {
  return `Ticket ${ticketId} was used ${uses} times, but allows ${allowed}.`;
}

/** @param unlogged how many uses the log does not hold, because they were imported or pruned */
export function countsOtherUses(
  ticketId: string,
  counter: number,
  logged: number,
  unlogged: number,
): string {
  const others = unlogged > 0 ? ` and ${unlogged} more were imported or pruned` : '';
  return `Ticket ${ticketId} counts ${counted(counter, 'use')}, but the log holds ${logged}${others}.`;
}

/** @param id one of them, as an example */
export function homelessTickets(eventId: string, tickets: number, id: string): string {
  return `${counted(tickets, 'ticket')} of event ${eventId}, which does not exist, such as ${id}. No scan admits them.`;
}

/** @param found more about the numbers, if the engine knows it */
export function numberedOtherwise(
  ticketId: string,
  first: number,
  last: number,
  found = '',
): string {
  return `Ticket ${ticketId}: the uses in the log are not numbered ${first} to ${last}${found}.`;
}

/** A sum of counters that differs from the number of log entries. */
export interface CountMismatch
  extends Pick<CountedBy, 'quarter' | 'keyId' | 'eventId' | 'outcome' | 'direction'> {
  readonly counted: number;
  readonly logged: number;
}

export function countsOtherScans(sum: CountMismatch): string {
  const ofEvent = sum.eventId === '' ? '' : ` of event ${sum.eventId}`;
  const scans = counted(sum.counted, 'scan');
  const outcome = sum.direction === '' ? sum.outcome : `${sum.outcome} ${sum.direction}`;
  return `The statistics count ${scans} "${outcome}"${ofEvent} with key ${sum.keyId} in the 15 minutes from ${isoTime(sum.quarter * QUARTER_MS)}, but the log holds ${sum.logged}.`;
}
