import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';
import { onTerminal } from '../support/on-terminal.ts';

const CTRL_C = '\u0003';

let folder: InProcess;
beforeEach(async () => {
  folder = new InProcess();
  await folder.run('events create --name Pool');
});
afterEach(() => folder[Symbol.asyncDispose]());

test('on a real terminal an act is asked for, and Ctrl-C at a question changes nothing', async () => {
  await using place = new CliFolder();
  await place.run(['events', 'create', '--name', 'Pool']);
  const { id } = await place.json(['keys', 'create', '--name', 'Gate', '--type', 'hardware']);

  const stopped = await onTerminal(place, ['keys', 'delete', id], CTRL_C);
  const account = ['accounts', 'create', '--name', 'ada', '--role', 'owner'];
  const atPassword = await onTerminal(place, account, CTRL_C);
  expect(await place.json(['keys', 'list'])).toHaveLength(1);
  const done = await onTerminal(place, ['keys', 'delete', id], 'y\n');

  expect(stopped.code).toBe(130);
  expect([atPassword.code, atPassword.shown]).toEqual([
    130,
    expect.stringContaining('Nothing was'),
  ]);
  expect([done.code, done.shown]).toEqual([0, expect.stringContaining('Go on? [y/N]')]);
  expect(await place.json(['keys', 'list'])).toEqual([]);
});

test('"no" is 1 and changes nothing; "yes" does it', async () => {
  const { id } = await folder.json('keys create --name Gate --type hardware');
  const no = await folder.ask(['keys', 'delete', id], 'n\n');
  expect([no.code, no.err]).toEqual([
    1,
    expect.stringMatching(/\[y\/N\] [\s\S]*Nothing was changed/),
  ]);
  expect(await folder.json('keys list')).toHaveLength(1);
  expect(await folder.ask(['keys', 'delete', id], 'y\n')).toMatchObject({ code: 0 });
  expect(await folder.json('keys list')).toEqual([]);
});

test('a second rotation asks before it ends the value that the gates may have, and offers to prolong it', async () => {
  await folder.run('keys create --name Gate --type hardware');
  const first = await folder.json('keys rotate Gate --overlap 1h');
  const no = await folder.ask('keys rotate Gate', 'n\n');
  expect([no.code, no.err]).toEqual([
    1,
    expect.stringMatching(/is valid until [\s\S]*Nothing was/),
  ]);
  expect(await folder.ask('keys rotate Gate --overlap 3h', 'p\n')).toMatchObject({ code: 0 });
  const [prolonged] = await folder.json('keys list');
  const moved = Date.parse(prolonged.previousUntil) - Date.parse(first.previousUntil);
  expect([prolonged.rotations, moved]).toEqual([1, expect.any(Number)]);
  expect(moved).toBeGreaterThanOrEqual(2 * 3_600_000);
  expect(await folder.ask('keys rotate Gate', 'r\n')).toMatchObject({ code: 0 });
  const piped = await folder.run('keys rotate Gate');
  expect([piped.code, piped.err]).toEqual([0, expect.stringContaining('ends it at once')]);
  expect((await folder.json('keys list'))[0].rotations).toBe(3);
});

test.each([
  'keys delete nobody',
  'keys rotate nobody --overlap 0',
  'events reset-inside nobody',
  'tickets delete tkt_abc123_0123456789abcdefghij',
])('%s says that it does not exist before it asks', async (line) => {
  const { failure, err } = await folder.ask(line, 'y\n');
  expect([failure, err]).toEqual(['not_found', expect.not.stringContaining('/N]')]);
});

test('seed asks for no consent beside what seed made, but beside what others made', async () => {
  const alone = ['--store', 'sqlite:./sample.db'];
  for (const _ of [1, 2])
    expect(await folder.run(['seed', '--count', '1', ...alone])).toMatchObject({ code: 0 });
  expect(await folder.run('seed --count 1')).toMatchObject({ failure: 'usage' });
  expect(await folder.json('organisations list')).toHaveLength(1);
});

test('what has ended already is stored after a question, and elsewhere with a warning', async () => {
  const [{ id }] = await folder.json('events list');
  const ended = 'mint --event Pool --count 9 --valid-until 2020-01-01';
  const no = await folder.ask(ended, 'n\n');
  expect([no.code, no.err]).toEqual([1, expect.stringContaining('All 9 ended before now')]);
  expect(await folder.json('tickets list')).toEqual([]);
  const rows = ['2020-01-01', '2097-01-01', ''].map((until) => `Ada,${until}\n`).join('');
  writeFileSync(join(folder.path, 'list.csv'), `firstName,validUntil\n${rows}`);
  const old = `ticketId,validUntil\ntkt_${id}_0123456789abcdefghij,2020-01-01\n`;
  writeFileSync(join(folder.path, 'old.csv'), old);
  const refused = await folder.ask('tickets import old.csv', 'n\n');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('The ticket ended')]);

  for (const [line, warning] of [
    [ended, 'Warning: All 9 ended'],
    ['mint --event Pool --from-csv list.csv', '1 of 3 ended before now'],
    ['tickets import old.csv', 'The ticket ended'],
  ] as const)
    expect(await folder.run(line)).toMatchObject({
      code: 0,
      err: expect.stringContaining(warning),
    });
  const future = await folder.run('mint --event Pool --valid-until 2097-01-01');
  expect(future.err).not.toContain('ended');
});
