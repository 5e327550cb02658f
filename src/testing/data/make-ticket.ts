import { randomBytes } from 'node:crypto';
import { windowFrom } from '../../core/ticket.ts';
import { newTicket } from '../../core/ticket-changes.ts';
import { type Keyring, makeTicketCode } from '../../core/ticket-code.ts';
import { COMMAND_LINE } from '../../features/actor.ts';
import { findNamed } from '../../features/record-checks.ts';
import { TicketAdministration } from '../../features/tickets/administration.ts';
import type { Store } from '../../stores/store.ts';
import { timeMs } from '../clock/duration.ts';
import type { MadeTicket, TicketRequest } from '../controls.ts';

/**
 * Makes a ticket and puts it into the store.
 * @param mainEvent taken where the request names none; undefined for the store's first
 * @throws TicketscanError `usage`, `not_found` for an event that there is not
 */
export async function makeTicket(
  store: Store,
  keyring: Keyring,
  request: TicketRequest,
  mainEvent: string | undefined,
  now: number,
): Promise<MadeTicket> {
  const { type = 'single', event, ...others } = request;
  const events = await store.list('event');
  const found = findNamed('event', event ?? mainEvent ?? events[0]?.id ?? '', events);
  const options = {
    ...others,
    eventId: found.id,
    kind: type,
    ...windowFrom(request, timeMs),
  };
  const clock = { now: () => now };
  const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  const ticket = newTicket(options, now, randomBytes);
  const code = makeTicketCode(ticket.id, keyring, 'TS1');
  await administration.add(found, [ticket], { kind: type });
  return { ticketId: ticket.id, code };
}
