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

test('a fork draws the same whatever was drawn before it', () => {
  const [first, second] = [new Random(1), new Random(1)];
  second.next();

  expect(first.fork().next()).toBe(second.fork().next());
  expect(first.fork().next()).not.toBe(first.fork().next());
});
