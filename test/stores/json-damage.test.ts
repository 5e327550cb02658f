import { readFileSync } from 'node:fs';
import { copyFile, truncate } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import { loadStore } from '../../src/service/stores/json/load-store.ts';
import { openStore } from '../../src/service/stores/open-store.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { statusOfOutcome, TestStore } from '../support/stores.ts';

// Tens of thousands of damaged files, one after another; a busy machine may take its time.
vi.setConfig({ testTimeout: 120_000 });

/** What was acknowledged: the uses of each ticket. */
type Uses = ReadonlyMap<string, number>;

interface Files {
  readonly document: Buffer;
  readonly log: Buffer;
}

/** A store as it lies on the disk after scans, with what was acknowledged until then. */
async function usedStore(
  gate: TestStore,
  end: 'clean stop' | 'crash' | 'pruning',
): Promise<Files & { readonly uses: Uses }> {
  const holder = { firstName: 'Zoë', lastName: 'Müller' };
  const cards = [
    await gate.mint({ kind: 'multi', uses: 3, ...holder }),
    await gate.mint(),
    await gate.mint({ kind: 'permanent' }),
  ];
  const [card, single, permanent] = cards.map(({ id }) => id) as [string, string, string];
  const uses = new Map<string, number>();
  const scan = async (...ids: string[]) => {
    const outcomes = await gate.scan(...ids.map((id) => gate.request(id, { serial: 'S"1\n' })));
    for (const [index, id] of ids.entries()) {
      if (statusOfOutcome(outcomes[index]) === 'consumed') uses.set(id, (uses.get(id) ?? 0) + 1);
    }
  };
  await scan(card, single, single);
  // A first session that ended cleanly: the document holds a part, the log all.
  await gate.reopen();
  await scan(permanent, card);
  await gate.store.cancelTicket(single, gate.clock.now(), AN_AUDIT_ENTRY);
  await scan(permanent);
  await scan(card, permanent, permanent);
  if (end === 'pruning') await gate.store.pruneLog(gate.clock.now() + 1, 5);
  if (end !== 'crash') await gate.store.close();
  const path = pathOf(gate);
  const files = { document: readFileSync(path), log: readFileSync(`${path}.log`) };
  return { ...files, uses };
}

const pathOf = (gate: TestStore) => gate.url.slice('json:'.length);

/** What becomes of damaged files: refused with what to do, whole, or with less than was acknowledged. */
function outcomeOf({ document, log }: Files, uses: Uses): 'refused' | 'whole' | 'LESS' | 'MORE' {
  try {
    const files = { path: 'x.json', logPath: 'x.json.log' };
    const { state } = loadStore({ ...files, document: utf8(document), log });
    let outcome: 'whole' | 'LESS' | 'MORE' = 'whole';
    for (const { id, usesConsumed } of state.tickets.values()) {
      if (usesConsumed > (uses.get(id) ?? 0)) outcome = 'MORE';
    }
    for (const [id, count] of uses) {
      if ((state.tickets.get(id)?.usesConsumed ?? 0) < count) outcome = 'LESS';
    }
    return outcome;
  } catch (error) {
    if (error instanceof TicketscanError && error.code.startsWith('store_')) return 'refused';
    throw error;
  }
}

/** As the store reads it; what is no UTF-8 it refuses. */
function utf8(document: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(document);
  } catch (error) {
    throw new TicketscanError('store_damaged', 'not UTF-8', { cause: error });
  }
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** Where the last line ends: everything behind it is filler. */
const contentBytes = (log: Buffer) => log.toString('latin1').trimEnd().length + 1;

