import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../check/support/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticketscan-foreign-'));
const STORE = ['--store', `sqlite:${join(folder, 'store.db')}`];
const run = (...args: string[]) => runCommand([...args, ...STORE]);
const list = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
let eventId = '';

beforeAll(async () => {
  await run('events', 'create', '--name', 'Pool');
  await run('events', 'create', '--name', 'Sauna');
  eventId = JSON.parse((await run('events', 'list', '--json')).stdout)[0].id;
});
afterAll(() => rmSync(folder, { recursive: true }));

const SHOP = 'Product;Category;Vorname\nVIP 2027;Season;Ada\nPool;day;Grace\n';

test('mint takes the names that another shop has for events and types', async () => {
  const maps = ['--event-map', 'vip 2027=Pool', '--type-map', 'Season=permanent,DAY=single'];
  const { code, stdout, stderr } = await run(
    ...['mint', '--event', 'Pool', '--from-csv', list('shop.csv', SHOP), '--json'],
    ...['--columns', 'event=Product,type=Category', ...maps],
  );
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const made = JSON.parse(stdout).map(
    ({ ticketType, usesAllowed, holder }: Record<string, unknown>) => [
      ticketType,
      usesAllowed,
      (holder as { firstName: string }).firstName,
    ],
  );
  expect(made).toEqual([
    ['multi', 9999, 'Ada'],
    ['single', 1, 'Grace'],
  ]);
});

test('tickets import takes the name of an event, its own or a mapped one, and never another event', async () => {
  const id = (number: number) => `tkt_${eventId}_0123456789abcdefghi${number}`;
  const rows = ['VIP', 'Pool', eventId].map((event, number) => `${id(number)},${event},Season`);
  const file = list('tickets.csv', `ticketId,event,type\n${rows.join('\n')}\n`);
  const imported = (event: string) =>
    run('tickets', 'import', file, '--event-map', `VIP=${event}`, '--type-map', 'season=permanent');
  const wrong = await imported('Sauna');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('line 2, column event: The row is for the event "');
  expect(wrong.stderr).toContain('but the ticket id is of another');
  expect(await imported('Pool')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('3 tickets imported'),
  });
  const { stdout } = await run('tickets', 'show', id(0), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ usesAllowed: 9999 });
});

test.each([
  [['--event-map', 'VIP=Pol'], 'Unknown event "Pol". Did you mean "Pool"?'],
  [
    ['--type-map', 'VIP=permanant'],
    '--type-map: "permanant" is not a type. Did you mean "permanent"?',
  ],
  [['--type-map', 'VIP'], '--type-map: "VIP" is not a pair. Write TEXT=MEANING'],
  [['--event-map', 'VIP=Pool,vip=Sauna'], '--event-map names "vip" twice'],
])('%j is refused', async (options, message) => {
  const file = list('one.csv', 'ticketId\n');
  const { code, stderr } = await run('tickets', 'import', file, ...options);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
