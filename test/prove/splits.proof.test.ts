import { expect, test } from 'vitest';
import { SplitRun } from '../../prove/splits/run.ts';
import { Random } from '../../prove/world/random.ts';

test('a centre and two sites on lines that become bad admit no use too often, and every use comes home once', async () => {
  const random = new Random(1);
  const { splits, granted, rows } = await SplitRun.play({ random, splits: 8 });
  expect(splits).toBe(8);
  expect(Math.min(granted, rows)).toBeGreaterThan(0);
});
