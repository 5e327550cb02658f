import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import type { BatchRequest } from '../../src/core/scan-batch.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { unfinishedDeletions } from '../../src/features/events/deletions.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import type { Deletion } from '../../src/stores/deletion.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { CliFolder, PROGRAM } from '../support/cli.ts';
import { onTerminal } from '../support/on-terminal.ts';
import { postgresSchema } from '../support/postgres/schema.ts';
import { RemoteFolder } from '../support/remote.ts';

const TICKETS = 8000;

/** A store with an event whose tickets were all used, and with one that goes on. */
async function fill(store: Store): Promise<{ eventId: string; scan: BatchRequest }> {
  const administration = new Administration(store, systemClock, randomBytes);
  const { id: eventId } = await administration.createEvent('Season');
  const { id: otherId } = await administration.createEvent('Next');
  const { key } = await administration.createKey({ name: 'gate', type: 'api', events: 'all' });
  const now = Date.now();

  const tickets = Array.from({ length: TICKETS }, () =>
    newTicket(
      { kind: 'multi', uses: 5, eventId, firstName: 'Anna', lastName: 'Gast' },
      now,
      randomBytes,
    ),
  );
  const next = newTicket({ kind: 'permanent', eventId: otherId }, now, randomBytes);
  await store.insertTickets([...tickets, next], AN_AUDIT_ENTRY);
  const scanOf = (id: string, event: string): BatchRequest => ({
    ...{ kind: 'scan', keyId: key.id, operation: 'consume', now, serial: null, reader: null },
    ...{ subject: { kind: 'ticket', ticketId: id, eventId: event }, retry: null },
  });
  for (let from = 0; from < TICKETS; from += 100) {
    const some = tickets.slice(from, from + 100).map(({ id }) => scanOf(id, eventId));
    await store.commitScans([...some, scanOf(next.id, otherId)]);
  }
  return { eventId, scan: scanOf(tickets[0]?.id ?? '', eventId) };
}

async function on<Result>(url: string, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The store of a test, as a command names it and as this process opens it. */
async function placeOf(engine: string, folder: CliFolder) {
  if (engine === 'postgres') {
    const { url, remove } = await postgresSchema();
    return { name: url, url, remove };
  }
  const name = 'sqlite:./a.db';
  return { name, url: name.replace('./', `${folder.path}/`), remove: async () => {} };
}

const DELETE = ['events', 'delete', 'Season', '--with-tickets', '--store'];

test.each(['sqlite', 'postgres'])('a deletion on %s that is killed goes on', async (engine) => {
  await using folder = new CliFolder();
  const { name, url, remove } = await placeOf(engine, folder);
  try {
    const { eventId, scan } = await on(url, fill);
    const args = [...DELETE, name];

    const asked = await folder.run(args);
    expect(asked.code).toBe(2);
    expect(asked.err).toMatch(/8000 tickets \(8000 of them STILL VALID; last scanned 20/);
    const used = await folder.run(['events', 'delete', 'Season', '--yes', '--store', name]);
    expect(used.code).toBe(2);
    expect(used.err).toContain('--with-tickets');

    // While log entries are removed, and again while tickets are.
    await killedWhileItRemoves('entries', { folder, url, args });
    await killedWhileItRemoves('tickets', { folder, url, args });
    const audit = await folder.run(['audit', '--json', '--store', name]);
    expect(JSON.parse(audit.out)).toMatchObject({ ok: true, problems: [] });
    await goesOn(folder, name);
    await on(url, (store) => mustBeGone(store, eventId, scan));
  } finally {
    await remove();
  }
});

test('a backup made in the middle of a deletion is whole where it is restored, and goes on there', async () => {
  await using folder = new CliFolder();
  const { name, url } = await placeOf('sqlite', folder);
  const { eventId, scan } = await on(url, fill);
  await killedWhileItRemoves('tickets', { folder, url, args: [...DELETE, name] });

  const backup = await folder.run(['store', 'backup', 'middle.db', '--store', name]);
  expect([backup.code, backup.err]).toEqual([0, expect.any(String)]);
  const restored = 'sqlite:./restored.db';
  createKeyring(join(folder.path, 'ticketscan.keyring.json'));
  const put = await folder.run(['store', 'restore', 'middle.db', '--yes', '--store', restored]);
  expect([put.code, put.err]).toEqual([0, expect.any(String)]);
  const audit = await folder.run(['audit', '--json', '--store', restored]);
  expect(JSON.parse(audit.out)).toMatchObject({ ok: true, problems: [] });
  await goesOn(folder, restored);
  await on(restored.replace('./', `${folder.path}/`), (store) => mustBeGone(store, eventId, scan));
});

test('a deletion asks on a terminal, and "no" changes nothing', async () => {
  await using folder = new CliFolder();
  const { name, url } = await placeOf('sqlite', folder);
  const { eventId } = await on(url, fill);

  const no = await onTerminal(folder, [...DELETE, name], 'n\n');
  expect(no.shown).toMatch(/8000 tickets[\s\S]*\[y\/N\]/);
  expect([no.code, no.shown.includes('Nothing was changed.')]).toEqual([1, true]);
  expect(await on(url, (store) => store.countTickets(eventId))).toBe(TICKETS);

  expect(await onTerminal(folder, [...DELETE, name], 'y\n')).toMatchObject({ code: 0 });
  expect(await on(url, (store) => store.countTickets())).toBe(1);
});

test('a deletion through a server says what goes, and removes it', async () => {
  await using remote = await RemoteFolder.start();
  const list = () => remote.cli.run(['events', 'list', '--json'], remote.environment);
  const [event] = JSON.parse((await list()).out);
  const args = ['events', 'delete', event.id, '--with-tickets'];

  const asked = await remote.cli.run(args, remote.environment);
  expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/\d+ tickets \(/)]);
  const deleted = await remote.cli.run([...args, '--yes'], remote.environment);
  expect([deleted.code, deleted.err]).toEqual([0, expect.any(String)]);
  expect((await list()).out).not.toContain(event.id);
  const found = remote.cli.run(['tickets', 'list', '--event', event.id], remote.environment);
  expect((await found).out).not.toContain('tkt_');
});

