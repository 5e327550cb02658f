import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';
import { onTerminal } from '../support/on-terminal.ts';

test('an act that cannot be undone asks on a terminal, and "no" is 1', async () => {
  await using folder = new CliFolder();
  await folder.run(['events', 'create', '--name', 'Pool']);
  const { id } = await folder.json(['keys', 'create', '--name', 'Gate', '--type', 'hardware']);

  const no = await onTerminal(folder, ['keys', 'delete', id], 'n\n');
  expect(no.shown).toContain('its devices will be refused. Go on? [y/N]');
  expect([no.code, no.shown.includes('Nothing was changed.')]).toEqual([1, true]);
  expect(await onTerminal(folder, ['keys', 'delete', id], '\u0003')).toMatchObject({ code: 130 });
  expect(await folder.json(['keys', 'list'])).toHaveLength(1);

  expect(await onTerminal(folder, ['keys', 'delete', id], 'y\n')).toMatchObject({ code: 0 });
  expect(await folder.json(['keys', 'list'])).toEqual([]);
});

test('a second rotation asks before it ends the value that the gates may have, and offers to prolong it', async () => {
  await using folder = new CliFolder();
  await folder.run(['events', 'create', '--name', 'Pool']);
  const { id } = await folder.json(['keys', 'create', '--name', 'Gate', '--type', 'hardware']);
  const first = await folder.json(['keys', 'rotate', 'Gate', '--overlap', '1h']);

  const no = await onTerminal(folder, ['keys', 'rotate', 'Gate'], 'n\n');
  expect(no.shown).toContain(`The old value of "Gate" (${id}) is valid until `);
  expect([no.code, no.shown.includes('Nothing was changed.')]).toEqual([1, true]);
  const longer = await onTerminal(folder, ['keys', 'rotate', 'Gate', '--overlap', '3h'], 'p\n');
  expect(longer.code).toBe(0);
  const [prolonged] = await folder.json(['keys', 'list']);
  expect(prolonged.rotations).toBe(1);
  const moved = Date.parse(prolonged.previousUntil) - Date.parse(first.previousUntil);
  expect(moved).toBeGreaterThanOrEqual(2 * 3_600_000);

  expect(await onTerminal(folder, ['keys', 'rotate', 'Gate'], 'r\n')).toMatchObject({ code: 0 });
  const piped = await folder.run(['keys', 'rotate', 'Gate']);
  expect(piped.code).toBe(0);
  expect(piped.err).toContain('A new rotation ends it at once');
  expect((await folder.json(['keys', 'list']))[0].rotations).toBe(3);
});

test.each([
  [['keys', 'delete', 'nobody']],
  [['keys', 'rotate', 'nobody', '--overlap', '0']],
  [['events', 'reset-inside', 'nobody']],
  [['tickets', 'delete', 'tkt_abc123_0123456789abcdefghij']],
])('%j says that it does not exist before it asks', async (args) => {
  await using folder = new CliFolder();
  await folder.run(['events', 'create', '--name', 'Pool']);
  const { code, shown } = await onTerminal(folder, args, 'y\n');
  expect([code, shown]).toEqual([2, expect.not.stringContaining('/N]')]);
});

test('Ctrl-C at the question for a password ends with 130 and says that nothing was changed', async () => {
  await using folder = new CliFolder();
  const args = ['accounts', 'create', '--name', 'ada', '--role', 'owner'];
  const { code, shown } = await onTerminal(folder, args, '\u0003');
  expect([code, shown.includes('Nothing was changed.')]).toEqual([130, true]);
});

test('where no terminal can ask, huge and irreversible acts need --yes', async () => {
  await using folder = new CliFolder();
  await folder.run(['events', 'create', '--name', 'Pool']);
  await folder.run(['mint', '--event', 'Pool']);
  const [signing] = await folder.json(['signing-keys', 'list']);
  await folder.run(['signing-keys', 'rotate']);
  const acts = [
    ['mint', '--event', 'Pool', '--count', '100001'],
    ['signing-keys', 'retire', signing.id],
    ['seed', '--count', '1'],
  ];

  for (const act of acts) {
    const { code, err } = await folder.run(act);
    expect([act[0], code, err]).toEqual([act[0], 2, expect.stringMatching(/ Add --yes to do it/)]);
  }
  expect(await folder.json(['tickets', 'list'])).toHaveLength(1);
  expect(await folder.json(['events', 'list'])).toHaveLength(1);
  for (const act of acts.slice(1))
    expect(await folder.run([...act, '--yes'])).toMatchObject({ code: 0 });
});

test('seed asks for no consent beside what seed made', async () => {
  await using folder = new CliFolder();
  await folder.run(['seed', '--count', '1']);
  expect(await folder.run(['seed', '--count', '1'])).toMatchObject({ code: 0 });
});

test('seed with too small a quota creates nothing', async () => {
  await using folder = new CliFolder();
  const small = await folder.run(['seed', '--count', '3', '--quota', '2']);
  expect(small).toMatchObject({ code: 2, err: expect.stringContaining('raise --quota') });
  expect(await folder.json(['organisations', 'list'])).toEqual([]);
  expect(await folder.run(['seed', '--count', '3', '--quota', '3'])).toMatchObject({ code: 0 });
});

test('what has ended already is stored after a question, and elsewhere with a warning', async () => {
  await using folder = new CliFolder();
  await folder.run(['events', 'create', '--name', 'Pool']);
  const [{ id }] = await folder.json(['events', 'list']);
  const ended = ['mint', '--event', 'Pool', '--count', '9', '--valid-until', '2020-01-01'];
  const no = await onTerminal(folder, ended, 'n\n');
  expect(no.shown).toContain('All 9 ended before now; gates refuse what has ended. Go on? [y/N]');
  expect([no.code, await folder.json(['tickets', 'list'])]).toEqual([1, []]);

  const warned = await folder.run(ended);
  expect(warned).toMatchObject({ code: 0, err: expect.stringContaining('Warning: All 9 ended') });
  const rows = ['2020-01-01', '2097-01-01', ''].map((until) => `Ada,${until}`).join('\n');
  writeFileSync(join(folder.path, 'list.csv'), `firstName,validUntil\n${rows}\n`);
  const list = await folder.run(['mint', '--event', 'Pool', '--from-csv', 'list.csv']);
  expect(list).toMatchObject({ code: 0, err: expect.stringContaining('1 of 3 ended before now') });

  const old = `ticketId,validUntil\ntkt_${id}_0123456789abcdefghij,2020-01-01\n`;
  writeFileSync(join(folder.path, 'old.csv'), old);
  const refused = await onTerminal(folder, ['tickets', 'import', 'old.csv'], 'n\n');
  expect(refused.shown).toContain('The ticket ended before now');
  expect(refused.code).toBe(1);
  const imported = await folder.run(['tickets', 'import', 'old.csv']);
  expect(imported).toMatchObject({ code: 0, err: expect.stringContaining('The ticket ended') });
  expect(
    (await folder.run(['mint', '--event', 'Pool', '--valid-until', '2097-01-01'])).err,
  ).not.toContain('ended');
});
