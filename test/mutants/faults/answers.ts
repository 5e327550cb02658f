import type { Endpoint } from '../../../src/check/index.ts';
import type { Alteration } from '../reference/server.ts';
import {
  type Body,
  DEVICE,
  device,
  type FaultyServer,
  faults,
  faultsOn,
  free,
  mapped,
  remembering,
  reply,
  rest,
  showing,
  status,
  step,
  together,
  without,
  written,
} from './faulty-server.ts';

const HOUR_MS = 3_600_000;

/** What every result and every answer of a kind has in it. */
const GENERAL = ['valid', 'status', 'message'];
const TICKET = ['ticketId', 'ticketType', 'usesAllowed', 'usesConsumed', 'usesRemaining'];
const WINDOW = ['validFrom', 'validUntil'];
const MEMBERS: readonly (readonly [what: string, on: readonly Endpoint[], members: string[]])[] = [
  ['validated', ['validate'], [...GENERAL, ...TICKET, ...WINDOW, 'holder']],
  ['consumed', ['consume'], [...GENERAL, ...TICKET, ...WINDOW, 'holder', 'scannedAt']],
  ['exhausted', ['validate', 'consume'], [...GENERAL, ...TICKET]],
  ['rejected', ['consume', 'validate'], [...GENERAL, 'reason']],
  ['not_found', ['validate', 'consume'], GENERAL],
  ['granted', ['hw/validate', 'hw/consume'], ['AcsRes', 'ActIndex', 'Time', 'Name', 'Note']],
  ['denied', ['hw/consume', 'hw/validate'], ['AcsRes', 'ActIndex', 'Time', 'Note']],
];

const otherType = (value: unknown) =>
  typeof value === 'string' && !/^\d+$/.test(value) ? [value] : wrongType(value);
const wrongType = (value: unknown) => (typeof value === 'string' ? Number(value) : `${value}`);

/** What may be wrong with any member. */
const OPERATORS: Readonly<Record<string, (member: string) => (body: Body) => Body>> = {
  'leaves … out': (member) => without(member),
  'sends … in another type': (member) => mapped(otherType, member),
};

/** Each member of each answer is left out and sent in another type, on one endpoint after the other. */
const OF_MEMBERS = MEMBERS.flatMap(([what, on, members]) =>
  members.flatMap((member, index) =>
    Object.entries(OPERATORS).flatMap(([does, operator], turn) => {
      const where = on[(index + turn) % on.length] ?? 'validate';
      const change = where.startsWith('hw/') ? device : rest;
      return faultsOn(where, where.startsWith('hw/') ? '2.4' : '2.3', {
        [`${does.replace('…', member)} where a ticket is ${what}`]: change(what, operator(member)),
      });
    }),
  ),
);

const STATUS_OF_DEVICES = {
  on: DEVICE,
  reason: 'section 7.3: HTTP status codes of hardware endpoint errors are not shown',
};

/** Another HTTP status than that of section 7.1. */
const STATUSES = [
  ...Object.entries({
    exhausted: 409,
    expired: 403,
    not_yet_valid: 425,
    not_found: 200,
    event_not_allowed: 200,
  }).flatMap(([what, code]) =>
    faults('7.1', {
      [`answers ${code} to a ticket that is ${what}`]: free(
        STATUS_OF_DEVICES,
        status({ [what]: code }),
      ),
    }),
  ),
  ...faults('7.1', {
    'answers 410 to a cancelled ticket': status({ ticket_cancelled: 410 }, 'rest'),
    'answers 201 on validate': status({ validated: 201 }, 'rest'),
    'answers 202 on consume': status({ consumed: 202 }, 'rest'),
    'answers 202 to a device that may open': status({ validated: 202 }, 'hardware'),
    'answers 403 in a used-up month': step('limited', ({ next }, side) =>
      side === 'rest' ? { ...next(), status: 403 } : next(),
    ),
    'does not count the requests of a month': step('withinMonth', () => true),
    'limits every 40th request': { alter: remembering(everyFortieth), isByChance: true },
    'throws when a ticket does not exist': step('find', ({ next }) => {
      const ticket = next();
      if (!ticket) throw new TypeError('ticket is undefined');
      return ticket;
    }),
  }),
  ...faultsOn('consume', '7.1', {
    'answers 410 to cancelled and expired tickets, and to those that are not valid yet': status({
      ticket_cancelled: 410,
      expired: 410,
      not_yet_valid: 410,
    }),
  }),
];

