import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { useCountedAs } from '../../src/core/scan-count.ts';
import type { ScanOutcome, ScanRequest } from '../../src/core/scan-requests.ts';
import { finishDeletions } from '../../src/features/events/deletions.ts';
import { allEntries, lastBefore, readLogPage } from '../../src/features/log/log-reader.ts';
import { gapAfter } from '../../src/stores/log-search.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { Store } from '../../src/stores/store.ts';
import { copyStore } from '../../src/stores/transfer/copy-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { isShared, NEIGHBOURS, statusOfOutcome, TestStore } from '../support/stores.ts';

const SEASON = { what: 'event', timeZone: 'Europe/Berlin', accounts: [] } as const;

/** An event whose tickets were used, and another beside it. */
async function usedSeason(gate: TestStore) {
  const { administration } = gate;
  const other = await administration.events.create('Other');
  const cards = [];
  for (let index = 0; index < 3; index += 1)
    cards.push(await gate.mint({ kind: 'multi', uses: 5 }));
  const kept = await gate.mint({ kind: 'multi', uses: 9, eventId: other.id });
  const retry = { name: 'once', bodyHash: 'b', expiresAt: gate.clock.now() + 60_000 };
  const ids = cards.map(({ id }) => id) as [string, string, string];
  for (const id of [...ids, kept.id, ids[0]]) await gate.scan(gate.request(id));
  await gate.scan(gate.request(ids[1], { retry }), gate.request(ids[2], { operation: 'validate' }));
  return { other, kept, ids, retried: gate.request(ids[1], { retry }) };
}

async function begin(gate: TestStore): Promise<void> {
  const request = { ...SEASON, id: gate.eventId, name: 'Pool', ended: AN_AUDIT_ENTRY };
  await gate.store.beginDeletion(request, AN_AUDIT_ENTRY);
}

async function sumOfScans(gate: TestStore, by: 'event' | 'gate' | 'kind' | 'quarter') {
  const { id: organisationId } = await gate.administration.organisations.find(undefined);
  const all = { fromQuarter: 0, untilQuarter: Number.MAX_SAFE_INTEGER };
  const sums = await gate.store.sumScans({ ...all, organisationId, by: [by] });
  return sums.filter(({ outcome }) => outcome !== 'not_found');
}

/** Those whose files, copied while nobody writes, are what a kill leaves. */
const LEAVES_FILES = ['sqlite', 'json'] as const;
const GATE_ROUNDS = 2;

/** Gates that scan a card of an event that goes and one of another, until they are told to stop. */
function gatesAt(gate: TestStore, stores: readonly Store[], [going, other]: [string, string]) {
  const scans = { answered: 0, isMarked: false, isOver: false };
  const uses = new Set<string>();
  const late = new Set<string>();
  const others = new Set<string>();
  const retry = { name: `once ${going}`, bodyHash: 'b', expiresAt: gate.clock.now() + 60_000 };
  const scanning = async (store: Store, changes: Partial<ScanRequest>) => {
    while (!scans.isOver) {
      const answers = scans.isMarked ? late : new Set<string>();
      const asked = [gate.request(going, changes), gate.request(other)];
      // On a busy machine one waits too long, and is told so: nobody was admitted then.
      const { outcomes } = await store.commitScans(asked).catch(unlessGivenUp);
      for (const outcome of outcomes) uses.add(useIn(outcome));
      if (outcomes.length > 0) {
        answers.add(statusOfOutcome(outcomes[0]));
        others.add(statusOfOutcome(outcomes[1]));
        scans.answered += 1;
      }
      await setImmediate();
    }
  };
  const ended = Promise.all(
    stores.flatMap((store) => [
      scanning(store, { retry }),
      scanning(store, { retry: { ...retry, name: `card ${going}` }, serial: 'S-1', reader: '1' }),
      scanning(store, {}),
      scanning(store, { operation: 'validate' }),
    ]),
  );
  return { scans, uses, late, others, ended };
}

function unlessGivenUp(error: unknown): { readonly outcomes: readonly ScanOutcome[] } {
  if (error instanceof TicketscanError && error.code === 'store_busy') return { outcomes: [] };
  throw error;
}

/** The same for an answer that is repeated; empty when no use was taken. */
function useIn(outcome: ScanOutcome): string {
  if (outcome.kind !== 'decided' || outcome.decision.status !== 'consumed') return '';
  const { id, usesConsumed } = outcome.decision.ticket;
  return `${id} ${usesConsumed}`;
}

