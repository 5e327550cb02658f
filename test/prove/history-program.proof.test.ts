import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rush } from '../../prove/planted/rush.ts';
import { Recorder } from '../../prove/world/recorder.ts';
import { createWorld } from '../../prove/world/world.ts';
import { SEED } from '../support/seed.ts';

function judge(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['prove/history/main.ts', ...args],
    {
      encoding: 'utf8',
    },
  );
  return { status, text: stdout + stderr };
}

test('the history checker judges a record and a store on their own, and says what is wrong', async () => {
  const world = await createWorld('sqlite', 12);
  const options = { world, seed: SEED, servers: 1, requests: 400, end: 'SIGTERM' } as const;
  const { recorder, place } = await rush(options);
  const record = join(place.folder, 'record.jsonl');
  recorder.save(record);
  const forged = new Recorder();
  forged.lines.push(...recorder.lines);
  const permanent = world.open.tickets['permanent']?.[3]?.id ?? '';
  const id = 1_000_000;
  const key = world.open.keys.rest.id;
  forged.lines.push({ type: 'invoke', id, at: 0, action: 'consume', key, ticket: permanent });
  forged.lines.push({
    type: 'ok',
    id,
    at: 1,
    status: 'consumed',
    usesConsumed: 9000,
    usesAllowed: 9999,
  });
  const wrong = join(place.folder, 'forged.jsonl');
  forged.save(wrong);

  expect(judge('--record', record, '--store', place.storeUrl)).toMatchObject({ status: 0 });
  const verdict = judge('--record', wrong, '--store', place.storeUrl);
  expect(verdict).toMatchObject({ status: 1 });
  expect(verdict.text).toContain(
    `acknowledged-is-stored: ${permanent}: use 9000: acknowledged, but not in the log`,
  );
  const noVerdict = [
    ['--record', record],
    ['--record', record, '--store', 'sqlite:/nowhere/a.db'],
    ['--record', '/nowhere/record.jsonl', '--store', place.storeUrl],
    ['--histories', record],
  ];
  for (const args of noVerdict) {
    const { status, text } = judge(...args);
    expect([args, status, text]).toEqual([args, 2, expect.stringContaining('Usage: ')]);
    expect(text).not.toMatch(/\n\s+at /);
  }
  for (const folder of [world.folder, place.folder])
    rmSync(folder, { recursive: true, force: true });
});
