import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { openDatabase } from '../../src/stores/sqlite/open-database.ts';
import { createIndexedViews } from '../../src/stores/sqlite/pending-uses.ts';
import { SqliteConnection } from '../../src/stores/sqlite/sqlite-connection.ts';
import { SqliteEngine } from '../../src/stores/sqlite/sqlite-engine.ts';
import { SqliteScanState } from '../../src/stores/sqlite/sqlite-scan-state.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { TestStore } from '../support/stores.ts';
import { lengthenLog } from './support/lengthen-log.ts';

const pathOf = (gate: TestStore) => gate.url.slice('sqlite:'.length);

test('another process sees every use while counters are flushed in steps, and takes one back between two of them', async () => {
  await using gate = await TestStore.open('sqlite');
  const made = Array.from({ length: 1500 }, () =>
    newTicket({ kind: 'single', eventId: gate.eventId }, 0, randomBytes),
  );
  await gate.store.insertTickets(made, AN_AUDIT_ENTRY);
  const state = { is: 'exhausted', now: gate.clock.now() } as const;
  const used = async () => {
    const found = await gate.store.listTickets({ limit: 2000, state });
    return found.length;
  };
  lengthenLog(pathOf(gate));
  const engine = new SqliteEngine(pathOf(gate));
  try {
    await engine.commitScans(made.map(({ id }) => gate.request(id)));
    expect(await used()).toBe(1500);
    await engine.flushIfDue();
    expect(await gate.store.info()).toMatchObject({ details: { unflushedLogEntries: 132_572 } });
    expect(await used()).toBe(1500);
    const undo = { by: 'Ada', reason: 'wrong guest', at: gate.clock.now() };
    await gate.store.undoUse({ ...undo, sequence: 131_073 }, AN_AUDIT_ENTRY);
    while (await engine.flushIfDue());
    expect([await used(), (await engine.listTickets({ limit: 2000, state })).length]).toEqual([
      1499, 1499,
    ]);
    expect(await engine.verify()).toMatchObject({ problems: [] });
  } finally {
    await engine.close();
  }
});

test('what a transaction logged that was rolled back is not remembered', async () => {
  await using gate = await TestStore.open('sqlite');
  const { id } = await gate.mint({ kind: 'multi', uses: 9 });
  await gate.scan(gate.request(id));
  const { database } = openDatabase(pathOf(gate));
  const state = new SqliteScanState(database);
  createIndexedViews(database, state);
  const connection = new SqliteConnection(database, state);
  const uses = () =>
    connection.rows<{ uses_consumed: number }>(
      'SELECT uses_consumed FROM ticket_record WHERE id = $1',
      [id],
    );
  const [logged] = await gate.store.readLog({ limit: 1 });
  if (!logged) throw new Error('no log entry');

  const failed = connection.inTransaction(async () => {
    await connection.appendLogEntry({ ...logged, usesConsumed: 5 });
    database.exec('UPDATE state SET flushed_to = 0');
    expect(await uses()).toEqual([{ uses_consumed: 5 }]);
    throw new Error('stop');
  });
  await expect(failed).rejects.toThrow('stop');
  await gate.scan(gate.request(id));

  expect(await uses()).toEqual([{ uses_consumed: 2 }]);
  database.close();
});