function everyFortieth(): Alteration {
  let count = 0;
  return step('withinLimit', () => {
    count += 1;
    return count % 40 !== 0;
  });
}

const with401 = (body: unknown) => reply((answer) => ({ ...answer, body }), 401);
const ON_REST_ALONE = {
  on: [...DEVICE, 'heartbeat'],
  reason:
    'sections 7.1 and 7.2 are about REST; how a device is told of a refused key is not shown, nor with which status',
} as const;
const HEADERS_ON_REST_ALONE = {
  on: [...DEVICE, 'heartbeat'],
  reason:
    'section 1 speaks of JSON responses for own software; the header of an answer to a device is not shown',
} as const;
const badRequest = (change: (body: Body) => Body): Alteration =>
  step('badRequest', ({ next }, side) => {
    const right = next();
    return side === 'rest' ? { ...right, body: change(right.body as Body) } : right;
  });

/** Bodies of refusals in another shape than that of section 7.2. */
const REFUSALS = [
  ...faults('7.2', {
    'says Unauthorized on a 401': free(ON_REST_ALONE, with401({ message: 'Unauthorized' })),
    'adds a code to the 401 body': free(
      ON_REST_ALONE,
      with401({ message: 'Forbidden', code: 'AUTH-1' }),
    ),
    'answers 401 without a body': reply(
      (answer, { path }) => (path.includes('/hw/') ? answer : { ...answer, body: '' }),
      401,
    ),
    'tells that a key is unknown': free(
      ON_REST_ALONE,
      reply(
        (answer, { request }) =>
          request.headers['x-api-key']
            ? { ...answer, body: { message: 'Unknown API key' } }
            : answer,
        401,
      ),
    ),
    'tells that a key was deleted': free(
      ON_REST_ALONE,
      ofDeletedKeys({ body: { message: 'Forbidden', deleted: true } }),
    ),
    'answers 410 to a deleted key': free(ON_REST_ALONE, ofDeletedKeys({ status: 410 })),
    'answers 403 to a missing key': step('unauthorised', ({ next }, side) =>
      side === 'rest' ? { ...next(), status: 403 } : next(),
    ),
    'answers 422 to a bad body': step('badRequest', ({ next }, side) =>
      side === 'rest' ? { ...next(), status: 422 } : next(),
    ),
    "answers a bad body in the framework's format": badRequest(() => ({
      statusCode: 400,
      error: 'Bad Request',
      message: 'body must be object',
    })),
    'leaves valid out of a 400': badRequest(without('valid')),
    'serialises an empty ticket into a 400': badRequest((body) => ({
      ...body,
      usesAllowed: 0,
      usesRemaining: 0,
    })),
    'shows the ticket in a scope violation': rest('event_not_allowed', {
      ticketId: 'tkt_other',
      ticketType: 'single',
    }),
    'leaves valid out of a 403': rest('event_not_allowed', without('valid')),
    'shows the identifier of a ticket that does not exist': rest('not_found', {
      ticketId: 'tkt_unknown',
    }),
    "answers 404 in the framework's format": rest('not_found', () => ({
      statusCode: 404,
      error: 'Not Found',
      message: 'Not Found',
    })),
  }),
  ...faultsOn('consume', '7.2', {
    'answers 401 with another text and another field': with401({
      message: 'Unauthorized',
      statusCode: 401,
    }),
  }),
];

