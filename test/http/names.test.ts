import { afterAll, beforeAll, expect, test } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service[Symbol.asyncDispose]());

/** What a display, a log, a table or an engine could stumble over. */
const FINE = [
  ...['A', 'Gate 1', 'Ærøskøbing', 'Müller-Lüdenscheidt', "O'Brien", 'D’Arcy', '李', '山田 太郎'],
  ...[
    'Νίκος',
    'Владимир',
    'محمد',
    'שלום',
    'ประเทศไทย',
    'हिन्दी',
    'e\u0301',
    '🇩🇪',
    '👍🏽',
    ' x',
    'y ',
  ],
  ...['👩\u200d👩\u200d👧\u200d👦', '"', '`', '\\', '<b>', '&amp;', `$\{x}`, '%00'],
  ...["'; DROP TABLE ticket; --", '../..', 'a,b', '=1+1', '@SUM(A1)', 'null', '0', '__proto__'],
  ...['x'.repeat(200), 'ä'.repeat(200), '😀'.repeat(200), '\ufffd', '\uffff', '\u{10ffff}'],
];
const CONTROL_CHARACTERS = [
  ...Array.from({ length: 32 }, (_, code) => code),
  ...Array.from({ length: 33 }, (_, code) => 0x7f + code),
  // They turn the text around them, or end a line.
  ...[0x202a, 0x202e, 0x2066, 0x2069, 0x2028, 0x2029],
].map((code) => String.fromCharCode(code));
const REFUSED = [
  ...['x'.repeat(201), '😀'.repeat(201), 'ä'.repeat(201), '\ud800', 'x\udc00', '\udbff\udbff'],
  ...CONTROL_CHARACTERS.map((character) => `a${character}b`),
];
/** A record has to have a name that can be seen; a person may have any. */
const BLANK = ['\u00a0', '\u2003', '\ufeff', ' ', '\u200b', '\u200f'];

/** Those that are not turned down for a reason that a person can read. */
async function notRefused(names: readonly string[], use: (name: string) => Promise<unknown>) {
  const wrong: string[] = [];
  for (const name of names) {
    const error = await use(name).catch((reason: unknown) => reason);
    const isReason = error instanceof TicketscanError && error.code === 'usage';
    if (!isReason || /\p{Cc}/u.test(error.message)) wrong.push(`${JSON.stringify(name)}: ${error}`);
  }
  return wrong;
}

const nameEvent = (name: string) =>
  service.administration.events.create(name, service.seeded.organisation);
const nameKey = (name: string) =>
  service.administration.keys.create({ name, type: 'api', events: 'all' });
const nameHolder = (name: string) => service.mint({ firstName: name, lastName: '' });

test('names of events and keys are kept as they are', async () => {
  const kept: string[] = [];
  for (const name of FINE) {
    const event = await nameEvent(name);
    const { key } = await nameKey(name);
    const record = (await service.store.list('key')).find(({ id }) => id === key.id);
    await service.administration.keys.delete(key.id);
    if (event.name === name && record?.name === name) kept.push(name);
  }
  expect(kept).toEqual(FINE);
});

test('names that cannot be shown are refused with a reason', async () => {
  expect(await notRefused([...REFUSED, ...BLANK, ''], nameEvent)).toEqual([]);
  expect(await notRefused([...REFUSED, ...BLANK, ''], nameKey)).toEqual([]);
  expect(await notRefused(REFUSED, nameHolder)).toEqual([]);
});

test.each([...FINE, ...BLANK])(
  'of the holder %j, software gets the whole name and a display at most 16 bytes of whole characters',
  async (name) => {
    const code = await nameHolder(name);
    const { json } = await service.card('validate', code);
    expect((await service.rest('validate', code)).json.holder.firstName).toBe(name);
    expect(name.trim().startsWith(json.Name) && json.Name.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(json.Name)).toBeLessThanOrEqual(16);
    expect(Buffer.byteLength(json.Note)).toBeLessThanOrEqual(32);
  },
);
