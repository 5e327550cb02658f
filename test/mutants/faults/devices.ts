import type { Incoming } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import { oneIn } from './answers.ts';
import {
  type Body,
  device,
  type FaultyServer,
  faults,
  faultsOn,
  isCard,
  isDevice,
  isGranted,
  isHundred,
  isPermanent,
  isPersonal,
  isWindowed,
  OPEN,
  parsed,
  remembering,
  reply,
  showing,
  step,
  together,
  without,
} from './faulty-server.ts';

/** Every Note of section 7.3 that a device is shown, with another text. */
const OTHER_NOTES = Object.entries({
  exhausted: 'Ticket erschopft',
  expired: 'Ticket abgelaufen.',
  not_found: 'Ungültiges Ticket',
  not_yet_valid: 'Ticket abgelaufen',
  event_not_allowed: 'No access',
  invalid_ticket: 'Ticket ungültig',
}).flatMap(([what, Note], index) => {
  const rows = { [`shows "${Note}" where a ticket is ${what}`]: device(what, { Note }) };
  return index < 4 ? faults('7.3', rows) : faultsOn('hw/consume', '7.3', rows);
});

const noted = (change: (note: string) => string) =>
  device((body) => ({ ...body, Note: change(String(body['Note'])) }));
const grantNoted = (usesOf: (used: number, allowed: number) => string, action?: string) =>
  device('granted', (body, { ticket }, asked) =>
    ticket && (action ?? asked) === asked
      ? { ...body, Note: `Ticket gültig (${usesOf(ticket.usesConsumed, ticket.usesAllowed)})` }
      : body,
  );
const nameOf = (change: (name: string) => string) =>
  device('granted', (body, { ticket }) =>
    ticket?.holder
      ? { ...body, Name: change(`${ticket.holder.firstName} ${ticket.holder.lastName}`) }
      : body,
  );

