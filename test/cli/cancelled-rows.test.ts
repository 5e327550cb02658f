import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';

const FROM = ['mint', '--event', 'Pool', '--from-csv', 'list.csv'];

async function withPool(): Promise<InProcess> {
  const cli = new InProcess();
  await cli.run('events create --name Pool');
  return cli;
}

const write = (cli: InProcess, rows: readonly string[]) =>
  writeFileSync(join(cli.path, 'list.csv'), rows.join('\n'));

/** The state of each reference. */
async function stored(cli: InProcess): Promise<Record<string, string>> {
  const tickets: { reference: string; state: string }[] = await cli.json('tickets list');
  return Object.fromEntries(tickets.map(({ reference, state }) => [reference, state]));
}

test('an item that was refunded in a completed order is cancelled, and makes no ticket', async () => {
  const sample = readFileSync('fixtures/shop-maps/woocommerce.csv', 'utf8').trim();
  const refunded = sample.replace('Day ticket,2,2,', 'Day ticket,0,2,').split('\n');
  const line = [...FROM, '--map', 'woocommerce', '--type-map', 'Day ticket=single', '--update'];
  await using cli = await withPool();
  write(cli, refunded);
  const first = await cli.run(line);
  expect(first.code).toBe(0);
  expect(first.err).toMatch(/^2 rows are cancelled in the list: they make no ticket\.$/mu);
  expect(await stored(cli)).toEqual({ '4711-2': 'valid' });
  await using known = await withPool();
  write(known, sample.split('\n'));
  await known.run(line);
  write(known, refunded);
  const { code, err } = await known.run(line);
  expect([code, err]).toEqual([0, expect.stringContaining('to cancel: 2, as they are: 1.')]);
  expect(await stored(known)).toEqual({
    '4711-1': 'cancelled',
    '4711-2': 'valid',
  });
});

test('what else a column of cancelled rows has is told, and a word that no row has', async () => {
  await using cli = await withPool();
  const states = ['paid', 'refunded', 'pending', 'void', 'Paid'];
  write(cli, ['Order,Status', ...states.map((state, at) => `S-${at},${state}`)]);
  const line = [...FROM, '--reference', 'Order', '--update'];
  const valid = 'Rows that count as valid by Status: paid (2), refunded (1), pending (1).';
  const dry = await cli.run([...line, '--cancelled', 'Status=void,gone', '--dry-run']);
  expect(dry.err).toContain(valid);
  expect(dry.err).toContain('No row has gone in the column Status.');
  const chosen = ['--only', 'Status=paid', '--cancelled', 'Status=void', '--dry-run'];
  expect((await cli.run([...line, ...chosen])).err).not.toContain('count as valid');
  const done = await cli.run([...line, '--cancelled', 'Status=void']);
  expect(done.err).toContain(valid);
  expect(done.err).not.toContain('No row has');
});
