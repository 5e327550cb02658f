import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

const HOLDER = { firstName: 'Zyxadora', lastName: 'Quillfeather' };

/** A ticket of a guest whose name is in the ticket, in a stored answer and in the audit log. */
async function withGuest(gate: TestStore) {
  const ticket = await gate.mint(HOLDER);
  const details = { from: null, to: { holder: HOLDER }, reason: 'sold' };
  await gate.store.write({ audit: [{ ...AN_AUDIT_ENTRY, subject: ticket.id, details }] });
  const retry = { name: 'again', bodyHash: 'hash', expiresAt: gate.clock.now() + 60_000 };
  const request = gate.request(ticket.id, { retry });
  await gate.scan(request);
  // Changed rows leave copies of themselves in the files.
  await gate.store.cancelTickets([ticket.id], 1, AN_AUDIT_ENTRY);
  await gate.store.cancelTickets([ticket.id], null, AN_AUDIT_ENTRY);
  return { ticket, request };
}

/** The names of the store's files that contain a text. */
function filesWith(gate: TestStore, text: string): string[] {
  return readdirSync(gate.folder).filter((name) =>
    readFileSync(join(gate.folder, name), 'latin1').toLowerCase().includes(text.toLowerCase()),
  );
}

const UNDO = { ...AN_AUDIT_ENTRY, act: 'ticket.undo' };

describe.each([...ENGINES, 'json'] as const)('%s', (engine) => {
  test('an erased guest is in no ticket, stored answer, audit entry, snapshot or file', async () => {
    await using gate = await TestStore.open(engine);
    const { ticket, request } = await withGuest(gate);
    const other = await gate.mint({ firstName: 'Other', lastName: 'Guest' });
    if (engine !== 'postgres') expect(filesWith(gate, HOLDER.lastName)).not.toEqual([]);

    const act = { ...AN_AUDIT_ENTRY, act: 'ticket.erase', subject: ticket.id };
    const erased = await gate.store.eraseHolders([ticket.id], act);
    const purged = await gate.store.purgeErased(true);

    expect([erased, purged]).toEqual([1, engine !== 'postgres']);
    expect(filesWith(gate, HOLDER.lastName)).toEqual([]);
    expect(JSON.stringify(await dumpOf(gate))).not.toMatch(/Zyxadora|Quillfeather/);
    expect((await gate.store.findTicket(other.id))?.holder).toEqual(other.holder);
    expect(await gate.store.listTickets({ search: HOLDER.lastName, limit: 10 })).toEqual([]);
    const [repeated] = await gate.scan(request);
    expect(repeated).toMatchObject({
      decision: { status: 'consumed', ticket: { holder: null, usesConsumed: 1 } },
    });
    const entries = await gate.store.readAuditLog({ limit: 10 });
    expect(entries[0]).toMatchObject({ act: 'ticket.erase', details: { count: 1 } });
    expect(entries.map(({ details }) => details)).toContainEqual({
      from: null,
      to: { holder: 'erased' },
      reason: 'sold',
    });
    expect(await gate.problems()).toEqual([]);
    expect(await gate.store.eraseHolders([ticket.id], act)).toBe(0);
  });

  test('the reason of a use that was taken back is erased, from the log and the audit log', async () => {
    await using gate = await TestStore.open(engine);
    const [own, other] = [await gate.mint({ uses: 3, kind: 'multi' }), await gate.mint()];
    await gate.scan(gate.request(own.id), gate.request(other.id));
    for (const [index, { id }] of [own, other].entries()) {
      const reason = `Ask Quillfeather ${index}`;
      const details = { sequence: index + 1, reason };
      const note = { sequence: index + 1, at: gate.clock.now(), by: 'Ada', reason };
      await gate.store.undoUse(note, { ...UNDO, subject: id, details });
    }
    const act = { ...AN_AUDIT_ENTRY, act: 'ticket.erase' };

    const erased = await gate.store.eraseHolders([own.id], act);
    await gate.reopen();
    await gate.store.purgeErased(true);

    expect(erased).toBe(1);
    const log = await gate.store.readLog({ limit: 10 });
    expect(log.map(({ undo }) => undo)).toEqual([
      undefined,
      undefined,
      { sequence: 1, by: 'Ada', reason: 'erased' },
      { sequence: 2, by: 'Ada', reason: 'Ask Quillfeather 1' },
    ]);
    expect(JSON.stringify(await dumpOf(gate))).not.toContain('Quillfeather 0');
    expect(filesWith(gate, 'Quillfeather 0')).toEqual([]);
    expect(await gate.problems()).toEqual([]);
    expect(await gate.store.eraseHolders([own.id], act)).toBe(0);
  });

  test('after an erasure the store goes on, and is the same when it is opened again', async () => {
    await using gate = await TestStore.open(engine);
    const { ticket } = await withGuest(gate);
    await gate.store.eraseHolders([ticket.id], AN_AUDIT_ENTRY);
    await gate.store.purgeErased(true);

    const later = await gate.mint({ firstName: 'Later', lastName: 'Guest' });
    const before = await dumpOf(gate);
    await gate.reopen();

    expect(await dumpOf(gate)).toEqual(before);
    expect((await gate.store.findTicket(later.id))?.holder).toEqual(later.holder);
    expect(await gate.problems()).toEqual([]);
    expect(filesWith(gate, HOLDER.lastName)).toEqual([]);
  });
});

/** Everything that a copy of the store would take along. */
async function dumpOf({ store }: TestStore): Promise<unknown[]> {
  await store.beginSnapshot();
  const pages = [];
  for (const section of ['tickets', 'answers', 'auditLog', 'log', 'administrative'] as const)
    pages.push((await store.readSnapshot(section, null, 100)).records);
  await store.endSnapshot();
  return pages;
}
