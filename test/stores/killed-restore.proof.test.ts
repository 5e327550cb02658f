import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { TestStore } from '../support/stores.ts';

const missing = reasonToSkip({ strace: isOnPath('strace') });
const ENDS = { sqlite: [''], json: ['', '.log'] } as const;

test.skipIf(missing).each(['sqlite', 'json'] as const)(
  'a %s restore that is killed at any change of a name leaves the old or the new store whole',
  async (engine) => {
    await using old = await TestStore.open(engine);
    await using fresh = await TestStore.open(engine);
    await old.mint();
    for (let count = 0; count < 2; count += 1) await fresh.mint();
    await old.store.close();
    await fresh.store.close();
    const found = { kills: 0, tickets: new Set<number>() };

    for (const call of ['link', 'rename']) {
      for (let step = 1; ; step += 1) {
        const folder = mkdtempSync(join(tmpdir(), 'ticketscan-killed-'));
        copyTo(join(folder, 'store'), engine, old);
        copyTo(join(folder, 'staged'), engine, fresh);
        const wasKilled = putKilledAt(call, step, engine, folder);
        found.tickets.add(await ticketsAt(`${engine}:${join(folder, 'store')}`));
        expect([undefined, 1]).toContain(await ticketsKept(engine, folder));
        rmSync(folder, { recursive: true });
        if (!wasKilled) break;
        found.kills += 1;
      }
    }

    expect(found).toEqual({ kills: engine === 'sqlite' ? 2 : 6, tickets: new Set([1, 2]) });
    await old.reopen();
    await fresh.reopen();
  },
);

function copyTo(path: string, engine: 'sqlite' | 'json', { url }: TestStore): void {
  for (const end of ENDS[engine])
    copyFileSync(`${url.replace(/^\w+:/u, '')}${end}`, `${path}${end}`);
}

async function ticketsKept(engine: string, folder: string): Promise<number | undefined> {
  const kept = join(folder, 'kept');
  return existsSync(kept) ? ticketsAt(`${engine}:${kept}`) : undefined;
}

/** True when the process was killed at its `step`th call that changes a name in that way. */
function putKilledAt(call: string, step: number, engine: string, folder: string): boolean {
  const inject = [
    '-f',
    '-qq',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:signal=KILL:when=${step}`,
  ];
  const script = join(import.meta.dirname, 'support/put-staged.ts');
  const args = [`${engine}:${join(folder, 'store')}`, join(folder, 'staged'), join(folder, 'kept')];
  const run = spawnSync('strace', [...inject, process.execPath, script, ...args], {
    encoding: 'utf8',
  });
  if (run.signal === null && run.status !== 0 && run.status !== 137) throw new Error(run.stderr);
  return run.status !== 0;
}

async function ticketsAt(url: string): Promise<number> {
  const store = await openStore(url);
  try {
    expect((await store.verify()).problems).toEqual([]);
    return await store.countTickets();
  } finally {
    await store.close();
  }
}
