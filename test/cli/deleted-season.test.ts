import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createKeyring } from '../../src/config/keyring-file.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { newTicket } from '../../src/core/new-ticket.ts';
import type { BatchRequest } from '../../src/core/scan-batch.ts';
import { Administration } from '../../src/service/manage/administration.ts';
import { unfinishedDeletions } from '../../src/service/manage/deletions.ts';
import type { Deletion } from '../../src/service/stores/deletion.ts';
import { openStore } from '../../src/service/stores/open-store.ts';
import type { Store } from '../../src/service/stores/store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { CliFolder, PROGRAM } from '../support/cli.ts';

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

test('a deletion that is killed goes on', async () => {
  const name = 'sqlite:./a.db';
  await using folder = new CliFolder();
  const url = name.replace('./', `${folder.path}/`);
  const { eventId, scan } = await on(url, fill);
  const args = ['events', 'delete', 'Season', '--with-tickets', '--store', name];

  const asked = await folder.run(args);
  expect(asked.code).toBe(2);
  expect(asked.err).toMatch(/8000 tickets \(8000 of them STILL VALID; last scanned 20/);
  const used = await folder.run(['events', 'delete', 'Season', '--yes', '--store', name]);
  expect(used.code).toBe(2);
  expect(used.err).toContain('--with-tickets');

  // While log entries are removed, and again while tickets are.
  await on(url, async (store) => {
    for (const what of ['entries', 'tickets'] as const) {
      await killedWhen(folder, [...args, '--yes'], async () => {
        const [begun] = await store.listDocuments('deletion');
        return begun !== undefined && (begun.value as Deletion)[what] > 0;
      });
      expect(await unfinishedDeletions(store)).toHaveLength(1);
      expect((await store.verify()).problems).toEqual([]);
    }
  });
  const audit = await folder.run(['audit', '--json', '--store', name]);
  expect(JSON.parse(audit.out)).toMatchObject({ ok: true, problems: [] });
  createKeyring(join(folder.path, 'ticketscan.keyring.json'));
  const server = await folder.serve(['--store', name]);
  await expect.poll(() => server.messages(), { timeout: 20_000 }).toContain('was removed');
  await server.stop();

  await on(url, async (store) => {
    const [refused] = (await store.commitScans([scan])).outcomes;
    expect(refused).toMatchObject({ decision: { status: 'not_found' } });
    expect(await store.countTickets(eventId)).toBe(0);
    expect(await store.countTickets()).toBe(1);
    expect((await store.verify()).problems).toEqual([]);
    expect((await store.readLog({ afterSequence: 0, limit: 99 })).length).toBe(TICKETS / 100 + 1);
    const acts = await store.readAuditLog({ limit: 9 });
    const ended = acts.find(({ act }) => act === 'event.deleted');
    expect(ended?.details).toMatchObject({ tickets: TICKETS, entries: TICKETS });
  });
});

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
