import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Workplace } from '../mint/support/program.ts';
import { CliFolder, PROGRAM } from '../support/cli.ts';
import { inWarmProgram, runProcess } from '../support/warm/run-program.ts';

const OWN_PROCESS = [process.execPath, PROGRAM];
const environment = { ...process.env, NO_COLOR: '1' };

test('a command in the running program answers as in a process of its own: output, messages, exit code', async () => {
  await using folder = new CliFolder();
  const run = (env: NodeJS.ProcessEnv, ...args: string[]) => ({ args, cwd: folder.path, env });
  const seed = run(environment, 'seed', '--count', '1', '--out', 'target.json', '--json');
  expect(await inWarmProgram(seed)).toMatchObject({ code: 0 });
  const commands = [
    run(environment, 'events', 'list', '--json'),
    run({ ...environment, TICKETSCAN_LOG_LEVEL: 'debug' }, 'log', '--limit', '2'),
    run({ ...environment, CODE: 'no ticket' }, 'explain', 'env:CODE'),
    run(environment, 'keys', 'create', '--surname', 'x'),
    run(environment, 'audit', '--store', 'sqlite:./none.db'),
  ];
  const codes: unknown[] = [];
  for (const command of commands) {
    const here = await inWarmProgram(command);
    expect(here, command.args.join(' ')).toEqual(await runProcess(OWN_PROCESS, command));
    codes.push(here?.code);
  }
  expect(codes).toEqual([0, 0, 1, 2, 2]);
  const version = await folder.json(['version']);
  expect(version.installed).toBe('checkout');
  expect(version.program).toMatch(/bin\/ticketscan\.js$/);
  const elsewhere = run({ ...environment, TZ: 'Asia/Tokyo' }, 'log', '--limit', '2');
  expect(await inWarmProgram(elsewhere)).toBeUndefined();
});

test('the commands of a workplace need no process of their own', async () => {
  const place = new Workplace();
  const command = { args: ['--help'], cwd: place.folder, env: place.environment };
  expect(await inWarmProgram(command)).toMatchObject({ code: 0 });
  place.remove();
});

test('nothing of one command reaches the next, and two at once are two processes', async () => {
  await using folder = new CliFolder();
  const args = ['simulate', 'virtual:', '--key', 'k', '--card', 'x', '--json'];
  const simulate = { args, cwd: folder.path, env: environment };
  const help = { args: ['--help'], cwd: folder.path, env: { ...environment, CODE: 'x' } };
  const first = inWarmProgram(simulate);
  await sleep(0);
  expect(await inWarmProgram(help)).toBeUndefined();
  expect((await folder.run(['--help'])).out).toBe((await runProcess(OWN_PROCESS, help)).out);
  expect((await first)?.out).toContain('"summary"');
  expect(await inWarmProgram(help)).toEqual(await runProcess(OWN_PROCESS, help));
});
