import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finished, Workplace } from '../support/program.ts';

const place = new Workplace();
const SUMMER = ['--event', 'Summer pool', '--type', 'single'];

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Summer pool');
});

afterAll(() => place.remove());

test('a run is not resumed with another signing key: half its codes would be of the one, half of the other', async () => {
  const run = [
    'mint',
    ...SUMMER,
    '--count',
    '4000',
    '--format',
    'png',
    '--no-verify',
    '--out',
    'run',
  ];
  await cutShort(run, () => readdirSync(place.path('run')).some((name) => name.endsWith('.png')));
  const before = await place.json<{ tickets: number }>('audit');
  await place.output('signing-keys', 'rotate', '--format', 'TS1');

  const { code, stderr } = await place.run(...run, '--resume');

  expect(code).toBe(2);
  expect(stderr).toContain('its original options, list and signing key');
  expect(await place.json('audit')).toEqual(before);
}, 60_000);

test('without an active key nothing is minted, and it says how to make one', async () => {
  await place.output('mint', ...SUMMER, '--out', 'first');
  const file = place.path('ticketscan.keyring.json');
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, whole.replaceAll('"active"', '"verify-only"'));
  const before = await place.json('audit');

  const { code, stderr } = await place.run('mint', ...SUMMER, '--out', 'keyless');

  expect(code).toBe(2);
  expect(stderr).toContain('ticketscan signing-keys rotate');
  expect(await place.json('audit')).toEqual(before);
  await place.output('signing-keys', 'rotate');
  await place.output('mint', ...SUMMER, '--out', 'keyless');
}, 60_000);

test('an import stopped with Ctrl-C says how far it came, and is completed without doubles', async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => {
    return `tkt_abc123_${index.toString(36).padStart(20, '0')},multi,10,3`;
  });
  writeFileSync(
    place.path('big.csv'),
    `ticketId,ticketType,usesAllowed,usesConsumed\n${rows.join('\n')}\n`,
  );
  const store = ['--store', 'sqlite:./imported.db', '--keyring', './ticketscan.keyring.json'];
  const run = ['tickets', 'import', 'big.csv', '--create-events', ...store];

  const { code, stderr } = await cutShort(run, () => ticketsIn('imported.db') > 0);

  const stored = ticketsIn('imported.db');
  expect(code).toBe(130);
  expect(stored).toBeLessThan(rows.length);
  expect(stderr).toContain(`Stopped: ${stored} of ${rows.length} tickets are stored`);
  expect(await place.json(...run, '--skip-existing')).toMatchObject({ existing: stored });
  expect(await place.json('audit', ...store)).toMatchObject({ ok: true, tickets: rows.length });
}, 120_000);

/** Starts the program and sends it Ctrl-C as soon as `isUnderWay`. */
async function cutShort(args: readonly string[], isUnderWay: () => boolean) {
  const child = place.start(...args);
  const ended = finished(child);
  while (child.exitCode === null && !orFalse(isUnderWay)) await wait(2);
  child.kill('SIGINT');
  return await ended;
}

function orFalse(question: () => boolean): boolean {
  try {
    return question();
  } catch {
    // The folder or the table is not there yet.
    return false;
  }
}

function ticketsIn(file: string): number {
  const database = new DatabaseSync(place.path(file), { readOnly: true });
  try {
    return database.prepare('SELECT count(*) AS tickets FROM ticket').get()?.['tickets'] as number;
  } finally {
    database.close();
  }
}