/** `if (!Reader)`: the first reader of most controllers is 0. */
const ZERO_READERS = faultsOn('hw/consume', '2.4', {
  'takes Reader 0 for a missing one': {
    says: /with Reader 0 were refused/,
    alter: reply((answer, { body }) =>
      parsed(body)?.['Reader'] === 0 && Object(answer.body)['AcsRes'] === '1'
        ? {
            ...answer,
            body: { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Ungültiges Ticket' },
          }
        : answer,
    ),
  },
});

const DISPLAYS = [
  ...faults('7.3', {
    'writes `gueltig`': noted((note) => note.replace('ü', 'ue').replace('Ü', 'Ue')),
    'sends umlauts as two characters': noted((note) => note.normalize('NFD')),
    'shows ∞ for permanent cards': noted((note) => note.replace('9999', '∞')),
    'writes numbers with a separator': noted((note) => note.replace('9999', '9.999')),
    'swaps the numbers of the granted Note': grantNoted((used, allowed) => `${allowed}/${used}`),
    'shows the remaining uses in Note': grantNoted(
      (used, allowed) => `${allowed - used}/${allowed}`,
    ),
    'counts a use in Note that was not made': grantNoted(
      (used, allowed) => `${used + 1}/${allowed}`,
      'validate',
    ),
    'shows the uses of before the scan in Note': grantNoted(
      (used, allowed) => `${used - 1}/${allowed}`,
      'consume',
    ),
    'shows one digit of the uses of a card': showing(
      ['hw/consume'],
      device((body, { ticket }) =>
        ticket && isHundred(ticket)
          ? { ...body, Note: String(body['Note']).replace(/\(\d(\d\/)/, '($1') }
          : body,
      ),
    ),
    'has a text of its own for cards': device(
      (_, outcome) => isGranted(outcome) && Number(outcome.ticket?.usesAllowed) > 1,
      { Note: 'Karte gültig' },
    ),
    'shows a device the numbers of a card that is used up': device(
      (_, { status: what, ticket }) => what === 'exhausted' && Number(ticket?.usesAllowed) > 1,
      (body, { ticket }) => ({
        ...body,
        Note: `Ticket gültig (${ticket?.usesConsumed}/${ticket?.usesAllowed})`,
      }),
    ),
  }),
  ...faults('2.4', {
    'sends AcsRes as true and false': device((body, outcome) => ({
      ...body,
      AcsRes: String(isGranted(outcome)),
    })),
    'grants with a door-open time of 0': device('granted', { Time: '0' }),
    'sends Time with a unit': device('granted', { Time: '5s' }),
    'leaves the door-open time in a denial': device('denied', { Time: '5' }),
    'names the OUT relay in a denial': device('denied', { ActIndex: '1' }),
    'cuts Name to 16 characters instead of bytes': nameOf((name) => name.slice(0, 16)),
    'cuts Name in the middle of a character': nameOf((name) =>
      Buffer.from(name.replace(/^\S+ /, '')).subarray(0, 14).toString('utf8'),
    ),
    'does not cut Name': nameOf((name) => name),
    'adds advice to a Note': device('denied', (body) => ({
      ...body,
      Note: `${body['Note']} - bitte zur Kasse gehen`,
    })),
    'answers denials at devices in the REST format': device('denied', () => ({
      valid: false,
      status: 'rejected',
      message: 'no',
    })),
    'says Time "0" in one grant of 25': remembering(() =>
      device(
        'granted',
        oneIn(25, (body) => ({ ...body, Time: '0' })),
      ),
    ),
    'keeps the last answer of a reader': remembering(() => {
      let last: Body | undefined;
      return device((body, outcome) => {
        if (isGranted(outcome)) last = body;
        return last ?? body;
      });
    }),
  }),
  ...faultsOn('hw/consume', '2.4', {
    'does not cut the names of holders': nameOf((name) => name),
    'grants cards with a Time of "0" and without a Name': device(
      (_, outcome) => isGranted(outcome) && Number(outcome.ticket?.usesAllowed) > 1,
      (body) => without('Name')({ ...body, Time: '0' }),
    ),
  }),
  ...faults('2.4', {
    'lets two in at once at its devices, with a Note that is too long': {
      ...showing(
        ['hw/consume'],
        together(
          noted((note) => `${note} and much more than a display can show`),
          step('register', async ({ next }, _, side) => {
            if (side === 'hardware') await new Promise((resolve) => setTimeout(resolve, 25));
            await next();
          }),
        ),
      ),
      isByChance: true,
    },
  }),
];

type Sent = (sent: Body) => boolean;
const sentIn = ({ body }: Incoming) => parsed(body) ?? {};

/** Opens for what it should refuse, by the text of the refusal, where a device sends this. */
const openingWhere = (isThere: Sent, note: string) =>
  reply((answer, incoming) =>
    isDevice(incoming) && isThere(sentIn(incoming)) && (answer.body as Body)['Note'] === note
      ? { ...answer, status: 200, body: OPEN }
      : answer,
  );

/** Opens without counting where a device sends this. */
const uncountedWhere = (isThere: Sent, isKind = (_: Parameters<typeof isCard>[0]) => true) =>
  remembering(() => {
    let isFree = false;
    return together(
      step('readCard', ({ next }, incoming) => {
        isFree = isThere(sentIn(incoming));
        return next();
      }),
      step('register', ({ next }, ticket, side) =>
        side === 'hardware' && isFree && isKind(ticket) ? undefined : next(),
      ),
    );
  });

/** Reads no card where a device sends this. */
const refusedWhere = (isThere: Sent): Alteration =>
  step('readCard', ({ next }, incoming) => (isThere(sentIn(incoming)) ? undefined : next()));

const REFUSALS = {
  'forged codes': 'Ungültiges Ticket',
  'used-up tickets': 'Ticket erschöpft',
  'cancelled tickets': 'Ticket storniert',
  'expired tickets': 'Ticket abgelaufen',
  'coming tickets': 'Noch nicht gültig',
  'unknown tickets': 'Ticket nicht gefunden',
  'other events': 'Kein Zugriff',
};

const isReader =
  (reader: number): Sent =>
  ({ Reader }) =>
    Reader === reader;

/** What a server may do otherwise at one of its readers. */
const READERS = [1, 2].flatMap((reader) =>
  faults('2.4', {
    ...Object.fromEntries(
      Object.entries(REFUSALS).map(([what, note]) => [
        `opens for ${what} at reader ${reader}`,
        openingWhere(isReader(reader), note),
      ]),
    ),
    [`denies every card with the same text at reader ${reader}`]: reply((answer, incoming) => {
      const body = answer.body as Body;
      const isDenial = isReader(reader)(sentIn(incoming)) && body['AcsRes'] === '0';
      return isDenial ? { ...answer, body: { ...body, Note: 'Ungültiges Ticket' } } : answer;
    }),
    [`opens for nobody at reader ${reader}`]: refusedWhere(isReader(reader)),
    [`opens without counting at reader ${reader}`]: uncountedWhere(isReader(reader)),
  }),
);

/** Senders for which a server may not count. */
const UNCOUNTED = Object.entries({
  'at reader 7': isReader(7),
  'for a device with an empty serial': ({ Serial }) => Serial === '',
  'for a device without a serial': ({ Serial }) => Serial === undefined,
  'for a device with a number as serial': ({ Serial }) => Serial === 4711,
  'for a device with a long serial': ({ Serial }) => String(Serial).length > 64,
  'for a serial of other letters': ({ Serial }) => /[^\w-]/.test(String(Serial)),
} satisfies Record<string, Sent>).flatMap(([where, isThere]) =>
  faults('2.4', {
    [`opens without counting ${where}`]: showing(['hw/consume'], uncountedWhere(isThere)),
  }),
);

const CARDS = [
  ...faults('2.4', {
    'does not decode Card': step('readCard', (_, incoming) =>
      String(sentIn(incoming)['Card'] ?? ''),
    ),
    'decodes Card as hexadecimal': step('readCard', (_, incoming) =>
      Buffer.from(`${sentIn(incoming)['Card']}`, 'hex').toString(),
    ),
    'throws at a Card that decodes to no text': step('readCard', ({ next }) => {
      const code = next();
      if (code?.includes('\ufffd')) throw new Error('bad text');
      return code;
    }),
    'answers an unreadable Card in the REST format': together(
      step('readCard', ({ next }) => {
        const code = next();
        return code?.startsWith('REF.') ? code : undefined;
      }),
      step('badRequest', ({ parts }) => parts.badRequest('rest')),
    ),
    'answers an empty Card with the last one': together(
      step('readCard', ({ next }) => next() || 'LAST'),
      step('verify', ({ next, world }, code) =>
        code === 'LAST' ? [...world.tickets.values()].find(isPermanent)?.id : next(),
      ),
    ),
    'opens to a request without Card, as to a push of the exit button': step(
      'badRequest',
      ({ next }, side) => (side === 'hardware' ? { ...next(), status: 200, body: OPEN } : next()),
    ),
    'knows only the readers 0 and 1': refusedWhere(({ Reader }) => Number(Reader) > 1),
    'wants serials of letters and digits': refusedWhere(
      ({ Serial }) => !/^[\w-]+$/.test(String(Serial)),
    ),
    'does not count tickets with a holder at reader 1': uncountedWhere(isReader(1), isPersonal),
    'does not count tickets with a window at reader 1': uncountedWhere(isReader(1), isWindowed),
    'does not count cards at reader 2': uncountedWhere(isReader(2), isCard),
    'does not count cards at reader 3': uncountedWhere(isReader(3), isCard),
  }),
];

/** Servers that answer devices otherwise, or read what they send in their own way. */
export const DEVICE_FAULTS: readonly FaultyServer[] = [
  ...OTHER_NOTES,
  ...DISPLAYS,
  ...READERS,
  ...ZERO_READERS,
  ...UNCOUNTED,
  ...CARDS,
];