interface Killed {
  readonly folder: CliFolder;
  readonly url: string;
  readonly args: readonly string[];
}

/** Kills the command when the first of these are gone; the store is sound then. */
async function killedWhileItRemoves(
  what: 'entries' | 'tickets',
  { folder, url, args }: Killed,
): Promise<void> {
  await on(url, async (store) => {
    await killedWhen(folder, [...args, '--yes'], async () => {
      const [begun] = await store.list('deletion');
      return begun !== undefined && (begun.value as Deletion)[what] > 0;
    });
    expect(await unfinishedDeletions(store)).toHaveLength(1);
    expect((await store.verify()).problems).toEqual([]);
  });
}

/** A server ends what is not ended. */
async function goesOn(folder: CliFolder, name: string): Promise<void> {
  const keyring = join(folder.path, 'ticketscan.keyring.json');
  if (!existsSync(keyring)) createKeyring(keyring);
  const server = await folder.serve(['--store', name]);
  await expect.poll(() => server.messages(), { timeout: 20_000 }).toContain('was removed');
  await server.stop();
}

async function mustBeGone(store: Store, eventId: string, scan: BatchRequest): Promise<void> {
  const [refused] = (await store.commitScans([scan])).outcomes;
  expect(refused).toMatchObject({ decision: { status: 'not_found' } });
  expect(await store.countTickets(eventId)).toBe(0);
  expect(await store.countTickets()).toBe(1);
  expect((await store.verify()).problems).toEqual([]);
  expect((await store.readLog({ afterSequence: 0, limit: 99 })).length).toBe(TICKETS / 100 + 1);
  const acts = await store.readAuditLog({ limit: 9 });
  const ended = acts.find(({ act }) => act === 'event.deleted');
  expect(ended?.details).toMatchObject({ tickets: TICKETS, entries: TICKETS });
}

async function killedWhen(
  folder: CliFolder,
  args: readonly string[],
  isTime: () => Promise<boolean>,
): Promise<void> {
  const running = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder.path,
    stdio: 'ignore',
  });
  const ended = once(running, 'exit');
  while (!(await isTime())) await sleep(1);
  running.kill('SIGKILL');
  await ended;
}
