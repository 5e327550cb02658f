import type { Alteration } from '../reference/server.ts';
import type { Ticket } from '../reference/world.ts';
import {
  device,
  type FaultyServer,
  faults,
  remembering,
  rest,
  showing,
  VALIDATE,
} from './faulty-server.ts';

/** So far behind is a copy of the tickets. */
const BEHIND_MS = 300;
/** So long is kept what a ticket was. */
const KEPT_MS = 1000;

/** Validates a ticket as it was, by what a memory of each server makes of it. */
const validatingAs = (make: (now: () => number) => (ticket: Ticket) => Ticket): Alteration =>
  remembering(() => (parts, world) => {
    const asItWas = make(() => world.clock.now());
    const shown = (ticket: Ticket, action: string) =>
      action === 'validate' ? asItWas(ticket) : ticket;
    return {
      refuse: (ticket, action, ...asked) => parts.refuse(shown(ticket, action), action, ...asked),
      restBody: ({ ticket, ...outcome }, action) =>
        parts.restBody({ ...outcome, ...(ticket && { ticket: shown(ticket, action) }) }, action),
      deviceBody: ({ ticket, ...outcome }, action) =>
        parts.deviceBody({ ...outcome, ...(ticket && { ticket: shown(ticket, action) }) }, action),
      register: (ticket, ...asked) => {
        asItWas(ticket);
        return parts.register(ticket, ...asked);
      },
    };
  });

/** Reads a copy to which each use comes later. */
const readingCopy = validatingAs((now) => {
  const uses = new Map<string, (readonly [atMs: number, used: number])[]>();
  return (ticket) => {
    const seen = uses.get(ticket.id) ?? [];
    uses.set(ticket.id, seen);
    if (seen.at(-1)?.[1] !== ticket.usesConsumed) seen.push([now(), ticket.usesConsumed]);
    const [, usesConsumed = ticket.usesConsumed] =
      seen.findLast(([atMs]) => atMs <= now() - BEHIND_MS) ?? seen[0] ?? [];
    return { ...ticket, usesConsumed };
  };
});

/** Keeps what it read of a ticket for a while. */
const readingCache = validatingAs((now) => {
  const kept = new Map<string, { readonly atMs: number; readonly ticket: Ticket }>();
  return (ticket) => {
    const known = kept.get(ticket.id);
    if (known && now() - known.atMs < KEPT_MS) return known.ticket;
    kept.set(ticket.id, { atMs: now(), ticket: { ...ticket } });
    return ticket;
  };
});

/** Servers that err at some moments, or for some guests only. */
export const MOMENT_FAULTS: readonly FaultyServer[] = [
  ...faults('3.2', {
    'validates from a copy that is 300 ms behind': {
      ...showing(VALIDATE, readingCopy),
      isByTheClock: true,
      says: /still shows the uses from before/,
    },
    'validates from a cache that keeps a ticket for a second': {
      ...showing(VALIDATE, readingCache),
      isByTheClock: true,
      says: /still shows the uses from before/,
    },
  }),
  ...faults('2.4', {
    'cuts the Name of one guest inside a character': showing(
      ['hw/validate'],
      device(
        (body, { ticket }) => 'Name' in body && ticket?.holder?.firstName === 'Ян',
        (body) => ({ ...body, Name: `${Buffer.from(`${body['Name']}`).subarray(0, 14)}` }),
      ),
    ),
  }),
  ...faults('2.3', {
    'ends its message with half a surrogate pair': rest('granted', (body) => ({
      ...body,
      message: `${body['message']} 🎫`.slice(0, -1),
    })),
  }),
];