function tally(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

test.each(['clean stop', 'crash', 'pruning'] as const)(
  'after a %s, the log cut off at any byte is refused as soon as anything is missing',
  async (end) => {
    await using gate = await TestStore.open('json');
    const { uses, ...files } = await usedStore(gate, end);
    expect(outcomeOf(files, uses)).toBe('whole');
    const whole = contentBytes(files.log);
    const lengths = Array.from({ length: whole + (end === 'crash' ? 200 : 0) }, (_, at) => at);

    const outcomes = lengths.map((length) =>
      outcomeOf({ ...files, log: files.log.subarray(0, length) }, uses),
    );

    expect(whole).toBeGreaterThan(1500);
    // Behind the last line one byte of filler has to be left, for whoever can be sure of the end only by it.
    const refused = end === 'crash' ? whole + 1 : whole;
    expect(new Set(outcomes.slice(0, refused))).toEqual(new Set(['refused']));
    expect(tally(outcomes.slice(refused))).toEqual(end === 'crash' ? { whole: 199 } : {});
  },
);

test.each(['clean stop', 'crash', 'pruning'] as const)(
  'after a %s, any one bit of the log that is other than it was is noticed',
  async (end) => {
    await using gate = await TestStore.open('json');
    const { uses, ...files } = await usedStore(gate, end);
    const whole = contentBytes(files.log);
    const log = files.log.subarray(0, whole + (end === 'crash' ? 600 : 0));

    const outcomes = Array.from({ length: log.length * 8 }, (_, bit) =>
      outcomeOf({ ...files, log: flipped(log, bit) }, uses),
    );

    expect(tally(outcomes.slice(0, whole * 8))).toEqual({ refused: whole * 8 });
    // In the filler behind the last line there is nothing to lose; far behind, it may be a write that never finished.
    for (const outcome of outcomes.slice(whole * 8))
      expect(['refused', 'whole']).toContain(outcome);
  },
);

test('a last write that was cut off at any byte, and never acknowledged, is dropped, and nothing else', async () => {
  await using gate = await TestStore.open('json');
  const { uses, ...files } = await usedStore(gate, 'crash');
  const { id } = [...uses]
    .map(([ticket, count]) => ({ id: ticket, count }))
    .find(({ count }) => count > 2) ?? { id: '' };
  await gate.scan(gate.request(id), gate.request(id));
  const after = readFileSync(`${pathOf(gate)}.log`);
  const [from, to] = [contentBytes(files.log), contentBytes(after)];
  expect(to - from).toBeGreaterThan(500);

  for (let cut = from; cut < to - 1; cut += 1) {
    const torn = Buffer.concat([after.subarray(0, cut), Buffer.alloc(after.length - cut, '\n')]);
    expect(outcomeOf({ ...files, log: torn }, uses), `cut at ${cut}`).toBe('whole');
  }
});

test('a last write of which any sectors are missing is dropped, in whatever order the disk wrote them', async () => {
  await using gate = await TestStore.open('json');
  const { uses, ...files } = await usedStore(gate, 'crash');
  const many = await Promise.all(Array.from({ length: 12 }, () => gate.mint()));
  const before = readFileSync(`${pathOf(gate)}.log`);
  await gate.scan(...many.map(({ id }) => gate.request(id)));
  const after = readFileSync(`${pathOf(gate)}.log`);
  const [from, to] = [contentBytes(before), contentBytes(after)];
  const sectors = [...new Set(Array.from({ length: to - from }, (_, at) => (from + at) >> 9))];
  expect(sectors.length).toBeGreaterThan(6);

  const outcomes: string[] = [];
  for (let written = 0; written < 2 ** sectors.length - 1; written += 1) {
    const log = Buffer.from(before);
    for (const [index, sector] of sectors.entries()) {
      if ((written & (2 ** index)) !== 0)
        after.copy(log, sector * 512, sector * 512, sector * 512 + 512);
    }
    outcomes.push(outcomeOf({ ...files, log }, uses));
    if (outcomes.length >= 4000) break;
  }
  const { whole = 0, refused = 0 } = tally(outcomes);
  expect(whole + refused).toBe(outcomes.length);
  expect(refused / outcomes.length).toBeLessThan(0.02);
});

test.each([
  ['a line is missing', (lines: string[]) => lines.toSpliced(4, 1)],
  [
    'two lines have changed places',
    (lines: string[]) => lines.toSpliced(4, 2, lines[5]!, lines[4]!),
  ],
  ['a line is there twice', (lines: string[]) => lines.toSpliced(4, 0, lines[4]!)],
  ['the first line is missing', (lines: string[]) => lines.slice(1)],
  ['all lines are missing', () => []],
  [
    'a line was edited',
    (lines: string[]) => lines.map((line) => line.replace('"consumed"', '"rejected"')),
  ],
  ['a line was added by hand', (lines: string[]) => lines.concat('{"line":99}')],
  ['it has other line ends', (lines: string[]) => lines.map((line) => `${line}\r`)],
])('a log in which %s is refused', async (_what, damage) => {
  await using gate = await TestStore.open('json');
  const { uses, ...files } = await usedStore(gate, 'clean stop');
  const lines = files.log.toString('utf8').trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(7);

  const log = Buffer.from(
    damage(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );

  expect(outcomeOf({ ...files, log }, uses)).toBe('refused');
});

test('the log of another store is refused', async () => {
  await using gate = await TestStore.open('json');
  await using other = await TestStore.open('json');
  const { uses, ...files } = await usedStore(gate, 'clean stop');
  const { log } = await usedStore(other, 'clean stop');

  expect(outcomeOf({ ...files, log }, uses)).toBe('refused');
});

test.each(['clean stop', 'crash'] as const)(
  'after a %s, a line of another store, whole and with the right number, is refused in any place',
  async (end) => {
    await using gate = await TestStore.open('json');
    await using other = await TestStore.open('json');
    const { uses, ...files } = await usedStore(gate, end);
    const lines = files.log.toString('utf8').split('\n');
    const foreign = (await usedStore(other, end)).log.toString('utf8').split('\n');

    const outcomes = lines.filter(Boolean).map((_, place) => {
      const mixed = lines.with(place, foreign[place]!).join('\n');
      return outcomeOf({ ...files, log: Buffer.from(mixed) }, uses);
    });

    expect(tally(outcomes)).toEqual({ refused: lines.filter(Boolean).length });
  },
);

test('an older document beside the whole log opens with every use', async () => {
  await using gate = await TestStore.open('json');
  const first = await gate.mint({ kind: 'multi', uses: 5 });
  await gate.scan(gate.request(first.id));
  await gate.store.close();
  const document = readFileSync(pathOf(gate));
  await gate.reopen();
  const { uses, log } = await usedStore(gate, 'clean stop');

  expect(outcomeOf({ document, log }, new Map([...uses, [first.id, 1]]))).toBe('whole');
});

test('the document cut off at any byte is refused', async () => {
  await using gate = await TestStore.open('json');
  const { uses, ...files } = await usedStore(gate, 'clean stop');
  const whole = files.document.toString('utf8').trimEnd().length;
  expect(files.document.length).toBeGreaterThan(1200);

  const outcomes = Array.from({ length: whole }, (_, length) =>
    outcomeOf({ ...files, document: files.document.subarray(0, length) }, uses),
  );

  expect(tally(outcomes)).toEqual({ refused: whole });
});

test('no bit of the document can be other than it was and take away a use', async () => {
  await using gate = await TestStore.open('json');
  const { uses, ...files } = await usedStore(gate, 'clean stop');

  const outcomes = Array.from({ length: files.document.length * 8 }, (_, bit) =>
    outcomeOf({ ...files, document: flipped(files.document, bit) }, uses),
  );

  // What stays is what people may edit: a name, a time, a limit.
  expect(Object.keys(tally(outcomes)).sort()).toEqual(['refused', 'whole']);
});

test('the files themselves, cut off at every tenth byte: the store opens with every use, or not at all', async () => {
  await using gate = await TestStore.open('json');
  const { uses, log } = await usedStore(gate, 'crash');
  const copy = `${gate.folder}/copy.json`;
  const outcomes: string[] = [];
  for (let length = 0; length < contentBytes(log) + 20; length += 10) {
    await copyFile(pathOf(gate), copy);
    await copyFile(`${pathOf(gate)}.log`, `${copy}.log`);
    await truncate(`${copy}.log`, length);
    const store = await openStore(`json:${copy}`).catch((error: TicketscanError) => error);
    if (store instanceof Error) {
      expect(store.message).toMatch(/Restore/);
      outcomes.push(store.code);
      continue;
    }
    for (const [id, count] of uses) {
      expect(await store.findTicket(id)).toMatchObject({ usesConsumed: count });
    }
    await store.close();
    outcomes.push('whole');
  }
  expect(tally(outcomes)).toMatchObject({ store_damaged: Math.ceil((contentBytes(log) + 1) / 10) });
});
