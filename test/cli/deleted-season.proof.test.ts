import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import type { BatchRequest } from '../../src/core/scan-requests.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { Administration } from '../../src/features/administration.ts';
import { unfinishedDeletions } from '../../src/features/events/deletions.ts';
import type { Deletion } from '../../src/stores/deletion.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { CliFolder, PROGRAM } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';
import { postgresSchema } from '../support/postgres/schema.ts';

const TICKETS = 8000;

/** A store with an event whose tickets were all used, and with one that goes on. */
async function fill(store: Store): Promise<{ eventId: string; scan: BatchRequest }> {
  const administration = new Administration(store, systemClock, randomBytes);
  const { id: eventId } = await administration.events.create('Season');
  const { id: otherId } = await administration.events.create('Next');
  const { key } = await administration.keys.create({ name: 'gate', type: 'api', events: 'all' });
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
    kind: 'scan',
    keyId: key.id,
    operation: 'consume',
    now,
    serial: null,
    reader: null,
    subject: { kind: 'ticket', ticketId: id, eventId: event },
    retry: null,
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

    // While log entries are removed, and again while tickets are.
    await killedWhileItRemoves('entries', { folder, url, args });
    await killedWhileItRemoves('tickets', { folder, url, args });
    const audit = await folder.run(['audit', '--json', '--store', name]);
    expect(JSON.parse(audit.out)).toMatchObject({ ok: true, problems: [] });
    if (engine === 'sqlite')
      await backupGoesOn(folder, name, (store) => mustBeGone(store, eventId, scan));
    await goesOn(folder, name);
    await on(url, (store) => mustBeGone(store, eventId, scan));
  } finally {
    await remove();
  }
});

/** A backup that was made in the middle of a deletion is whole where it is restored, and the deletion goes on there. */
async function backupGoesOn(
  folder: CliFolder,
  name: string,
  mustBeRight: (store: Store) => Promise<void>,
): Promise<void> {
  const restored = 'sqlite:./restored.db';
  createKeyring(join(folder.path, 'ticketscan.keyring.json'));
  await folder.json(['store', 'backup', 'middle.db', '--store', name]);
  await folder.json(['store', 'restore', 'middle.db', '--yes', '--store', restored]);
  expect(await folder.json(['audit', '--store', restored])).toMatchObject({ ok: true });
  await goesOn(folder, restored);
  await on(restored.replace('./', `${folder.path}/`), mustBeRight);
}

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
  await expect.poll(() => server.messages(), PATIENTLY).toContain('was removed');
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
