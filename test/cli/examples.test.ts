import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { EXAMPLES } from '../../src/cli/examples.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { processIo } from '../../src/terminal/io.ts';
import { runCommand } from '../check/support/run-command.ts';

/** They need another machine, a user of this one, or what is made elsewhere. Only their options are looked at. */
const NOT_RUN = [
  'accounts tokens revoke',
  'webhooks test',
  'device-files check',
  'service',
  'privacy clean',
];
const ENVIRONMENT = { GATE_PASSWORD: 'correct horse battery' };
const ID = /tkt_ab12cd_0123456789abcdefghij/;

const home = process.cwd();
let folder = '';
let ticketId = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticketscan-examples-'));
  process.chdir(folder);
  const { code, stderr } = await runCommand(['seed', '--out', 'target.json', '--count', '2']);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  await runCommand(['organisations', 'edit', '--keys-max', '50']);
  const { stdout } = await runCommand(['tickets', 'list', '--state', 'cancelled', '--json']);
  ticketId = JSON.parse(stdout)[0].ticketId;
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

test('every page of help has examples, in one place', async () => {
  const wrong: string[] = [];
  for (const [path, command] of await leaves()) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) });
    command.outputHelp();
    if (help.match(/^Examples?:$/gm)?.length !== 1) wrong.push(path);
  }
  expect(wrong).toEqual([]);
});

test('every example of the table names a command', async () => {
  const paths = (await leaves()).map(([path]) => path);
  expect(Object.keys(EXAMPLES).filter((path) => !paths.includes(path))).toEqual([]);
  const wrong = Object.entries(EXAMPLES).filter(
    ([path, line]) => !line.startsWith(`ticketscan ${path}`),
  );
  expect(wrong).toEqual([]);
});

const RUN = Object.entries(EXAMPLES).filter(
  ([path]) => !NOT_RUN.some((start) => path === start || path.startsWith(`${start} `)),
);

test.each(RUN)('the example of %s runs', async (path, line) => {
  const { code, stderr } = await runCommand(await argumentsOf(path, line), ENVIRONMENT);
  expect([code, stderr]).toEqual([0, expect.anything()]);
});

/** An identifier in an example stands for one that the store has. */
async function argumentsOf(path: string, line: string): Promise<string[]> {
  const words = line.match(/"[^"]*"|\S+/g)?.slice(1) ?? [];
  const own = words.map((word) => word.replace(/^"|"$/g, '').replace(ID, ticketId));
  if (!path.startsWith('signing-keys re')) return own;
  const { stdout } = await runCommand(['signing-keys', 'list', '--json']);
  const oldest = JSON.parse(stdout).find(({ format }: { format: string }) => format === 'TS1');
  return own.map((word) => (word === 'sig_0123456789' ? oldest.id : word));
}

async function leaves(): Promise<[path: string, command: Command][]> {
  const program = await buildProgram(processIo(), () => true);
  const below = (command: Command, path: string): [string, Command][] =>
    command.commands.length === 0 || path === 'check'
      ? [[path, command], ...command.commands.flatMap((one) => below(one, `${path} ${one.name()}`))]
      : command.commands.flatMap((one) => below(one, `${path} ${one.name()}`.trim()));
  expect(program.commands.length).toBe(
    COMMANDS.length + program.commands.filter((one) => one.name() === 'help').length,
  );
  return below(program, '');
}