describe.each(NEIGHBOURS)('an event that is deleted with its tickets on %s', (engine, into) => {
  test('admits nobody from the first moment on, and is sound after each step', async () => {
    await using gate = await TestStore.open(engine);
    const { kept, ids, retried } = await usedSeason(gate);
    const before = await sumOfScans(gate, 'event');
    const { newest } = await gate.store.searchLog({ limit: 1, searchMax: 1 });

    await begin(gate);

    let steps = 0;
    for (let isLeft = true; isLeft; steps += 1) {
      const asked = [
        gate.request(ids[0]),
        retried,
        gate.request(kept.id, { operation: 'validate' }),
      ];
      const outcomes = (await gate.scan(...asked)).map(statusOfOutcome);
      expect(outcomes).toEqual(['not_found', 'not_found', 'validated']);
      expect(await gate.problems()).toEqual([]);
      isLeft = await gate.store.continueDeletion(gate.eventId, gate.clock.now());
    }

    expect(steps).toBeGreaterThan(3);
    expect(await gate.problems()).toEqual([]);
    expect((await gate.store.list('event')).map(({ name }) => name)).toEqual(['Other']);
    expect((await gate.store.listTickets({ limit: 9 })).map(({ id }) => id)).toEqual([kept.id]);
    const left = await gate.store.readLog({ afterSequence: 0, limit: 99 });
    expect(left.filter(({ sequence }) => sequence <= newest).map((one) => one.ticketId)).toEqual([
      kept.id,
    ]);
    const ofOther = (sums: Awaited<typeof before>) =>
      sums.filter(({ outcome }) => useCountedAs(outcome));
    expect(ofOther(await sumOfScans(gate, 'event'))).toEqual(
      expect.arrayContaining(ofOther(before)),
    );
    expect(await gate.store.list('deletion')).toEqual([]);
    const [end] = await gate.store.readAuditLog({ limit: 1 });
    // Two scans came before its first step.
    expect(end?.details).toMatchObject({ tickets: 3, entries: 8 });
  });

  test('admits nobody after the answer while gates scan, and keeps every use that was answered', async () => {
    await using gate = await TestStore.open(engine);
    const another = isShared(engine) ? await gate.another() : gate.store;
    const stores = [gate.store, another] as const;
    let uses = 0;
    for (let round = 0; round < GATE_ROUNDS; round += 1) {
      const { id, name } = await gate.administration.events.create(`Season ${round}`);
      const card = await gate.mint({ kind: 'permanent', eventId: id });
      const other = await gate.mint({ kind: 'permanent' });
      const gates = gatesAt(gate, stores, [card.id, other.id]);
      const { scans } = gates;
      const moreScans = async (from = scans.answered) => {
        while (scans.answered < from + 6) await setImmediate();
      };
      await moreScans();
      const request = { ...SEASON, id, name, ended: AN_AUDIT_ENTRY };
      await stores[round % 2 === 0 ? 0 : 1].beginDeletion(request, AN_AUDIT_ENTRY);
      scans.isMarked = true;
      await finishDeletions(gate.store, gate.clock);
      await moreScans();
      scans.isOver = true;
      await gates.ended;
      expect([[...gates.late], [...gates.others]]).toEqual([['not_found'], ['consumed']]);
      expect(await gate.problems()).toEqual([]);
      gates.uses.delete('');
      uses += gates.uses.size;
    }
    const sums = await sumOfScans(gate, 'event');
    const consumed = sums.filter(({ outcome }) => useCountedAs(outcome));
    expect(consumed.reduce((sum, { scans }) => sum + scans, 0)).toBe(uses);
  });

  test('has no tickets that can be read or changed from the first moment on', async () => {
    await using gate = await TestStore.open(engine);
    const { kept, ids, other } = await usedSeason(gate);
    const { store } = gate;
    const unused = await gate.mint();
    await begin(gate);

    const [going] = ids;
    expect(await store.findTicket(going)).toBeUndefined();
    expect((await store.findTickets([going, kept.id])).map(({ id }) => id)).toEqual([kept.id]);
    const state = { is: 'valid', now: gate.clock.now() } as const;
    for (const filter of [{}, { state }, { afterId: going }])
      expect((await store.listTickets({ limit: 9, ...filter })).map(({ id }) => id)).toEqual([
        kept.id,
      ]);
    expect(await store.listTickets({ limit: 9, eventId: gate.eventId })).toEqual([]);
    const eventIds = [gate.eventId, other.id];
    const found = await store.searchTickets({ eventIds, limit: 9, searchMax: 9 });
    expect(found.tickets.map(({ id }) => id)).toEqual([kept.id]);
    const auditLog = await store.readAuditLog({ limit: 99 });
    const changes = [
      store.cancelTickets([going], 0, AN_AUDIT_ENTRY),
      store.cancelTickets([kept.id, going], 0, AN_AUDIT_ENTRY),
      store.cancelTickets([going], null, AN_AUDIT_ENTRY),
      store.editTicket(going, { usesAllowed: 7 }, AN_AUDIT_ENTRY),
    ];
    for (const change of await Promise.allSettled(changes))
      expect(change).toMatchObject({ reason: { code: 'not_found' } });
    expect(await store.deleteTickets([going, unused.id], 0, AN_AUDIT_ENTRY)).toEqual([]);
    expect(await store.readAuditLog({ limit: 99 })).toEqual(auditLog);
    expect((await store.findTicket(kept.id))?.cancelledAt).toBeNull();

    await using copy = await TestStore.open('memory', 'empty');
    await copyStore(store, copy.store, { source: 'one' });
    expect(await copy.store.countTickets()).toBe(5);
  });

  test('takes no number of the log along, and readers meet no gap', async () => {
    await using gate = await TestStore.open(engine);
    const { kept } = await usedSeason(gate);
    const { newest } = await gate.store.searchLog({ limit: 1, searchMax: 1 });
    await begin(gate);
    while (await gate.store.continueDeletion(gate.eventId, gate.clock.now()));

    for (let after = 0; after <= newest; after += 1) {
      const search = { afterSequence: after, limit: 9, searchMax: 9 };
      expect(gapAfter(after, await gate.store.searchLog(search))).toBeUndefined();
    }
    if (engine !== 'memory') await gate.reopen();
    await gate.scan(gate.request(kept.id));
    const [latest] = await gate.store.readLog({ limit: 1 });
    expect(latest?.sequence).toBeGreaterThan(newest);
    expect(latest?.ticketId).toBe(kept.id);
    await using copy = await TestStore.open('memory', 'empty');
    await copyStore(gate.store, copy.store, { source: 'one' });
    const asked = { limit: 1, searchMax: 1 };
    expect((await copy.store.searchLog(asked)).newest).toBe(latest?.sequence);
  });

  test('goes on in a copy, and when the store was closed in the middle', async () => {
    await using gate = await TestStore.open(engine);
    const { kept } = await usedSeason(gate);
    await begin(gate);
    const step = () => gate.store.continueDeletion(gate.eventId, gate.clock.now());
    await step();
    await step();
    await using copy = await TestStore.open(engine, 'empty');
    await copyStore(gate.store, copy.store, { source: 'one' });
    if (engine !== 'memory') await gate.reopen();
    expect(await gate.problems()).toEqual([]);

    for (const { store } of [gate, copy]) {
      await finishDeletions(store, gate.clock);
      expect((await store.listTickets({ limit: 9 })).map(({ id }) => id)).toEqual([kept.id]);
      expect((await store.verify()).problems).toEqual([]);
    }
    if (engine !== 'memory') await gate.reopen();
    expect(await gate.problems()).toEqual([]);
  });

  test(`goes on in a copy in ${into} that holds a scan refused meanwhile`, async () => {
    await using gate = await TestStore.open(engine);
    const { kept, ids } = await usedSeason(gate);
    await begin(gate);
    // From then on the log is not looked through for entries that come.
    await gate.store.continueDeletion(gate.eventId, gate.clock.now());
    const [refused] = await gate.scan(gate.request(ids[0]));
    await using copy = await TestStore.open(into, 'empty');
    await copyStore(gate.store, copy.store, { source: 'one' });
    await finishDeletions(copy.store, gate.clock);

    expect(statusOfOutcome(refused)).toBe('not_found');
    expect((await copy.store.verify()).problems).toEqual([]);
    const log = await copy.store.readLog({ afterSequence: 0, limit: 9 });
    expect(log.map(({ ticketId }) => ticketId)).toEqual([kept.id, ids[0]]);
  });

  test('takes no use back while it goes', async () => {
    await using gate = await TestStore.open(engine);
    const { ids } = await usedSeason(gate);
    const [first] = await gate.store.readLog({ afterSequence: 0, limit: 1 });
    await begin(gate);
    await gate.store.continueDeletion(gate.eventId, gate.clock.now());

    const request = {
      sequence: first?.sequence ?? 0,
      at: gate.clock.now(),
      reason: 'fell',
      by: 'A',
    };
    const undoing = gate.store.undoUse(request, AN_AUDIT_ENTRY);
    await expect(undoing).rejects.toMatchObject({ code: 'not_found' });

    await finishDeletions(gate.store, gate.clock);
    expect(first?.ticketId).toBe(ids[0]);
    expect(await gate.problems()).toEqual([]);
  });

  test('leaves a hole that searches by time and exports read over', async () => {
    await using gate = await TestStore.open(engine);
    const { kept, ids } = await usedSeason(gate);
    gate.clock.advance(3_600_000);
    const at = gate.clock.now();
    await gate.scan(gate.request(kept.id));
    gate.clock.advance(3_600_000);
    await gate.scan(...Array.from({ length: 20 }, () => gate.request(ids[0])));
    await begin(gate);
    await finishDeletions(gate.store, gate.clock);

    const exported: LogEntry[] = [];
    for await (const entry of allEntries(gate.store, {})) exported.push(entry);
    expect(exported.map(({ ticketId }) => ticketId)).toEqual([kept.id, kept.id]);
    expect(await lastBefore(gate.store, at)).toBe(exported[0]?.sequence);
    expect(await lastBefore(gate.store, at + 1)).toBe(exported[1]?.sequence);
    const page = await readLogPage(gate.store, { fromAt: at, untilAt: at }, 9);
    expect(page.entries).toHaveLength(1);
  });

  test('keeps sums by day, gate and kind, without devices', async () => {
    await using gate = await TestStore.open(engine);
    const { ids } = await usedSeason(gate);
    await gate.scan(gate.request(ids[0], { serial: 'door 1' }));
    const byKind = await sumOfScans(gate, 'kind');
    await begin(gate);
    await finishDeletions(gate.store, gate.clock);

    const sorted = (sums: readonly object[]) => sums.map((one) => JSON.stringify(one)).sort();
    expect(sorted(await sumOfScans(gate, 'kind'))).toEqual(sorted(byKind));
    expect((await sumOfScans(gate, 'gate')).map(({ serial }) => serial)).not.toContain('door 1');
    // Noon in Berlin in summer.
    const noon = 10 * 4;
    const quarters = (await sumOfScans(gate, 'quarter')).map(({ quarter = 0 }) => quarter % 96);
    expect(quarters).toContain(noon);
  });

  test('cannot be made again by an import until it is gone', async () => {
    await using gate = await TestStore.open(engine);
    const { id: organisationId } = await gate.administration.organisations.find(undefined);
    const ticket = await gate.mint();
    await begin(gate);
    const fixed = { organisationId, createdAt: 0, archivedAt: null };
    const event = { id: gate.eventId, name: 'Again', ...fixed };
    const record = { kind: 'event', before: null, after: event } as const;
    const owners = { records: [record], audit: [AN_AUDIT_ENTRY] };
    const again = () =>
      gate.store.insertTickets([ticket], AN_AUDIT_ENTRY, { existing: 'skip', owners });
    await expect(again()).rejects.toMatchObject({ code: 'conflict' });
    await finishDeletions(gate.store, gate.clock);
    expect(await again()).toEqual({ existing: 0, known: 0 });
    expect(await gate.consume(ticket.id)).toBe('consumed');
    expect(await gate.problems()).toEqual([]);
  });

  test('goes with its organisation, and nothing is left of that', async () => {
    await using gate = await TestStore.open(engine);
    await usedSeason(gate);
    const organisation = await gate.administration.organisations.find(undefined);
    const other = await gate.administration.organisations.create('Stays');
    await gate.administration.events.create('Theirs', other.id);
    await gate.scan(gate.request('', { subject: { kind: 'forged', excerpt: 'x' } }));
    await gate.administration.organisations.deleteWithTickets(organisation);
    expect(await gate.problems()).toEqual([]);
    const [refused] = await gate.scan(gate.request('tkt_x_y'));
    expect(statusOfOutcome(refused)).toBe('key_refused');

    await finishDeletions(gate.store, gate.clock);

    expect((await gate.store.list('organisation')).map(({ name }) => name)).toEqual(['Stays']);
    expect((await gate.store.list('event')).map(({ name }) => name)).toEqual(['Theirs']);
    const { counts } = await gate.store.info();
    expect(counts).toMatchObject({ tickets: 0, log: 0, keys: 0, counts: 0, answers: 0 });
    expect(await gate.problems()).toEqual([]);
  });
});

test.each(LEAVES_FILES)(
  'on %s a deletion goes on from what a killed program leaves after any step',
  async (engine) => {
    await using gate = await TestStore.open(engine);
    const { kept } = await usedSeason(gate);
    const left = mkdtempSync(join(gate.folder, 'left-'));
    await begin(gate);
    for (let isLeft = true; isLeft; ) {
      for (const file of readdirSync(gate.folder).filter((name) => /^store\./.test(name)))
        if (!file.endsWith('.lock')) cpSync(join(gate.folder, file), join(left, file));
      const store = await openStore(gate.url.replace(gate.folder, left));
      expect((await store.verify()).problems).toEqual([]);
      await finishDeletions(store, gate.clock);
      expect((await store.listTickets({ limit: 9 })).map(({ id }) => id)).toEqual([kept.id]);
      expect(await store.list('deletion')).toEqual([]);
      expect((await store.verify()).problems).toEqual([]);
      await store.close();
      for (const file of readdirSync(left)) rmSync(join(left, file));
      isLeft = await gate.store.continueDeletion(gate.eventId, gate.clock.now());
    }
  },
);
