import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/config/system-clock.ts';
import type { BatchRequest } from '../../src/core/scan-batch.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { runCommand } from '../check/support/run-command.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-organisations-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  runCommand([...args, '--store', `sqlite:${join(folder, 'gate.db')}`], {
    PW: 'correct horse battery',
  });

async function account(name: string, organisation: string): Promise<void> {
  const who = ['--name', name, '--role', 'owner', '--organisation', organisation];
  const made = await run('accounts', 'create', ...who, '--password', 'env:PW');
  expect(made.code).toBe(0);
}

test('the accounts in the way of a deletion are named, and go with --with-accounts', async () => {
  await run('organisations', 'create', '--name', 'Pool');
  await run('organisations', 'create', '--name', 'Typo');
  await account('ada', 'Typo');

  const refused = await run('organisations', 'delete', 'Typo', '--yes');
  const last = await run('organisations', 'delete', 'Typo', '--with-accounts', '--yes');
  await account('bob', 'Pool');
  const asked = await run('organisations', 'delete', 'Typo', '--with-accounts');
  const done = await run('organisations', 'delete', 'Typo', '--with-accounts', '--yes');

  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('still has 1 account: ada (owner). Add --with-accounts'),
  ]);
  expect([last.code, last.stderr]).toEqual([
    2,
    expect.stringContaining('without these accounts nobody could sign in'),
  ]);
  expect(asked.stderr).toContain('is deleted permanently, with 1 account: ada (owner). Add --yes');
  expect([done.code, done.stderr]).toEqual([0, '']);
  const { stdout } = await run('accounts', 'list', '--json');
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'bob' }]);
});

test('an organisation goes with its tickets after a question that says what goes with it', async () => {
  const names = ['--name', 'Typo', '--time-zone', 'Europe/Berlin'];
  await run('organisations', 'create', '--name', 'Pool');
  await run('organisations', 'create', ...names);
  await account('bob', 'Pool');
  await account('ada', 'Typo');
  for (const event of ['Summer', 'Winter'])
    await run('events', 'create', '--name', event, '--organisation', 'Typo');
  const tickets = { Summer: 3, Winter: 2 };
  await on(async (store) => {
    const administration = new Administration(store, systemClock, randomBytes);
    const { key } = await administration.createKey({
      ...{ name: 'gate', type: 'api', events: 'all', organisation: 'Typo' },
    });
    for (const { id: eventId, name } of await store.list('event')) {
      const made = Array.from({ length: tickets[name as 'Summer'] }, () =>
        newTicket({ kind: 'single', eventId }, 0, randomBytes),
      );
      await store.insertTickets(made, AN_AUDIT_ENTRY);
      const scans = made.slice(1).map(
        ({ id }): BatchRequest => ({
          ...{ kind: 'scan', keyId: key.id, operation: 'consume', serial: null, reader: null },
          ...{ subject: { kind: 'ticket', ticketId: id, eventId }, retry: null },
          now: Date.UTC(2026, name === 'Summer' ? 6 : 0, 1, 8),
        }),
      );
      await store.commitScans(scans);
    }
  });

  const without = await run('organisations', 'delete', 'Typo', '--with-accounts', '--yes');
  const asked = await run('organisations', 'delete', 'Typo', '--with-tickets');
  const done = await run('organisations', 'delete', 'Typo', '--with-tickets', '--yes');
  const again = await run('organisations', 'delete', 'Typo', '--with-tickets', '--yes');

  expect([without.code, without.stderr]).toEqual([
    2,
    expect.stringContaining('still has log entries'),
  ]);
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringContaining(
      'is deleted permanently, with 1 account: ada (owner), with 5 tickets (2 of them STILL VALID; last scanned 2026-07-01 10:00',
    ),
  ]);
  expect(asked.stderr).toContain('2 events and every API key. Add --yes');
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(again.code).toBe(2);
  await on(async (store) => {
    expect((await store.list('organisation')).map(({ name }) => name)).toEqual(['Pool']);
    const { counts } = await store.info();
    expect(counts).toMatchObject({ events: 0, tickets: 0, log: 0, keys: 0, counts: 0 });
    expect((await store.list('account')).length).toBe(1);
    expect((await store.verify()).problems).toEqual([]);
  });
});

async function on(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(`sqlite:${join(folder, 'gate.db')}`);
  await work(store).finally(() => store.close());
}

test('a time zone is taken away again with none', async () => {
  await run('organisations', 'create', '--name', 'Pool', '--time-zone', 'Europe/Berlin');

  const edited = await run('organisations', 'edit', '--time-zone', 'none', '--json');
  const wrong = await run('organisations', 'edit', '--time-zone', 'Mars/Base');

  expect(JSON.parse(edited.stdout)).not.toHaveProperty('timeZone');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('is not a time zone')]);
});

test('a part that is refused changes nothing of an organisation, nor of what its tickets look like', async () => {
  await run('organisations', 'create', '--name', 'Pool');
  const state = async () => (await run('organisations', 'list', '--json')).stdout;
  const before = await state();
  const edit = ['organisations', 'edit', 'Pool', '--name', 'Lido', '--rate', '5'];

  const refused = await run(...edit, '--language', 'de', '--line', 'x'.repeat(500));
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('own lines')]);
  expect(await state()).toBe(before);

  const done = await run(...edit, '--language', 'de', '--line', 'Einlass ab 9 Uhr', '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({
    name: 'Lido',
    limits: { ratePerSecond: 5 },
    sheets: { language: 'de', lines: ['Einlass ab 9 Uhr'], logo: false },
  });
});
