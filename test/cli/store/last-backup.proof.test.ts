import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { checkBackup } from '../../../src/cli/doctor/store-checks.ts';
import { lastBackup, noteBackup } from '../../../src/features/server/operations.ts';
import { DAY_MS, HOUR_MS } from '../../../src/kit/durations.ts';
import { openStore } from '../../../src/stores/open-store.ts';
import { InProcess } from '../../support/in-process.ts';

const NOW = Date.UTC(2026, 6, 1, 12);

async function doctor(folder: InProcess): Promise<Finding | undefined> {
  const { out } = await folder.run('doctor --port 0 --json');
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return findings.find(({ check }) => check === 'backup');
}

/** What a store says of its own last backup. */
async function noted(folder: InProcess, file: string): Promise<number | null> {
  const store = await openStore(`sqlite:${join(folder.path, file)}`);
  try {
    return (await lastBackup(store, 'sqlite', NOW)).at;
  } finally {
    await store.close();
  }
}

test('doctor knows of a backup once it is made, and a backup is as the store was before', async () => {
  await using folder = new InProcess();
  await folder.run('seed --count 10');
  expect(await doctor(folder)).toMatchObject({
    outcome: 'warning',
    finding: 'There is no backup of this store yet.',
    advice: expect.stringContaining('ticketscan store backup FILE'),
  });
  const before = Date.now();
  const first = await folder.run(['store', 'backup', 'one.db']);
  expect([first.code, first.err.includes('not count')]).toEqual([0, false]);
  const { outcome, finding } = (await doctor(folder)) ?? {};
  expect([outcome, finding]).toEqual([
    'good',
    expect.stringMatching(
      /^The last backup is less than an hour old: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC\)\.$/,
    ),
  ]);
  const firstAt = await noted(folder, 'ticketscan.db');
  expect(firstAt).toBeGreaterThanOrEqual(before);

  const second = await folder.run(['store', 'backup', 'two.age', '--passphrase', 'env:WORDS'], {
    WORDS: 'five random words of ours',
  });
  expect([second.code, second.err.includes('not count')]).toEqual([0, false]);
  expect(await noted(folder, 'ticketscan.db')).toBeGreaterThan(firstAt ?? 0);
  expect(await noted(folder, 'one.db')).toBeNull();
  const audit = await folder.run(['audit', '--json']);
  expect(JSON.parse(audit.out)).toMatchObject({ ok: true });
});

test('a JSON store that a server has open is backed up, and the command says that nobody will know', async () => {
  await using folder = new InProcess();
  const path = join(folder.path, 'gate.json');
  const server = await openStore(`json:${path}`);
  const backup = ['store', 'backup', 'gate.age', '--passphrase', 'env:WORDS'];
  const args = [...backup, '--store', 'json:./gate.json'];
  const { code, err, out } = await folder.run(args, { WORDS: 'five random words of ours' });
  expect([code, out]).toEqual([0, expect.stringContaining('sound, encrypted')]);
  expect(err).toMatch(/will not count this backup, because .* in use by/);
  await server.close();
  const again = await openStore(`json:${path}`);
  expect(await lastBackup(again, 'json', NOW)).toEqual({ at: null, isOverdue: false });
  await again.close();
});

test.each([
  [-HOUR_MS, 'good', 'less than an hour'],
  [HOUR_MS, 'good', '1 hour'],
  [47 * HOUR_MS, 'good', '47 hours'],
  [7 * DAY_MS, 'good', '7 days'],
  [7 * DAY_MS + 1, 'warning', '7 days'],
  [30 * DAY_MS, 'warning', '30 days'],
])('%i ms after the last backup: %s, %s', async (age, outcome, shown) => {
  const store = await openStore('memory:');
  await noteBackup(store, NOW - 90 * DAY_MS);
  await noteBackup(store, NOW - age);
  const found = await checkBackup(store, 'sqlite', NOW, 'UTC');
  expect(found).toMatchObject({ outcome, finding: expect.stringContaining(`is ${shown} old`) });
  for (const engine of ['postgres', 'json'] as const) {
    const elsewhere = await checkBackup(store, engine, NOW, 'UTC');
    expect(elsewhere).toMatchObject({ outcome: 'good', finding: found.finding });
  }
});

test.each([
  [99, 'sqlite', 'skipped'],
  [100, 'sqlite', 'warning'],
  [100, 'postgres', 'skipped'],
  [100, 'json', 'skipped'],
] as const)('no backup of %i tickets in %s: %s', async (tickets, engine, outcome) => {
  const store = {
    read: async () => undefined,
    listTickets: async ({ limit }: { limit: number }) => Array(Math.min(limit, tickets)).fill({}),
  };
  expect((await checkBackup(store, engine, NOW, 'UTC')).outcome).toBe(outcome);
});
