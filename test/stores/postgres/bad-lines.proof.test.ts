import { expect, test } from 'vitest';
import { proveBadLines } from '../../../prove/postgres/bad-lines.ts';
import { postgresSchema } from '../../support/postgres/schema.ts';
import { SEED } from '../../support/seed.ts';

test('lines that drop, hold, half-close and swallow, and killed instances: no use twice, none lost, every request answered', async () => {
  console.log(`bad lines: seed ${SEED}`);
  const { url, remove } = await postgresSchema();
  const report = await proveBadLines({ store: url, rounds: 30, clients: 12, seed: SEED });
  const { problems, unanswered, granted, played, ...figures } = report;
  console.log(JSON.stringify({ ...figures, granted, unanswered, played }));

  expect(problems).toEqual([]);
  expect(unanswered).toBe(0);
  expect(granted).toBeGreaterThan(200);
  expect(
    Math.min(
      ...['drop', 'hold', 'half-close', 'swallow'].map((fault) => played[fault as 'drop'] ?? 0),
    ),
  ).toBeGreaterThan(0);
  await remove();
});
