import { expect, test } from 'vitest';
import { Random } from '../../prove/world/random.ts';

test('no two forks draw the same numbers one after another', () => {
  const root = new Random(320);
  const pairs = new Set<string>();
  for (let fork = 0; fork < 100; fork += 1) {
    const random = root.fork();
    let before = random.next();
    for (let draw = 0; draw < 400; draw += 1) {
      const next = random.next();
      pairs.add(`${before} ${next}`);
      before = next;
    }
  }

  expect(pairs.size).toBe(100 * 400);
});

test('the same seed gives the same forks, another seed others', () => {
  const firstOf = (seed: number) => new Random(seed).fork().next();

  expect(firstOf(1)).toBe(firstOf(1));
  expect(new Set(Array.from({ length: 1000 }, (_, seed) => firstOf(seed))).size).toBe(1000);
});
