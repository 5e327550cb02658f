import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScanRequest } from '../src/core/scan-batch.ts';
import { newTicket } from '../src/core/ticket-changes.ts';
import { Administration } from '../src/features/keys/administration.ts';
import { openCopyTarget, openStore } from '../src/stores/open-store.ts';
import { backupDatabase } from '../src/stores/sqlite/backup.ts';
import type { Store } from '../src/stores/store.ts';
import { copyStore } from '../src/stores/transfer/copy-store.ts';
import { AN_AUDIT_ENTRY } from '../test/support/an-audit-entry.ts';

/**
 * How long copies, backups and pruning take: a SQLite store of so many tickets, each used once, goes into SQLite, JSON
 * and, where `TICKETSCAN_TEST_POSTGRES` names one, an empty PostgreSQL. Argument: tickets (100,000).
 */
const tickets = Number(process.argv[2] ?? 100_000);
const BATCH = 5000;
const folder = mkdtempSync(join(tmpdir(), 'ticketscan-bench-'));
const source = `sqlite:${join(folder, 'source.db')}`;
try {
  console.error(`filling a store with ${tickets} used tickets …`);
  const store = await openStore(source);
  await fill(store);
  const targets = [`sqlite:${join(folder, 'copy.db')}`, `json:${join(folder, 'copy.json')}`];
  const postgres = process.env['TICKETSCAN_TEST_POSTGRES'];
  for (const url of postgres ? [...targets, postgres] : targets) {
    const target = await openCopyTarget(url);
    const seconds = await timed(() => copyStore(store, target, { source: 'bench' }));
    await target.close();
    show(`sqlite → ${url.split(':', 1)[0]}, read back and compared`, seconds, 2 * tickets);
  }
  const path = join(folder, 'backup.db');
  const backup = () =>
    backupDatabase(join(folder, 'source.db'), path, `${path}.tmp`, () => undefined);
  show('backup of sqlite, audited', await timed(backup), 2 * tickets);
  show('audit', await timed(() => store.verify()), 2 * tickets);
  show('log prune', await timed(() => pruneAll(store)), tickets);
  await store.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function fill(store: Store): Promise<void> {
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
  const administration = new Administration(store, clock, randomBytes);
  const { id: eventId } = await administration.createEvent('Bench');
  const options = { name: 'gate', type: 'api', events: 'all' } as const;
  const { key } = await administration.createKey(options);
  for (let done = 0; done < tickets; done += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, tickets - done) }, () =>
      newTicket({ kind: 'multi', uses: 10, eventId }, Date.now(), randomBytes),
    );
    await store.insertTickets(batch, AN_AUDIT_ENTRY);
    await store.commitScans(batch.map(({ id }) => use(id, eventId, key.id)));
  }
}

function use(ticketId: string, eventId: string, keyId: string): ScanRequest {
  const subject = { kind: 'ticket', ticketId, eventId } as const;
  // Spread over some months, so that no quota ends it.
  const now = Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 9) * 31 * 86_400_000;
  const nobody = { serial: null, reader: null, retry: null };
  return { kind: 'scan', keyId, operation: 'consume', subject, now, ...nobody };
}

async function pruneAll(store: Store): Promise<void> {
  while ((await store.pruneLog(Number.MAX_SAFE_INTEGER, BATCH)) > 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function show(what: string, seconds: number, records: number): void {
  const rate = Math.round(records / seconds).toLocaleString('en');
  console.log(`${what.padEnd(46)}${seconds.toFixed(1)} s, ${rate} records a second`);
}
