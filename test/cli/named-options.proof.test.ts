import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import ts from 'typescript';
import { beforeAll, expect, test } from 'vitest';
import { distances, importGraph } from '../../scripts/import-graph.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { SENDER } from '../../src/features/webhooks/network.ts';
import {
  CAUTIOUS_COMMAND,
  type Caller,
  COMMAND,
  connectionFailure,
  LIBRARY,
} from '../../src/kit/failures.ts';
import { ADMINISTRATOR } from '../../src/operations/admin-client.ts';
import { processIo } from '../../src/terminal/io.ts';
import { VARIABLES } from '../../src/terminal/options.ts';

/*
 * Whoever reads an error text does what it says. So what any text of the program names (an option, a command, a variable) exists, and an
 * option exists on the command that the text names with it, or else on one that can show the text.
 */

interface Text {
  readonly file: string;
  /** The text as it is written; a value that is put in is an X. */
  readonly text: string;
}

const OPTION = /(?<![\w-])--[a-z][a-z0-9-]*/g;
const VARIABLE = /\bTICKETSCAN_[A-Z_]+\b/g;
/** Words of sentences that begin with the name of the program. */
const PROSE = new Set(
  'again already and answered backup can command creates device does for has in is itself made must needs or refuses reads scenario server serves that would writes keys'.split(
    ' ',
  ),
);
/** Options of other programs, and names that only look like an option, by the file that has them. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  'src/serve/run-server.ts': '--no-allocation-site-pretenuring',
  'src/features/store/sealed-archive.ts': '--decrypt',
  'src/features/store/commands/backup.ts': '--decrypt',
  'src/features/store/commands/restore.ts': '--decrypt',
  // The line that starts the service has --config of serve.
  'src/features/service/commands.ts': '--unit --lines --property --config',
  // A list goes to mint: the line above the option says so.
  'src/features/tickets/commands/import.ts': '--from-csv --from-json',
  'src/features/service/install.ts':
    '--now --home-dir --no-create-home --shell --system --user-group --global',
  'src/cli/commands/completion.ts': '--start',
  'src/check/requests/redact.ts':
    '--data-binary --data-raw --noproxy --proxy --proxytunnel --header --request --insecure --url',
  'src/check/reports/html.ts': '--line --bad --warn --good',
};
let program: Command;
let texts: Text[];
/** The commands that can show a text of a file: those whose module imports it, by any way. */
const shownBy = new Map<string, Set<string>>();

beforeAll(async () => {
  program = await buildProgram(processIo(), () => true);
  texts = globSync('src/**/*.{ts,tsx}').sort().flatMap(textsOf);
  const graph = importGraph(['src'], { withTypes: false });
  const table = readFileSync('src/cli/command-table.ts', 'utf8');
  for (const [, name = '', path = ''] of table.matchAll(
    /name: '([\w-]+)',[\s\S]*?import\('([^']+)'\)/g,
  )) {
    for (const file of distances([join('src/cli', path)], (one) => graph.get(one)).keys())
      shownBy.set(file, (shownBy.get(file) ?? new Set()).add(name));
  }
});

