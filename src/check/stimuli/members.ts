/**
 * Families of sections 2.4, 4.1 and 7.1: what a request says besides its code, at the bounds of numbers and texts. A row is a question on every
 * scan endpoint of its type.
 */
import type { TicketKind } from '../deployment/target.ts';

type Sent = Readonly<Record<string, unknown>>;

/** Members of a body. */
export interface FurtherMembers {
  /** The variant in reports. */
  readonly name: string;
  readonly sent: Sent;
}

/** Numbers of one, two and three digits, up to the largest of one byte. */
const READERS = [1, 2, 3, 7, 9, 10, 99, 255];
/** Indexes that no device has: negative, with a fraction, and just above one byte, two bytes, four bytes and the whole numbers of JSON. */
const ODD_READERS = [-1, 1.5, 256, 65_536, 2 ** 31, 2 ** 53, 1e21];
const LONG_CHARACTERS = [65, 256, 5000];

const rows = (all: Readonly<Record<string, Sent>>): FurtherMembers[] =>
  Object.entries(all).map(([name, sent]) => ({ name, sent }));

/** What a device may say of itself: any Reader index and any Serial. Other requests of a run come from reader 0. */
export const SENDERS: readonly FurtherMembers[] = [
  ...READERS.map((Reader) => ({ name: `reader-${Reader}`, sent: { Reader } })),
  ...rows({
    'odd-serial': { Serial: 'Z-99/äöü 0815' },
    'serial-of-one-letter': { Serial: 'A' },
    'serial-of-zeros': { Serial: '00000000' },
    'serial-of-digits': { Serial: '18446744073709551616' },
    'serial-of-an-address': { Serial: '00:1A:2b:3C:4d:5E' },
    'serial-of-64-letters': { Serial: 'S'.repeat(64) },
    'serial-with-quotes': { Serial: 'O\'Neill "1" \\' },
    'serial-null-as-text': { Serial: 'null' },
    'serial-outside-of-the-basic-plane': { Serial: 'Tür 🚪 صالة' },
  }),
];

/** Devices that send no serial by which one could tell them apart, or an odd one. */
const SERIALS_APART = ['serial-of-65-letters', 'serial-empty', 'serial-number', 'serial-missing'];

/** Whether a service takes these is not said. It answers them. */
export const ODD_SENDERS: readonly FurtherMembers[] = [
  ...ODD_READERS.map((Reader) => ({ name: `reader-${Reader}`, sent: { Reader } })),
  ...LONG_CHARACTERS.map((length) => ({
    name: `serial-of-${length}-letters`,
    sent: { Serial: 'S'.repeat(length) },
  })),
  ...rows({
    'reader-as-text': { Reader: '1' },
    'reader-of-letters': { Reader: 'north' },
    'reader-null': { Reader: null },
    'reader-missing': { Reader: undefined },
    'serial-empty': { Serial: '' },
    'serial-number': { Serial: 4711 },
    'serial-null': { Serial: null },
    'serial-missing': { Serial: undefined },
    'serial-object': { Serial: { id: 1 } },
    'serial-control-characters': { Serial: 'A\0\u0001\n' },
    'serial-half-a-surrogate-pair': { Serial: 'A\ud83c' },
    'serial-markup': { Serial: "<b>'; --" },
    'relay-and-time': { ActIndex: '1', Time: '60' },
    'relay-and-time-as-numbers': { ActIndex: 99, Time: -1 },
    'name-and-note': { Name: 'N'.repeat(300), Note: 'Ticket gültig (1/1)' },
  }),
];

/** Each door that opens for these takes one use. */
export const COUNTED_SENDERS: readonly FurtherMembers[] = [
  ...SENDERS,
  ...ODD_SENDERS.filter(({ name }) => SERIALS_APART.includes(name)),
];

/** What software may send besides ticketCode. Whether a service takes it is not said. */
export const ODD_MEMBERS: readonly FurtherMembers[] = rows({
  'gate-and-time': { gate: 'north', at: null },
  numbers: { reader: 10, count: 2 ** 53, offset: -1, factor: 1e308 },
  texts: { gate: '', operator: '🚪'.repeat(100), note: 'A\0\u0001' },
  lists: { tags: [], more: [[[[1]]]], empty: {} },
  'long-text': { note: 'n'.repeat(4000) },
  'names-of-objects': { constructor: 1, prototype: null, toString: 'x', length: -1 },
  'names-with-underscores': { ['__proto__']: { valid: true }, __defineGetter__: 1 },
  'empty-name': { '': 1, ' ': 2, $where: '1' },
});

/** Members by which a request claims its own result, and a ticket that stays refused whatever is claimed. */
export interface Claim extends FurtherMembers {
  readonly of: Extract<TicketKind, 'exhausted' | 'expired'>;
}

/** A request decides nothing about its ticket. */
export const CLAIMS: readonly Claim[] = [
  {
    name: 'uses',
    of: 'exhausted',
    sent: { usesConsumed: 0, usesAllowed: 100, usesRemaining: 100, ticketType: 'multi' },
  },
  { name: 'result', of: 'exhausted', sent: { valid: true, status: 'validated', AcsRes: '1' } },
  {
    name: 'force',
    of: 'exhausted',
    sent: { force: true, override: true, admin: true, test: true, debug: true, skipChecks: true },
  },
  {
    name: 'window',
    of: 'expired',
    sent: { validFrom: null, validUntil: null, now: '1970-01-01T00:00:00Z', Time: '0' },
  },
  {
    name: 'moment',
    of: 'expired',
    sent: { scannedAt: '2001-01-01T00:00:00Z', timestamp: 0, Now: 0 },
  },
];
