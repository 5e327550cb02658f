import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { CliFolder, PROGRAM } from '../support/cli.ts';

/** Runs a command on a terminal of its own (`script` of util-linux), and answers its question. */
async function onTerminal(folder: CliFolder, args: readonly string[], answer: string) {
  const line = [process.execPath, PROGRAM, ...args].map((one) => `'${one}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder.path });
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    if (/\[y\/N\] |Password: /.test(shown) && child.stdin.writable) child.stdin.end(answer);
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}

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
