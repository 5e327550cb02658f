import { readFileSync } from 'node:fs';
import { copyFile, truncate } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import type { TicketscanError } from '../../src/core/errors.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { TestStore } from '../support/stores.ts';
import { contentBytes, outcomeOf, pathOf, tally, usedStore } from './support/damaged-json.ts';

// Each of many thousand damaged copies is read whole; a busy machine may take its time.
vi.setConfig({ testTimeout: 120_000 });

/** Copies of which one bit each is other than it was: in every byte one, by turns each of the eight. */
function* flipped(bytes: Buffer): Generator<Buffer> {
  for (const [at, byte] of bytes.entries()) {
    const copy = Buffer.from(bytes);
    copy[at] = byte ^ (1 << (at % 8));
    yield copy;
  }
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
  'after a %s, a bit of the log that is other than it was is noticed, in whichever byte',
  async (end) => {
    await using gate = await TestStore.open('json');
    const { uses, ...files } = await usedStore(gate, end);
    const whole = contentBytes(files.log);
    const log = files.log.subarray(0, whole + (end === 'crash' ? 600 : 0));

    const outcomes = [...flipped(log)].map((one) => outcomeOf({ ...files, log: one }, uses));

    expect(tally(outcomes.slice(0, whole))).toEqual({ refused: whole });
    // In the filler behind the last line there is nothing to lose; far behind, it may be a write that never finished.
    for (const outcome of outcomes.slice(whole)) expect(['refused', 'whole']).toContain(outcome);
  },
);

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
    if (outcomes.length >= 1000) break;
  }
  const { whole = 0, refused = 0 } = tally(outcomes);
  expect(whole + refused).toBe(outcomes.length);
  expect(refused / outcomes.length).toBeLessThan(0.02);
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

  const outcomes = [...flipped(files.document)].map((document) =>
    outcomeOf({ ...files, document }, uses),
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
