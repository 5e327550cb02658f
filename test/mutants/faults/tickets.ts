import type { Alteration } from '../reference/server.ts';
import type { Ticket } from '../reference/world.ts';
import {
  at,
  device,
  EXHAUSTED,
  type FaultyServer,
  faults,
  faultsOn,
  idIn,
  isCard,
  isHundred,
  isPermanent,
  isPersonal,
  isWindowed,
  OPEN,
  overlooking,
  refusing,
  showing,
  step,
} from './faulty-server.ts';

const HOUR_MS = 3_600_000;

const ON_REST = at({ side: 'rest' });
const AT_DEVICES = at({ side: 'hardware' });
const CONSUMING = at({ action: 'consume' });
const isHalfOpen = ({ validFrom, validUntil }: Ticket) =>
  (validFrom === null) !== (validUntil === null);

/** Judges another ticket than the one that was scanned. */
const judging = (judged: (ticket: Ticket) => Ticket): Alteration =>
  step('refuse', ({ parts }, ticket, ...asked) => parts.refuse(judged(ticket), ...asked));

const hoursLater = (time: string | null, hours: number) =>
  time && new Date(Date.parse(time) + hours * HOUR_MS).toISOString();

/** Tickets that are let in, and should not be. */
const LET_IN = [
  ...faults('2.3', {
    'does not look at validUntil': judging((ticket) => ({ ...ticket, validUntil: null })),
    'does not look at validFrom': judging((ticket) => ({ ...ticket, validFrom: null })),
    'lets cancelled tickets in': judging((ticket) => ({ ...ticket, cancelled: false })),
    'lets in two hours before the beginning and two hours after the end': {
      alter: judging((ticket) => ({
        ...ticket,
        validFrom: hoursLater(ticket.validFrom, -2),
        validUntil: hoursLater(ticket.validUntil, 2),
      })),
      says: /is let in, and those with .* are refused\. Does the server read the time in another zone/,
    },
    'reads validUntil in a zone that is an hour behind': {
      alter: judging((ticket) => ({ ...ticket, validUntil: hoursLater(ticket.validUntil, 1) })),
      says: /with validUntil .* and earlier are refused/,
    },
  }),
  ...['ticket_cancelled', 'not_yet_valid'].flatMap((what) =>
    faults('4.2', { [`consumes ${what} tickets`]: overlooking(what, CONSUMING) }),
  ),
  ...['expired', 'exhausted'].flatMap((what) =>
    faults('4.2', {
      [`consumes ${what} tickets on REST`]: overlooking(
        what,
        at({ action: 'consume', side: 'rest' }),
      ),
    }),
  ),
  ...['ticket_cancelled', 'not_yet_valid', 'expired', 'exhausted'].flatMap((what) => [
    ...faultsOn('hw/consume', '4.3', { [`opens doors for ${what} tickets`]: overlooking(what) }),
    ...faultsOn('hw/validate', '4.4', { [`opens doors for ${what} tickets`]: overlooking(what) }),
  ]),
  ...faultsOn('hw/consume', '4.3', {
    'opens doors for cancelled tickets of guests': overlooking('ticket_cancelled', isPersonal),
  }),
  ...(['hw/consume', 'hw/validate'] as const).flatMap((where) =>
    faultsOn(where, '4.4', {
      'opens doors for tickets that do not exist': device('not_found', () => OPEN),
      'opens the door for forged codes': device('invalid_ticket', () => OPEN),
    }),
  ),
  ...faults('4.2', {
    'creates unknown tickets on consume': (parts, world) => {
      let action = '';
      return {
        verify(code, side, wanted) {
          action = wanted;
          return parts.verify(code, side, wanted);
        },
        find(id) {
          const any = [...world.tickets.values()].find(isPermanent);
          return parts.find(id) ?? (action === 'consume' ? any : undefined);
        },
      };
    },
  }),
];

/** Good tickets that are refused. */
const REFUSED = [
  ...faults('4.1', {
    'refuses tickets that have an end': refusing(({ validUntil }) => validUntil !== null),
    'compares the start of the window with now as a number': refusing(
      ({ validFrom }) => validFrom !== null && !(Number(validFrom) < Date.now()),
    ),
    'refuses personalised tickets': refusing(isPersonal),
    'does not know multi-use cards': refusing(isCard),
    'does not know permanent cards on REST': refusing(
      (...asked) => isPermanent(asked[0]) && ON_REST(...asked),
    ),
    'does not know permanent cards at devices': refusing(
      (...asked) => isPermanent(asked[0]) && AT_DEVICES(...asked),
      EXHAUSTED,
    ),
    'wants both ends of a window': refusing(isHalfOpen),
    'takes cards of fewer than 100 uses only': refusing(isHundred),
  }),
  ...faults('4.2', {
    'wants an identity check before it consumes personalised tickets': refusing(
      (...asked) => isPersonal(asked[0]) && CONSUMING(...asked),
    ),
  }),
  ...faultsOn('consume', '4.2', { 'consumes no permanent cards': refusing(isPermanent) }),
  ...faultsOn('hw/consume', '4.3', {
    'opens no door': refusing(() => true),
    'refuses permanent cards': refusing(isPermanent, EXHAUSTED),
    'refuses tickets with a window': refusing(isWindowed),
  }),
  ...faultsOn('hw/validate', '4.4', {
    'refuses single tickets': refusing(({ usesAllowed }) => usesAllowed === 1),
  }),
  ...faultsOn('heartbeat', '4.5', {
    'consumes a card that is in a heartbeat': showing(
      ['validate'],
      step('heartbeatBody', ({ next, parts, world }, sent) => {
        const ticket = world.tickets.get(idIn(parts.readCard(sent)));
        if (ticket) ticket.usesConsumed += 1;
        return next();
      }),
    ),
  }),
];

/** Servers that let in or refuse tickets against the rules. */
export const TICKET_FAULTS: readonly FaultyServer[] = [...LET_IN, ...REFUSED];