function textsOf(file: string): Text[] {
  const source = readFileSync(file, 'utf8');
  if (!/--[a-z]|ticketscan|TICKETSCAN|`/.test(source)) return [];
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push({ file, text: node.text });
    else if (ts.isTemplateExpression(node)) {
      const rest = node.templateSpans.map(({ literal }) => `X${literal.text}`);
      found.push({ file, text: node.head.text + rest.join('') });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false, kind));
  return found;
}

/** The command of these words, and the words that are left; undefined where the first is none. */
function commandOf(words: readonly string[]): { command: Command; path: string } | undefined {
  let command = program;
  const path: string[] = [];
  for (const word of words) {
    const child = command.commands.find((one) => one.name() === word);
    if (!child) break;
    path.push(word);
    command = child;
  }
  return path.length === 0 ? undefined : { command, path: path.join(' ') };
}

/** The options of a command and of those below it. */
function optionsOf(command: Command): string[] {
  const below = command.commands.flatMap(optionsOf);
  return [...command.options.map(({ long }) => long ?? ''), '--help', '--version', ...below];
}

/** The command that stands before an option in the same clause: `ticketscan keys edit "Gate 1" --device`, `keys edit --device`. */
function commandBefore(before: string) {
  const clause = before.split(/[.;:!?),]\s|\n|\bor\b|→/).at(-1) ?? '';
  const words = clause.match(/[\w-]+/g) ?? [];
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const named = commandOf(words.slice(at, at + 2));
    if (!named) continue;
    // The subcommand of a group has its own name, such as `check` in `device-files check`.
    return commandOf(words.slice(Math.max(0, at - 1), at + 2)) ?? named;
  }
  return undefined;
}

const isCalled = (before: string) => /ticketscan [^.;,)\n]*$/.test(before);

/** What is wrong with the options that a text names. */
function wrongOptions({ file, text }: Text): string[] {
  const others = new Set(OF_OTHERS[file]?.split(' '));
  return [...text.matchAll(OPTION)].flatMap(({ 0: option, index }) => {
    if (others.has(option)) return [];
    const before = text.slice(0, index);
    const named = commandBefore(before);
    if (named && optionsOf(named.command).includes(option)) return [];
    if (named && isCalled(before)) return [`${file}: ${named.path} has no ${option}`];
    const commands = shownBy.get(file) ?? new Set(program.commands.map((one) => one.name()));
    const owners = program.commands.filter((one) => commands.has(one.name()));
    if (owners.some((one) => optionsOf(one).includes(option))) return [];
    return [`${file}: none of ${[...commands].join(', ')} has ${option}`];
  });
}

test('every option that a text names exists on the command that it names, or on one that shows it', () => {
  expect(texts.length).toBeGreaterThan(1000);
  expect(texts.flatMap(wrongOptions)).toEqual([]);
});

/** What is wrong with the commands that a text names: `ticketscan keys list`, or one in backticks. */
function wrongCommands({ file, text }: Text): string[] {
  const called = text.matchAll(/(?<![\w./@-])ticketscan ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g);
  const quoted = text.matchAll(/`([a-z][a-z-]*) ([a-z][a-z-]*)[^`]*`/g);
  const isKnown = (word: string) => commandOf([word]) !== undefined;
  const both = [...called, ...[...quoted].filter(([, word = '']) => isKnown(word))];
  return both.flatMap(([all, first = '', second = '']) => {
    if (PROSE.has(first) || ['complete', 'help'].includes(first)) return [];
    const group = commandOf([first])?.command;
    if (!group) return [`${file}: no command "${all}"`];
    const isArgument = group.commands.length === 0 || group.registeredArguments.length > 0;
    if (second === '' || isArgument || commandOf([second]) || PROSE.has(second)) return [];
    return group.commands.some((one) => one.name() === second) ? [] : [`${file}: no "${all}"`];
  });
}

test('every command that a text names exists', () => {
  expect(texts.flatMap(wrongCommands)).toEqual([]);
});

test('every variable that a text names is read by the program', () => {
  const named = texts.flatMap(({ file, text }) =>
    [...text.matchAll(VARIABLE)].map(([name]) => ({ file, name })),
  );
  const known = [...VARIABLES, 'TICKETSCAN_X'];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ name }) => !known.includes(name))).toEqual([]);
});

const CODES =
  'ECONNREFUSED ENOTFOUND CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID SELF_SIGNED_CERT_IN_CHAIN ERR_SSL_X_ALERT_Y EPROTO HPE_HEADER_OVERFLOW HPE_X EHOSTUNREACH ECONNRESET ETIMEDOUT ERR_ANSWER_LATE ABORT_ERR ERR_ANSWER_CODED ERR_ANSWER_SWITCHED ERR_ANSWER_X ERR_PROXY EMFILE EWHATEVER'.split(
    ' ',
  );

/** Who connects, and the commands that they are. Software of others has no options at all. */
const CALLERS: readonly (readonly [string, Caller, readonly string[]])[] = [
  ['a command', COMMAND, ['doctor', 'simulate', 'record', 'record send']],
  ['a cautious command', CAUTIOUS_COMMAND, ['scan', 'check', 'check monitor', 'check explore']],
  ['a command of the admin API', ADMINISTRATOR, ['tickets list', 'keys create', 'log']],
  ['who sends webhooks', SENDER, ['serve', 'webhooks test']],
  ['a library', LIBRARY, []],
];

test.each(CALLERS)('%s is told of no option that it does not have', (_, caller, commands) => {
  for (const code of CODES) {
    const error = Object.assign(new Error('said'), { code });
    const { what, advice } = connectionFailure(error, 'https://gate', caller);
    for (const [option] of `${what} ${advice}`.matchAll(OPTION)) {
      expect(commands.length, option).toBeGreaterThan(0);
      for (const name of commands)
        expect(optionsOf(commandOf(name.split(' '))?.command ?? program), name).toContain(option);
    }
  }
});
