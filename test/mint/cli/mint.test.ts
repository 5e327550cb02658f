import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workplace } from '../support/program.ts';

const place = new Workplace();

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Summer pool');
});

afterAll(() => place.remove());

interface Minted {
  readonly ticketId: string;
  readonly code: string;
  readonly usesAllowed: number;
  readonly holder: unknown;
  readonly validUntil: string | null;
}

function mint(...args: string[]) {
  return place.run('mint', '--event', 'Summer pool', ...args);
}

async function storedTickets(): Promise<number> {
  return (await place.json<{ tickets: number }>('audit')).tickets;
}

test('every format is written, read back and named by the ticket', async () => {
  const formats = 'png,svg,txt,pdf,csv,json';
  const { code, stderr } = await mint(
    '--count',
    '3',
    '--type',
    'permanent',
    '--out',
    'all',
    '--format',
    formats,
  );

  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('two decoders'),
  });
  const tickets = JSON.parse(readFileSync(place.path('all/tickets.json'), 'utf8')) as Minted[];
  const files = ['tickets.csv', 'tickets.json', 'tickets.pdf'];
  for (const { ticketId } of tickets) {
    files.push(`${ticketId}.png`, `${ticketId}.svg`, `${ticketId}.txt`);
  }
  expect(readdirSync(place.path('all')).toSorted()).toEqual(files.toSorted());
  expect(tickets.map(({ usesAllowed }) => usesAllowed)).toEqual([9999, 9999, 9999]);
});

test('a list with one bad row mints nothing, and names line and column', async () => {
  writeFileSync(place.path('bad.csv'), 'type,uses,firstName\nsingle,,Ada\nmulti,500,Bob\n');
  const before = await storedTickets();
  const { code, stderr } = await mint('--from-csv', 'bad.csv', '--out', 'bad');

  expect(code).toBe(2);
  expect(stderr).toContain('line 3, column uses: A multi-use card has 2 to 100 uses.');
  expect(await storedTickets()).toBe(before);
});

test('--skip-bad mints the good rows and reports the bad ones', async () => {
  writeFileSync(
    place.path('some.csv'),
    '\ufefftype;uses;First Name;valid until\r\nsingle;;Ελένη;2026-12-24\r\nmulti;500;Bob;\r\n',
  );
  const { code, stderr } = await mint(
    ...[
      '--from-csv',
      'some.csv',
      '--skip-bad',
      '--out',
      'some',
      '--format',
      'json',
      '--time-zone',
      'Europe/Athens',
    ],
  );

  const tickets = JSON.parse(readFileSync(place.path('some/tickets.json'), 'utf8')) as Minted[];
  expect(code).toBe(0);
  expect(stderr).toContain('skipped line 3, column uses');
  expect(tickets).toHaveLength(1);
  expect(tickets[0]).toMatchObject({
    holder: { firstName: 'Ελένη', lastName: '' },
    validUntil: '2026-12-24T21:59:59.999Z',
  });
});

test('a list of codes is not overwritten by accident', async () => {
  await mint('--out', 'once', '--format', 'csv');
  const { code, stderr } = await mint('--out', 'once', '--format', 'csv');

  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--overwrite'),
  });
});
