import { cardOf } from '../requests/scan-request.ts';

/** A family of section 2.4: what may stand in Card instead of the Base64 of a code. A row is a question on the device endpoints. */
export interface CardSpelling {
  /** The variant in reports. */
  readonly name: string;
  /** What was done to the card, as the end of a sentence that begins with "where ". */
  readonly what: string;
  /** The value of Card for a code. */
  readonly card: (code: string) => unknown;
}

/** Card is the Base64 of the QR code: these are something else, and no code is in them. */
export const WRONG_CARDS: readonly CardSpelling[] = [
  {
    name: 'encoded-twice',
    what: 'Card was encoded twice',
    card: (code) => cardOf(cardOf(code)),
  },
  {
    name: 'hexadecimal',
    what: 'Card was the code in hexadecimal digits',
    card: (code) => Buffer.from(code).toString('hex'),
  },
  {
    name: 'json-inside',
    what: 'Card was the Base64 of JSON with the code in it',
    card: (code) => cardOf(JSON.stringify({ ticketCode: code })),
  },
  {
    name: 'array-of-one',
    what: 'Card was an array with one card',
    card: (code) => [cardOf(code)],
  },
  {
    name: 'object',
    what: 'Card was an object with the card in it',
    card: (code) => ({ Card: cardOf(code), data: cardOf(code) }),
  },
];

/** Whether a service reads these is not said. */
export const OTHER_CARDS: readonly CardSpelling[] = [
  { name: 'not-encoded', what: 'Card was not encoded', card: (code) => code },
  {
    name: 'url-safe',
    what: 'Card was in the alphabet for addresses',
    card: (code) => Buffer.from(code).toString('base64url'),
  },
  {
    name: 'without-padding',
    what: 'Card had no padding',
    card: (code) => cardOf(code).replace(/={1,2}$/, ''),
  },
  {
    name: 'line-breaks',
    what: 'Card had line breaks in it',
    card: (code) => cardOf(code).replace(/(.{16})/g, '$1\r\n'),
  },
  { name: 'blank-behind', what: 'a blank came behind Card', card: (code) => `${cardOf(code)} ` },
];
