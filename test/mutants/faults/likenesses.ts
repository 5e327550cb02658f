import type { Alteration } from '../reference/server.ts';
import { signatureOf, type World } from '../reference/world.ts';
import { reading } from './codes.ts';
import {
  DEVICE,
  type FaultyServer,
  faults,
  parsed,
  REST,
  remembering,
  SCANS,
  showing,
  step,
  together,
} from './faulty-server.ts';

const CODE = /REF\.[\w-]+\.[\w-]{22}(?![\w-])/;

const anywhere = (read: (code: string, world: World) => string) => showing(SCANS, reading(read));

/** Takes the first of some texts that is a genuine code. */
const firstOf = (textsIn: (code: string) => readonly string[]): Alteration =>
  step(
    'verify',
    ({ next, parts }, code, ...asked) =>
      next() ??
      textsIn(code)
        .map((text) => parts.verify(text, ...asked))
        .find((id) => id !== undefined),
  );

function decodedOr(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString('utf8');

/** A pattern of LIKE as an expression. */
export function likeExpression(pattern: string): RegExp {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('%', '.*').replaceAll('_', '.')}$`, 's');
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  х: 'x',
  А: 'A',
  Е: 'E',
  Т: 'T',
};

/** Takes blanks around a code away to verify it, and counts the uses of each text. */
const countingTexts = remembering(() => {
  const uses = new Map<string, number>();
  let scanned = '';
  return together(
    step('verify', ({ parts }, code, ...asked) => {
      scanned = code;
      return parts.verify(code.trim(), ...asked);
    }),
    step('refuse', ({ next }, ticket) => {
      if (scanned === scanned.trim()) return next();
      const isUsedUp = (uses.get(scanned) ?? 0) >= ticket.usesAllowed;
      return isUsedUp ? { status: 'exhausted', ticket } : undefined;
    }),
    step('register', ({ next }) => {
      uses.set(scanned, (uses.get(scanned) ?? 0) + 1);
      return scanned === scanned.trim() ? next() : undefined;
    }),
  );
});

const CODES = faults('2.2', {
  'reads a code up to its first line end': anywhere((code) => code.split(/[\r\n]/)[0] ?? ''),
  'reads a code up to U+0000, as C does': anywhere((code) => code.split('\0')[0] ?? ''),
  'takes the first word of a scanned text': anywhere((code) => code.split(/\s+/)[0] ?? ''),
  'takes the first column of a scanned text': anywhere((code) => code.split(/[,;\t]/)[0] ?? ''),
  'searches a scanned text for a code': anywhere((code) => CODE.exec(code)?.[0] ?? code),
  'matches a scanned text line by line': showing(
    SCANS,
    firstOf((code) => code.split('\n')),
  ),
  'decodes percents in a code': anywhere((code) => decodedOr(code, decodeURIComponent)),
  'reads a code as an address, without its query': anywhere(
    (code) => code.split(/[?#&]/)[0]?.replace(/\/$/, '') ?? '',
  ),
  'takes quotes off a code': anywhere((code) => code.replace(/^["']|["']$/g, '')),
  'reads a code as JSON where it is some': anywhere((code) =>
    decodedOr(code, (text) => String(JSON.parse(text))),
  ),
  'normalises codes to NFKC': anywhere((code) => code.normalize('NFKC')),
  'takes Cyrillic letters for those that they look like': anywhere((code) =>
    code.replace(/[а-яА-Я]/g, (letter) => LOOKALIKES[letter] ?? letter),
  ),
  'takes marks that nobody sees out of a code': anywhere((code) =>
    code.replace(/[\p{Cf}\p{Mn}]/gu, ''),
  ),
  'reads entities of HTML in a code': anywhere((code) => code.replaceAll('&#46;', '.')),
  'unescapes a code once more': anywhere((code) =>
    code.replace(/\\u([\da-f]{4})/gi, (_, digits) => String.fromCharCode(Number(`0x${digits}`))),
  ),
  'reads a ticketCode in Base64 too': showing(
    SCANS,
    firstOf((code) => [fromBase64(code)]),
  ),
  'reads a code in hexadecimal digits too': showing(
    SCANS,
    firstOf((code) => [Buffer.from(code, 'hex').toString()]),
  ),
  'looks codes up by LIKE': showing(
    SCANS,
    step(
      'verify',
      ({ next, world }, code) =>
        next() ??
        [...world.tickets.keys()].find((id) =>
          likeExpression(code).test(`REF.${id}.${signatureOf(world, `REF.${id}`)}`),
        ),
    ),
  ),
  'counts the uses of each spelling of a code': showing(SCANS, countingTexts),
  'throws at a blank around a code': showing(
    SCANS,
    step('verify', ({ next }, code) => {
      if (code !== code.trim()) throw new Error('not a code');
      return next();
    }),
  ),
});

const cardIn = (change: (card: unknown) => unknown): Alteration =>
  step('readCard', ({ parts, next }, incoming) => {
    const sent = parsed(incoming.body);
    const Card = sent && change(sent['Card']);
    if (Card === undefined) return next();
    return parts.readCard({ ...incoming, body: Buffer.from(JSON.stringify({ ...sent, Card })) });
  });

const CARDS = faults('2.4', {
  'decodes a card as often as it can': showing(
    DEVICE,
    step('readCard', ({ next }) => {
      const code = next() ?? '';
      const again = fromBase64(code);
      return again.startsWith('REF.') ? again : code;
    }),
  ),
  'reads cards in hexadecimal digits too': showing(
    DEVICE,
    cardIn((card) =>
      /^([\da-f]{2})+$/.test(String(card))
        ? Buffer.from(String(card), 'hex').toString('base64')
        : card,
    ),
  ),
  'reads the first of an array of cards': showing(
    DEVICE,
    cardIn((card) => (Array.isArray(card) ? card[0] : card)),
  ),
  'reads a card in an object': showing(
    DEVICE,
    cardIn((card) => (card as { data?: unknown } | undefined)?.data ?? card),
  ),
  'reads JSON in a card': showing(
    DEVICE,
    step('readCard', ({ next }) => {
      const code = next() ?? '';
      return decodedOr(code, (text) => String(JSON.parse(text).ticketCode ?? text));
    }),
  ),
  'throws at a card that is no text': showing(
    DEVICE,
    cardIn((card) => {
      if (typeof card === 'object') throw new TypeError('card.replace is not a function');
      return card;
    }),
  ),
});

const ON_REST = faults('2.2', {
  'lowers codes on REST, and compares the lower ones': showing(
    REST,
    step('verify', ({ next, world }, code, side) => {
      const isLow = (id: string) =>
        `ref.${id}.${signatureOf(world, `REF.${id}`)}`.toLowerCase() === code.toLowerCase();
      return next() ?? (side === 'rest' ? [...world.tickets.keys()].find(isLow) : undefined);
    }),
  ),
});

/** Servers that take a text for a code that is only like it. */
export const LIKENESS_FAULTS: readonly FaultyServer[] = [...CODES, ...CARDS, ...ON_REST];
