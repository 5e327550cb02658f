import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TestStore } from '../support/stores.ts';
import { contentBytes, outcomeOf, pathOf, tally, usedStore } from './support/damaged-json.ts';

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