function ofDeletedKeys(change: object): Alteration {
  return step('finish', ({ next, world }, _, { request }) =>
    world.deletedKeys.has(String(request.headers['x-api-key'])) ? { ...next(), ...change } : next(),
  );
}

/** What section 1 does not allow in an answer, or wants of each. */
const PURPOSE = faults('1', {
  "shows the holder's e-mail address": rest('of a ticket', (body, { ticket }) =>
    body['holder'] ? { ...body, holder: { ...ticket?.holder, contact: 'zoe@example.org' } } : body,
  ),
  'greets by e-mail address': rest((body) =>
    body['holder'] ? { ...body, message: 'Welcome zoe.g+pool@example.org' } : body,
  ),
  'has a field for the e-mail address': rest('of a ticket', { buyerEmail: 'hidden' }),
  'names the buyer in a header': reply((answer) => ({
    ...answer,
    headers: { ...answer.headers, 'x-buyer': 'zoe@example.org' },
  })),
  'shows what the ticket cost': rest('of a ticket', { priceCents: 1250 }),
  'shows the order with its payment': rest('of a ticket', {
    order: { no: 'A17', lines: [{ paymentMethod: 'card' }] },
  }),
  'announces its JSON as HTML': free(
    HEADERS_ON_REST_ALONE,
    reply((answer) => ({ ...answer, headers: { 'content-type': 'text/html' } })),
  ),
  'does not say what its answers are': free(
    HEADERS_ON_REST_ALONE,
    reply((answer) => ({ ...answer, headers: {} })),
  ),
  'announces only its 404 as plain text': free(
    HEADERS_ON_REST_ALONE,
    reply((answer) => ({ ...answer, headers: { 'content-type': 'text/plain' } }), 404),
  ),
  'sends JSON in Latin-1 on REST': {
    write: written((text, isDevice) => Buffer.from(text, isDevice ? 'utf8' : 'latin1')),
    shows: ['validate', 'consume'],
    says: /not UTF-8/,
  },
  'sends Latin-1 instead of UTF-8': {
    write: written((text) => Buffer.from(text, 'latin1')),
    shows: ['validate', 'consume', ...DEVICE],
    says: /not UTF-8/,
  },
  'begins every answer with a byte-order mark': {
    write: written((text) => Buffer.from(`\ufeff${text}`)),
    shows: ['validate', 'consume', ...DEVICE],
    says: /byte-order mark/,
  },
});

const hoursLater = (hours: number, zone = 'Z') =>
  mapped(
    (time: string) => new Date(Date.parse(time) + hours * HOUR_MS).toISOString().replace('Z', zone),
    'validFrom',
    'validUntil',
    'scannedAt',
  );
const ofWindow =
  (change: (body: Body) => Body) =>
  (body: Body): Body => ({
    ...change(body),
    ...('scannedAt' in body ? { scannedAt: body['scannedAt'] } : {}),
  });
const ofMoment =
  (change: (body: Body) => Body) =>
  (body: Body): Body =>
    'scannedAt' in body ? { ...body, scannedAt: change(body)['scannedAt'] } : body;
const hasWindow = (body: Body) => 'validFrom' in body;
const withUses = (usesAllowed: number) => (body: Body) => ({
  ...body,
  usesAllowed,
  usesRemaining: usesAllowed - Number(body['usesConsumed']),
});
const allowing = (uses: number) => (body: Body) => body['usesAllowed'] === uses;
const usesMoved = (by: number) => (body: Body) => ({
  ...body,
  usesConsumed: Number(body['usesConsumed']) + by,
  usesRemaining: Number(body['usesRemaining']) - by,
});

/** Changes one in so many answers. */
export const oneIn = (count: number, change: (body: Body) => Body) => {
  let seen = 0;
  return (body: Body) => {
    seen += 1;
    return seen % count === 0 ? change(body) : body;
  };
};

