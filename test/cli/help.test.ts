import { afterAll, expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

const folder = new CliFolder();

afterAll(() => folder[Symbol.asyncDispose]());

test.each([
  [['help'], ['--help']],
  [
    ['help', 'keys'],
    ['keys', '--help'],
  ],
  [
    ['help', 'keys', 'create'],
    ['keys', 'create', '--help'],
  ],
  [
    ['keys', 'help', 'create'],
    ['keys', 'create', '--help'],
  ],
  [
    ['help', 'check'],
    ['check', '--help'],
  ],
  [
    ['help', 'check', 'diff'],
    ['check', 'diff', '--help'],
  ],
  [
    ['keys', 'create', '--name', 'x', '-h'],
    ['keys', 'create', '--help'],
  ],
])('%j shows the same as %j', async (asked, plain) => {
  const [shown, help] = await Promise.all([folder.run(asked), folder.run(plain)]);
  expect(shown).toEqual({ code: 0, out: help.out, err: '' });
  expect(help.out).toMatch(/^Usage: ticketscan/);
});

test('all commands stand on one screen, in groups', async () => {
  const { out } = await folder.run(['--help']);
  const lines = out.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  const groups = [
    'Run',
    'Tickets and events',
    'At the gate',
    'Test a device or a server',
    'Operate',
  ];
  expect(lines.filter((line) => line.endsWith(':'))).toEqual(groups.map((name) => `${name}:`));
});

test.each(['serve', 'mint', 'simulate'])(
  '%s shows the options that matter first, and every other one in a group',
  async (name) => {
    const { out } = await folder.run([name, '--help']);
    const [first = '', ...others] = out
      .split(/\n(?=\S[^\n]*:\n)/)
      .slice(name === 'simulate' ? 2 : 1);
    expect(first).toMatch(/^First of all:\n/);
    expect(first.match(/^ {2}--/gm)).toHaveLength(5);
    const plain = others.find((group) => group.startsWith('Options:')) ?? '';
    expect(plain.match(/(?<=^ {2}(-h, )?--)[a-z-]+/gm)?.toSorted()).toEqual(
      expect.arrayContaining(['help', 'quiet', 'verbose']),
    );
    expect(plain.match(/^ {2}-/gm)?.length).toBeLessThanOrEqual(5);
  },
);

test.each([
  [
    ['sevre'],
    "unknown command 'sevre'\n(Did you mean serve?)\n(ticketscan --help lists the commands)",
  ],
  [['sevre', '--help'], "unknown command 'sevre'\n(Did you mean serve?)"],
  [['--help', 'sevre'], "unknown command 'sevre'\n(Did you mean serve?)"],
  [['help', 'sevre'], "unknown command 'sevre'\n(Did you mean serve?)"],
  [
    ['keys', 'lits', '-h'],
    "unknown command 'lits'\n(Did you mean list?)\n(ticketscan keys --help lists",
  ],
  [['help', 'keys', 'lits'], "unknown command 'lits'\n(Did you mean list?)"],
  [['log', 'prnue', '--help'], "too many arguments for 'log'"],
])('%j fails and names the nearest command', async (args, message) => {
  const { code, out, err } = await folder.run(args);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
});

test('words behind -- are not taken for a request for help', async () => {
  await folder.run(['events', 'create', '--name', 'Pool']);
  const { code, err } = await folder.run(['events', 'edit', '--name', 'x', '--', '--help']);
  expect(code).toBe(2);
  expect(err).toContain('"--help"');
});

test('version and --version show the same', async () => {
  const { version } = await folder.json(['version']);
  for (const args of [['version'], ['--version'], ['-V']]) {
    expect(await folder.run(args)).toEqual({ code: 0, out: `${version}\n`, err: '' });
  }
  expect(await folder.json(['--version'])).toEqual(await folder.json(['version']));
});

test('version --json says what runs', async () => {
  expect(await folder.json(['version'])).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    sqlite: process.versions['sqlite'],
    platform: `${process.platform}-${process.arch}`,
    installed: 'checkout',
    program: expect.stringMatching(/bin\/ticketscan\.js$/),
  });
});
