import { expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { changesSuspected, findingInWords, readerFinding } from '../../src/core/reader-changes.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';

const KEYRING = temporaryKeyring();
const CODE = makeTicketCode('tkt_zy12qm_yzqwm0123456789abcde', KEYRING, 'TS1');
const LONG = makeTicketCode('tkt_zy12qm_yzqwm0123456789abcde', KEYRING, 'TS2');

/** What arrives at a computer where each of the letters is another. */
function typed(text: string, meant: string, arrived: string): string {
  const to = [...arrived];
  return [...text].map((sign) => to[[...meant].indexOf(sign)] ?? sign).join('');
}

const swapped = (text: string) =>
  [...text]
    .map((sign) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase()))
    .join('');

/** A reader of the United States at a German computer. */
const german = (text: string) => typed(text, 'zyZY_-', 'yzYZ?ß');

test.each([
  ['layout', german],
  ['layout', (text: string) => typed(text, 'zyZY_-', 'yzYZ?/')],
  ['layout', (text: string) => typed(text, '_-', "?'")],
  ['layout', (text: string) => typed(text, '1234567890aqwzAQWZm.M-_', '&é"\'(-è_çàqazwQAZW,:?)°')],
  ['case', swapped],
  ['layout,case', (text: string) => german(swapped(text))],
  ['symbology', (text: string) => `]Q1${text}`],
  ['prefix', (text: string) => `A${text}`],
  ['suffix', (text: string) => `${text}\r\n`],
  ['suffix', (text: string) => `${text}X`],
  ['twice', (text: string) => `${text}${text}`],
  ['twice', (text: string) => `${text}\r\n${text}\r\n`],
  ['url', (text: string) => `https://tickets.example.org/t/${text}?x=1`],
  ['base64', (text: string) => Buffer.from(text).toString('base64')],
  ['base64', (text: string) => Buffer.from(text).toString('base64url')],
  ['url', (text: string) => `https%3A%2F%2Fx.example%2F${text}`],
  ['blanks', (text: string) => text.replace('.', '. ')],
  ['blanks', (text: string) => [...text].join('\0')],
  ['layout,symbology', (text: string) => `]Q1${german(text)}`],
  ['layout', (text: string) => text.replaceAll('.', ',')],
  ['hex', (text: string) => Buffer.from(text).toString('hex')],
  ['hex', (text: string) => Buffer.from(text).toString('hex').toUpperCase()],
  [
    'url,base64',
    (text: string) => `https://x.example/?q=${Buffer.from(text).toString('base64url')}`,
  ],
  ['entities', (text: string) => text.replaceAll('.', '&#46;')],
  ['entities', (text: string) => text.replaceAll('_', '&#x5f;')],
  ['bounce', (text: string) => [...text].map((letter) => letter + letter).join('')],
  ['signs', (text: string) => text.replace('T', '\u0422')],
  ['signs', (text: string) => text.replace('_', ' ')],
  ['signs,symbology', (text: string) => `]Q1${text.replaceAll('_', ' ')}`],
  ['lines', (text: string) => text.replace('_', '').replace('_', '')],
  ['cutBefore', (text: string) => text.slice(1)],
  ['cutBefore', (text: string) => `${text.slice(3)}\r\n`],
  ['cutBefore', (text: string) => text.slice(8)],
])('a genuine code is found that was changed by %s', (changes, change) => {
  for (const code of [CODE, LONG]) {
    const finding = readerFinding(change(code), KEYRING);
    expect({ ...finding, changes: finding?.changes.join() }).toEqual({ isGenuine: true, changes });
  }
});

test('a forged code is not called genuine, and a code of another keyring neither', () => {
  const last = CODE.endsWith('A') ? 'B' : 'A';
  const forged = `${CODE.slice(0, -1)}${last}`;
  const other = makeTicketCode('tkt_zy12qm_yzqwm0123456789abcde', temporaryKeyring(), 'TS1');
  for (const code of [forged, other, german(forged), `]Q1${forged}`, `${forged}${forged}`])
    expect(readerFinding(code, KEYRING)?.isGenuine ?? false).toBe(false);
  expect(readerFinding(forged, KEYRING)).toBeUndefined();
  expect(readerFinding('https://example.org/menu.pdf', KEYRING)).toBeUndefined();
  expect(readerFinding('', KEYRING)).toBeUndefined();
});

test('what was cut, or lost its letter case, is named, but not as genuine', () => {
  for (const length of [10, 30, CODE.length - 1])
    expect(readerFinding(CODE.slice(0, length), KEYRING)?.changes).toEqual(['cut']);
  expect(readerFinding(CODE.toUpperCase(), KEYRING)?.changes).toEqual(['case', 'lost']);
  expect(readerFinding(CODE.toLowerCase(), KEYRING)?.changes).toEqual(['case', 'lost']);
});

test.each([
  [german(CODE), 'layout'],
  [swapped(CODE), 'case'],
  [`]Q1${CODE}`, 'symbology'],
  [`https://x.example/${CODE}`, 'url'],
  [Buffer.from(CODE).toString('base64'), 'base64'],
])('the beginning of %s in the log shows what was done', (text, change) => {
  const finding = changesSuspected(`${text.slice(0, 28)}…`);
  expect([finding?.isGenuine, finding?.changes.join()]).toEqual([false, change]);
});

test.each([`${CODE.slice(0, 24)}…`, 'https://example.org/menu…', '4006381333931…'])(
  'the beginning %s shows nothing',
  (beginning) => {
    expect(changesSuspected(beginning)).toBeUndefined();
  },
);

test('both languages say what to do', () => {
  const finding = readerFinding(german(CODE), KEYRING);
  expect(finding && findingInWords(finding)).toMatch(/not forged.*keyboard layout/u);
  expect(finding && findingInWords(finding, 'de')).toMatch(/nicht gefälscht.*Tastaturbelegung/u);
});

test('a long text takes bounded work', () => {
  const text = 'TS1.tkt_aaaaaa_'.repeat(100_000);
  expect(readerFinding(text, KEYRING)?.isGenuine ?? false).toBe(false);
});
