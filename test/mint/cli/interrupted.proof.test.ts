import { readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../src/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../../support/an-audit-entry.ts';
import { finished, Workplace } from '../support/program.ts';

const place = new Workplace();
const SUMMER = ['--event', 'Summer pool', '--type', 'single'];

beforeAll(async () => {
  await place.output('events', 'create', '--name', 'Summer pool');
});

afterAll(() => place.remove());

test('a run is not resumed with another signing key: half its codes would be of the one, half of the other', async () => {
  const images = ['--count', '2000', '--format', 'png', '--no-verify', '--out', 'run'];
  const run = ['mint', ...SUMMER, ...images];
  await cutShort(run, () => readdirSync(place.path('run')).some((name) => name.endsWith('.png')));
  const before = await place.json<{ tickets: number }>('audit');
  await place.output('signing-keys', 'rotate', '--format', 'TS1');

  const { code, stderr } = await place.run(...run, '--resume');

  expect(code).toBe(2);
  expect(stderr).toContain('its original options, list and signing key');
  expect(await place.json('audit')).toEqual(before);
});

test('an import stopped with Ctrl-C says how far it came, and is completed without doubles', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => {
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
});

test('an import that meets a ticket of another program half-way says how far it came', async () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => {
    return `tkt_abc124_${index.toString(36).padStart(20, '0')}`;
  });
  const rows = ids.map((id) => `${id},multi,10`);
  writeFileSync(place.path('raced.csv'), `ticketId,ticketType,usesAllowed\n${rows.join('\n')}\n`);
  const url = `sqlite:${place.path('raced.db')}`;
  const other = await openStore(url);
  onTestFinished(() => other.close());
  const run = ['tickets', 'import', 'raced.csv', '--create-events', '--store', url];
  const ended = finished(place.start(...run, '--keyring', './ticketscan.keyring.json'));

  while (ticketsIn('raced.db') === 0) await wait(2);
  const rest = { holder: null, validFrom: null, validUntil: null, createdAt: 0 };
  const last = { id: ids.at(-1) ?? '', eventId: 'abc124', ticketType: 'multi', usesAllowed: 10 };
  await other.insertTickets([{ ...last, ...rest } as never], AN_AUDIT_ENTRY);
  const { code, stderr } = await ended;

  const stored = ticketsIn('raced.db') - 1;
  expect(code).toBe(2);
  expect(stderr).toContain('already exists');
  expect(stderr).toContain(`${stored} of ${rows.length} tickets are stored. Run it again`);
});

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
