import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

const LIST = ['firstName,Order,Seats', 'Ada,A-1,1', 'Bob,A-2,3'];
const MINT = ['mint', '--event', 'Pool', '--unique-reference', '--reference'];
const FROM_LIST = [...MINT, 'Order', '--from-csv', 'list.csv', '--quantity', 'Seats'];

async function withPool(): Promise<CliFolder> {
  const cli = new CliFolder();
  await cli.json(['events', 'create', '--name', 'Pool']);
  return cli;
}

const write = (cli: CliFolder, rows: readonly string[], name = 'list.csv') =>
  writeFileSync(join(cli.path, name), rows.join('\n'));

const numberOf = async (cli: CliFolder) => (await cli.json(['tickets', 'list'])).length;

test('a list that is minted again makes what is new, and says how much it knew', async () => {
  await using cli = await withPool();
  write(cli, LIST);
  expect(await cli.json([...FROM_LIST, '--json'])).toHaveLength(4);
  const again = await cli.run([...FROM_LIST, '--json']);
  expect(again).toMatchObject({ code: 0, out: '[]\n' });
  expect(again.err).toContain('2 references known already');
  expect(await numberOf(cli)).toBe(4);

  const [, ...rows] = LIST;
  write(cli, [
    'firstName,Order,Seats,Row',
    'Cy,A-3,1,c',
    ...rows.map((row) => `${row},x`),
    'Di,A-4,2,d',
  ]);
  const files = ['--out', 'next', '--format', 'csv', '--keep-columns', 'Row'];
  const third = await cli.run([...FROM_LIST, ...files]);
  expect(third.err).toContain('2 references known already');
  expect(third.err).toContain('3 tickets are in the store');
  expect(await numberOf(cli)).toBe(7);
  const table = readFileSync(join(cli.path, 'next', 'tickets.csv'), 'utf8');
  // Each kept cell stays with its ticket.
  expect(table.match(/Cy.*,c$/gmu)).toHaveLength(1);
  expect(table.match(/Di.*,d$/gmu)).toHaveLength(2);
  expect(table).not.toMatch(/Ada|Bob/u);
  expect(readdirSync(join(cli.path, 'next'))).toEqual(['tickets.csv']);
});

test('rows without a reference, and two with one, are refused before anything is stored', async () => {
  await using cli = await withPool();
  write(cli, [...LIST, 'Eve,A-1,1', 'Fay,,1']);
  const refused = await cli.run(FROM_LIST);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('This reference is also on line 2');
  expect(refused.err).toContain('Each row needs a reference');
  expect(await numberOf(cli)).toBe(0);
  expect((await cli.run([...FROM_LIST, '--skip-bad'])).code).toBe(0);
  expect(await numberOf(cli)).toBe(4);
});

test('without a list, a reference that is known makes nothing', async () => {
  await using cli = await withPool();
  expect(await cli.json([...MINT, 'B-1', '--count', '2', '--json'])).toHaveLength(2);
  expect(await cli.json([...MINT, 'B-1', '--count', '5', '--json'])).toEqual([]);
  expect(await numberOf(cli)).toBe(2);
  expect((await cli.run(MINT.slice(0, -1))).err).toContain('--reference');
  expect((await cli.run([...MINT, 'B-2', '--count', '5001'])).code).toBe(2);
});

test('a list of tickets with ids is imported once, whichever ids it brings', async () => {
  await using cli = await withPool();
  const [{ ticketId }] = await cli.json(['mint', '--event', 'Pool', '--reference', 'C-1']);
  const id = (letter: string) => `${ticketId.slice(0, 11)}${letter.repeat(20)}`;
  const list = ['ticketId,Order', `${ticketId},C-1`, `${id('x')},C-2`];
  write(cli, list);
  const load = ['tickets', 'import', 'list.csv', '--reference', 'Order'];
  expect((await cli.run(load)).code).toBe(2);
  const unique = [...load, '--unique-reference'];
  expect(await cli.json(unique)).toMatchObject({ imported: 1, existing: 0, known: 1 });
  expect(await cli.json(unique)).toMatchObject({ imported: 0, existing: 0, known: 2 });
  write(cli, [...list, `${id('y')},C-3`, `${id('z')},C-2`]);
  expect((await cli.run(unique)).err).toContain('also on line 3');
  write(cli, ['ticketId,Order', `${id('y')},C-3`, `${id('z')},C-2`]);
  expect((await cli.run(unique)).err).toContain('1 row skipped: the reference is known already.');
  expect(await numberOf(cli)).toBe(3);
});

test('an order without a number is refused, also where a script has an empty variable', async () => {
  await using cli = await withPool();
  const alone = MINT.slice(0, -1);
  for (const line of [alone, [...MINT, ''], [...MINT, '  ']]) {
    const { code, err } = await cli.run(line);
    expect([code, err]).toEqual([2, expect.stringContaining('needs the reference')]);
  }
  expect(await numberOf(cli)).toBe(0);
});
