import type { Action, Outcome, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Ticket } from '../reference/world.ts';
import { device, rest, type Twin } from './twin.ts';

const isHalfOpen = ({ validFrom, validUntil }: Ticket) =>
  (validFrom === null) !== (validUntil === null);

/** Refuses good tickets that the right server lets in. */
function refusing(isRefused: (ticket: Ticket, action: Action, side: Side) => boolean): Alteration {
  return (parts) => ({
    refuse: (ticket, action, side, key): Outcome | undefined =>
      parts.refuse(ticket, action, side, key) ??
      (isRefused(ticket, action, side)
        ? { status: 'rejected', reason: 'invalid_ticket', ticket }
        : undefined),
  });
}

/** Faults with kinds of tickets and keys that not every target has, and with kinds on consume. */
export const KIND_TWINS: readonly Twin[] = [
  {
    name: 'half-windows-refused',
    section: '4.1',
    fault: 'wants both ends of a window',
    alter: refusing((ticket) => isHalfOpen(ticket) && ticket.usesConsumed < ticket.usesAllowed),
  },
  {
    name: 'cards-of-100-refused',
    section: '4.1',
    fault: 'takes cards of fewer than 100 uses only',
    alter: refusing(({ usesAllowed }) => usesAllowed === 100),
  },
  {
    name: 'cards-of-100-cut',
    section: '2.2',
    fault: 'keeps the uses of a card in two digits',
    alter: (parts, world) => ({
      ...rest((body) =>
        body['usesAllowed'] === 100
          ? { ...body, usesAllowed: 99, usesRemaining: 99 - Number(body['usesConsumed']) }
          : body,
      )(parts, world),
      ...device((body) => ({ ...body, Note: String(body['Note']).replace('/100)', '/99)') }))(
        parts,
        world,
      ),
    }),
  },
  {
    name: 'half-windows-as-none',
    section: '2.3',
    fault: 'shows half a window as none',
    alter: rest((body, { ticket }) =>
      ticket && isHalfOpen(ticket) && 'validFrom' in body
        ? { ...body, validFrom: null, validUntil: null }
        : body,
    ),
  },
  {
    name: 'permanent-not-consumed',
    section: '4.2',
    fault: 'validates permanent cards, and consumes none on REST',
    alter: refusing(
      ({ usesAllowed }, action, side) =>
        usesAllowed === 9999 && action === 'consume' && side === 'rest',
    ),
  },
  {
    name: 'doors-closed-on-consume',
    section: '4.3',
    fault: 'opens no door on consume',
    alter: refusing((_, action, side) => action === 'consume' && side === 'hardware'),
  },
  {
    name: 'consume-of-another-kind',
    section: '2.3',
    fault: 'consumes a card and shows the uses of a default one',
    alter: rest((body) =>
      body['status'] === 'consumed' && body['usesAllowed'] === 5
        ? { ...body, usesAllowed: 10, usesRemaining: 10 - Number(body['usesConsumed']) }
        : body,
    ),
  },
  {
    name: 'note-of-cards',
    section: '7.3',
    fault: 'has a text of its own for cards',
    alter: device((body, { ticket }) =>
      body['AcsRes'] === '1' && Number(ticket?.usesAllowed) > 1
        ? { ...body, Note: 'Karte gültig' }
        : body,
    ),
  },
  {
    name: 'other-organisation-let-in',
    section: '5',
    fault: 'lets a key for all events in to those of other organisations',
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        key.events === 'all' || parts.inScope(key, id, side, action),
    }),
  },
  {
    name: 'months-uncounted',
    section: '7.1',
    fault: 'does not count the requests of a month',
    alter: () => ({ withinMonth: () => true }),
  },
  {
    name: 'used-up-month-403',
    section: '7.1',
    fault: 'answers 403 in a used-up month',
    alter: (parts) => ({
      limited: (side) =>
        side === 'rest' ? { ...parts.limited(side), status: 403 } : parts.limited(side),
    }),
  },
  {
    name: 'key-in-cookie-at-devices',
    section: '5',
    fault: 'takes the key of a device from a cookie',
    alter: (parts) => ({
      keyOf(incoming, side) {
        const cookie = String(incoming.request.headers['cookie'] ?? '');
        const other = side === 'rest' ? undefined : /key=([^;]+)/.exec(cookie)?.[1];
        return parts.keyOf(incoming, side) ?? other;
      },
    }),
  },
];
