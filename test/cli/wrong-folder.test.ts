import { readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { processIo } from '../../src/terminal/io.ts';
import { CliFolder } from '../support/cli.ts';

/** Whatever makes something out of nothing. */
const CREATE = /^(serve|demo|seed|mint|\S+ create|tickets import|store (copy|restore))$/;
/** What ends only when it is told to, or works on the machine and not in a folder. */
const NEVER = /^(serve|demo|service (install|uninstall)|record( .*)?|simulate|check( .*)?)$/;
const FILES = /ticketscan\.(db|json|keyring\.json)/;

/** Arguments with which a command does its work; the others get a made-up one for each that they need. */
const ARGUMENTS: Record<string, readonly string[]> = {
  'tickets revoke-list': ['--out', 'revoked.txt'],
  'privacy apply': ['--yes', '--holders-after', '30d'],
  'log prune': ['--before', '2020-01-01'],
  'keys edit': ['x', '--name', 'y'],
  'events edit': ['x', '--name', 'y'],
  'organisations edit': ['x', '--rate', '5'],
  'tickets edit': ['tkt_x', '--uses', '5'],
};

interface Leaf {
  readonly name: string;
  readonly args: readonly string[];
}

function leaves(command: Command, before: string): Leaf[] {
  const name = `${before} ${command.name()}`.trim();
  const below = command.commands.flatMap((one) => leaves(one, name));
  if (below.length > 0) return below;
  const needed = command.registeredArguments.filter(({ required }) => required);
  const mandatory = command.options.filter((option) => option.mandatory);
  const options = mandatory.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']);
  const yes = command.options.some(({ long }) => long === '--yes') ? ['--yes'] : [];
  const args = ARGUMENTS[name] ?? [...needed.map(() => 'x'), ...options, ...yes];
  return [{ name, args }];
}

const all: Leaf[] = [];
for (const { load } of COMMANDS)
  all.push(...leaves((await load()).command(processIo()) as Command, ''));

test('no command makes a store or a keyring in a wrong folder, but those that create', async () => {
  const readers = all.filter(({ name }) => !CREATE.test(name) && !NEVER.test(name));
  expect(readers.length).toBeGreaterThan(50);
  const made: string[] = [];
  const silent: string[] = [];
  for (const { name, args } of readers) {
    await using folder = new CliFolder();
    const { code } = await folder.run([...name.split(' '), ...args]);
    const files = readdirSync(folder.path).filter((file) => FILES.test(file));
    if (files.length > 0) made.push(`${name}: ${files}`);
    const needsStore =
      !/^(completion|config|version|health|device-files|doctor|scan|decode|explain|service)/.test(
        name,
      );
    if (needsStore && code === 0) silent.push(name);
  }
  expect(made).toEqual([]);
  expect(silent).toEqual([]);
});

test('a signed revoke list is never made of a store that is not there', async () => {
  await using folder = new CliFolder();
  const { code, err } = await folder.run(['tickets', 'revoke-list', '--out', 'list.txt']);

  expect(code).toBe(3);
  expect(err).toMatch(
    /No store exists at sqlite:.*\. Change to its folder, or name it with --store/,
  );
  expect(err).not.toContain('seed');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('nor without the keyring of the store', async () => {
  await using folder = new CliFolder();
  await folder.json(['events', 'create', '--name', 'Pool']);

  const { code, err } = await folder.run(['tickets', 'revoke-list']);

  expect(code).toBe(2);
  expect(err).toContain('ticketscan.keyring.json is missing');
  expect(readdirSync(folder.path).filter((file) => file.includes('keyring'))).toEqual([]);
});

test.each([
  ['events', 'create', '--name', 'Pool'],
  ['organisations', 'create', '--name', 'Lido', '--quiet'],
  ['seed', '--count', '1', '--out', 'target.json'],
])('the first line on stderr says where a new store is: %s %s', async (...args) => {
  await using folder = new CliFolder();

  const { code, out, err } = await folder.run(args);
  const again = await folder.run([...args.slice(0, 3), 'Another']);

  expect(code).toBe(0);
  expect(err.split('\n')[0]).toBe(`New store: ${folder.path}/ticketscan.db`);
  expect(out).not.toContain('New store');
  expect(again.err).not.toContain('New store');
});
