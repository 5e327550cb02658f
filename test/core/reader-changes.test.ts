import { expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { changesSuspected, findingInWords, readerFinding } from '../../src/core/reader-changes.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { AT_COMPUTERS, FROM_READERS, LETTERS } from './support/keyboards.ts';

const KEYRING = temporaryKeyring();
const CODE = makeTicketCode('tkt_zy12qm_yzqwm0123456789abcde', KEYRING, 'TS1');
const LONG = makeTicketCode('tkt_zy12qm_yzqwm0123456789abcde', KEYRING, 'TS2');

/** What arrives at a computer where each of the letters is another. */
function typed(text: string, meant: string, arrived: string): string {
  const to = [...arrived];
  return [...text].map((sign) => to[[...meant].indexOf(sign)] ?? sign).join('');
}

/** Genuine codes, as many as are asked for. */
const codes = (count: number): string[] =>
  Array.from({ length: count }, (_none, index) =>
    makeTicketCode(
      `tkt_zy12qm_yzqwm0123456789abc${String(index).padStart(3, '0')}`,
      KEYRING,
      'TS1',
    ),
  );

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
  ['suffix', (text: string) => `${text}|2026-11-29 06:30`],
  ['suffix', (text: string) => `${text} 2026-11-29 06:30:59`],
  ['suffix', (text: string) => `${text}\t29.11.2026 06:30\r\n`],
  ['suffix', (text: string) => `${text}06:30 gate 1`],
  ['suffix', (text: string) => `${text},SN 123 456`],
  ['prefix', (text: string) => `2026-11-29 06:30 ${text}`],
  ['prefix,suffix', (text: string) => `gate 1: ${text} ok ok`],
  ['layout,suffix', (text: string) => `${german(text)} 29.11. 06.30`],
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

test.each([
  ['nothing', ''],
  ['a line end', '\r\n'],
  ['a blank', ' '],
  ['a semicolon', ';'],
])('two tickets that came as one, with %s between, are told', (_, between) => {
  const [one = '', other = ''] = codes(2);
  for (const text of [
    `${one}${between}${other}`,
    `${LONG}${between}${one}`,
    `${one}${between}${one}${between}${other}`,
    `${one}${between}${other.slice(0, 30)}`,
    `${other.slice(0, 30)}${between}${one}`,
    `]Q1${one}${between}${other}\r\n`,
  ]) {
    const finding = readerFinding(text, KEYRING);
    expect([text, finding?.isGenuine, finding?.changes]).toEqual([text, true, ['several']]);
    expect(finding && findingInWords(finding)).toMatch(
      /Two tickets came as one: .*pause.*continuous/u,
    );
  }
  const typedAsOne = readerFinding(german(`${one}${between}${other}`), KEYRING);
  expect(typedAsOne?.changes).toEqual(['layout', 'several']);
});

test.each([1, 3, 4, 6, 8])(
  'a code of which %i characters are missing in front and some behind is told',
  (lost) => {
    for (const code of [CODE, LONG]) {
      for (const end of lost < 8 ? [-1, -8, -20] : [-1, -8]) {
        const finding = readerFinding(code.slice(lost, end), KEYRING);
        expect(finding).toEqual({ isGenuine: false, changes: ['cutBefore', 'cut'] });
      }
    }
    expect(readerFinding(`${CODE.slice(lost, -3)}\r\n`, KEYRING)?.changes).toEqual([
      'cutBefore',
      'cut',
    ]);
    // The log has the beginning alone.
    if (lost < 8)
      expect(changesSuspected(`${CODE.slice(lost, lost + 24)}…`)?.changes).toEqual(['cutBefore']);
  },
);

test('what was typed on another keyboard, and cut, is told as both', () => {
  expect(readerFinding(german(CODE).slice(0, -4), KEYRING)?.changes).toEqual(['layout', 'cut']);
  expect(readerFinding(`]Q1${CODE.slice(0, 40)}`, KEYRING)?.changes).toEqual(['symbology', 'cut']);
});

const KEYBOARDS = [
  ...Object.entries(AT_COMPUTERS).map(([name, row]) => [`a computer of ${name}`, row] as const),
  ...Object.entries(FROM_READERS).map(([name, row]) => [`a reader of ${name}`, row] as const),
];

test.each(KEYBOARDS.filter(([, row]) => row !== LETTERS))(
  '%s is told as another keyboard layout',
  (_, row) => {
    // Where one letter arrives for two, as for S and W in Greece, nobody can tell which was meant.
    const isClear = new Set(row).size === row.length;
    const code = codes(60).find((one) => isClear || !one.includes('W')) ?? '';
    const text = typed(code, LETTERS, row);
    for (const one of [text, `${text}\r\n`, `]Q1${text}`]) {
      const finding = readerFinding(one, KEYRING);
      expect([one, finding?.isGenuine, finding?.changes[0]]).toEqual([one, true, 'layout']);
    }
  },
);

test('a pair of keyboards that nobody knows is told by what stays of a code', () => {
  expect(readerFinding(CODE.replace('TS1.tkt_', 'TS&:tkt§'), KEYRING)?.changes).toEqual(['layout']);
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

test.each([
  ['suffix', `${CODE}|2026-11-29 06:30`],
  ['suffix', `${CODE}\r\n`],
  ['twice', `${CODE}${CODE}`],
  ['several', `${CODE}${LONG}`],
  ['prefix,suffix', `gate ${CODE} ok`],
  ['layout,suffix', `${german(CODE)}|x`],
  ['cut', CODE.slice(0, 40)],
])('without the keyring, too, what was done is seen: %s', (changes, text) => {
  const finding = changesSuspected(text);
  expect([finding?.isGenuine, finding?.changes.join()]).toEqual([false, changes]);
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