/** Values that have the right type, and are not those of the ticket. */
const VALUES = [
  ...faults('2.2', {
    'calls every ticket `multi`': rest('of a ticket', { ticketType: 'multi' }),
    'calls every ticket `single`': rest('of a ticket', { ticketType: 'single' }),
    'has a type `permanent` of its own': rest(allowing(9999), { ticketType: 'permanent' }),
    'lets permanent cards in 1000 times': rest(allowing(9999), withUses(1000)),
    'has cards of 500 uses': rest(allowing(5), withUses(500)),
    'shows single tickets with two uses': rest(allowing(1), withUses(2)),
    'keeps the uses of a card in two digits': together(
      rest(allowing(100), withUses(99)),
      device((body) => ({ ...body, Note: String(body['Note']).replace('/100)', '/99)') })),
    ),
  }),
  ...faults('2.3', {
    'has an empty message for exhausted tickets': rest('exhausted', { message: '' }),
    'says valid true of an exhausted ticket': rest('exhausted', { valid: true }),
    'says `ok` instead of `validated`': rest('validated', { status: 'ok' }),
    'says consumed on validate': rest('validated', { status: 'consumed' }),
    'says validated on consume': rest('consumed', { status: 'validated' }),
    'counts the present use as remaining': rest('granted', (body) => ({
      ...body,
      usesRemaining: Number(body['usesRemaining']) + 1,
    })),
    'tells the counters of before the use': {
      alter: rest('consumed', usesMoved(-1)),
      says: /usesConsumed: 0/,
    },
    'shows an unused ticket with one use': rest(
      (body) => body['status'] === 'validated' && body['usesConsumed'] === 0,
      usesMoved(1),
    ),
    'shows the remaining uses as allowed': rest(
      (body) => body['ticketType'] === 'multi',
      (body) => ({ ...body, usesAllowed: body['usesRemaining'], usesConsumed: 0 }),
    ),
    'shows every card as a 10-use card': rest(allowing(5), withUses(10)),
    'consumes a card and shows the uses of a default one': rest(
      (body) => body['status'] === 'consumed' && body['usesAllowed'] === 5,
      withUses(10),
    ),
    'shows -1 uses remaining on an exhausted ticket': rest('exhausted', { usesRemaining: -1 }),
    'shows an exhausted ticket as unused': rest('exhausted', { usesConsumed: 0, usesRemaining: 0 }),
    'says nothing about an exhausted ticket': rest('exhausted', without(...TICKET)),
    'rejects an exhausted ticket with a reason of its own': rest('exhausted', {
      status: 'rejected',
      reason: 'exhausted',
    }),
    'rejects tickets that do not exist': rest('not_found', {
      status: 'rejected',
      reason: 'invalid_ticket',
    }),
    'gives `cancelled` as the reason': rest('ticket_cancelled', { reason: 'cancelled' }),
    'swaps `expired` and `not_yet_valid`': rest((body) => {
      const other = { expired: 'not_yet_valid', not_yet_valid: 'expired' }[String(body['reason'])];
      return other ? { ...body, reason: other } : body;
    }),
    "sends the event's id as ticketId": rest('of a ticket', (body, { ticket }) => ({
      ...body,
      ticketId: ticket?.event,
    })),
    'makes a ticketId anew for each answer': rest('of a ticket', (body) => ({
      ...body,
      ticketId: `tkt_${Math.random()}`,
    })),
    'leaves validFrom and validUntil out when there is no window': rest((body) =>
      without(...WINDOW.filter((name) => body[name] === null))(body),
    ),
    'sends an empty text for an open start': rest((body) => body['validFrom'] === null, {
      validFrom: '',
    }),
    'sends a far date for an open end': rest((body) => body['validUntil'] === null, {
      validUntil: '9999-12-31T23:59:59Z',
    }),
    'shows half a window as none': rest(
      (body) => hasWindow(body) && WINDOW.some((name) => body[name] === null),
      { validFrom: null, validUntil: null },
    ),
    'sends the end of the window as a day': rest(
      mapped((time: string) => time.slice(0, 10), 'validUntil'),
    ),
    'sends times in a local format': rest(
      mapped((time: string) => time.replace('T', ' ').replace(/\..*/, ''), 'validFrom'),
    ),
    'swaps validFrom and validUntil': rest(hasWindow, (body) => ({
      ...body,
      validFrom: body['validUntil'],
      validUntil: body['validFrom'],
    })),
    'sends local time marked as UTC': rest(ofWindow(hoursLater(1))),
    'shows the window of a ticket in local time, and no zone': rest(ofWindow(hoursLater(1, ''))),
    'shows the local time of a zone two hours ahead, and no zone': rest(hoursLater(2, '')),
    'sends scannedAt in local time marked as UTC': rest(ofMoment(hoursLater(1))),
    'sends the time of creation as scannedAt': rest(ofMoment(hoursLater(-50))),
    'sends scannedAt null on validate': rest('validated', { scannedAt: null }),
    'shows the time of the last use on validate': showing(
      ['validate'],
      rest('validated', (body, { ticket }) =>
        ticket?.lastScan ? { ...body, scannedAt: ticket.lastScan } : body,
      ),
    ),
    'keeps the scannedAt of the first use': showing(
      ['consume'],
      remembering(() => {
        const first = new Map<string, unknown>();
        return rest('consumed', (body, { ticket }) => {
          const id = ticket?.id ?? '';
          first.set(id, first.get(id) ?? body['scannedAt']);
          return { ...body, scannedAt: first.get(id) };
        });
      }),
    ),
    'takes the time of one consume in nine from a clock that is an hour late': remembering(() =>
      rest('consumed', oneIn(9, ofMoment(hoursLater(-1)))),
    ),
    'leaves the window out of one grant in eleven': remembering(() =>
      rest('granted', oneIn(11, without(...WINDOW))),
    ),
    'sends holder null for tickets without one': rest('validated', (body) => ({
      holder: null,
      ...body,
    })),
    'sends an empty holder for tickets without one': rest('validated', (body) => ({
      holder: { firstName: '', lastName: '' },
      ...body,
    })),
    'calls the fields first_name and last_name': rest(
      mapped((one: Holder) => ({ first_name: one.firstName, last_name: one.lastName }), 'holder'),
    ),
    'swaps first and last name': rest(swappedName),
    'loses the accents of names': rest(
      mapped(
        (one: Holder) => ({
          firstName: 'Zoe',
          lastName: one.lastName.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
        }),
        'holder',
      ),
    ),
  }),
  ...faultsOn('consume', '2.3', {
    'shows another ticketId': rest('consumed', (body) => ({
      ...body,
      ticketId: `${body['ticketId']}-used`,
    })),
    'shows a validUntil that is two hours off': rest(ofWindow(hoursLater(2))),
    'calls cards `single`': rest(isOfCard, { ticketType: 'single' }),
    'swaps first and last name': rest(swappedName),
    'shows holder null for tickets without one': rest('consumed', (body) => ({
      holder: null,
      ...body,
    })),
    'leaves the ticket and its window out of the results of cards': rest(
      (body) => isOfCard(body) && body['status'] === 'consumed',
      without('ticketId', 'ticketType', ...WINDOW),
    ),
  }),
  ...faultsOn('validate', '2.3', {
    'leaves the window out of the results of cards': rest(isOfCard, without(...WINDOW)),
  }),
];

interface Holder {
  readonly firstName: string;
  readonly lastName: string;
}
function swappedName(body: Body): Body {
  return mapped(
    (one: Holder) => ({ firstName: one.lastName, lastName: one.firstName }),
    'holder',
  )(body);
}
function isOfCard(body: Body): boolean {
  return Number(body['usesAllowed']) > 1;
}

/** Servers that decide as they should, and say it in other words, members, values or codes. */
export const ANSWER_FAULTS: readonly FaultyServer[] = [
  ...PURPOSE,
  ...OF_MEMBERS,
  ...VALUES,
  ...STATUSES,
  ...REFUSALS,
];
