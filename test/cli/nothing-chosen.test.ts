import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';
import { type Leaf, leavesOf, optionOf } from './support/leaves.ts';

/** Options that choose what a command changes. Nothing in the store has these values. */
const CHOOSING: Readonly<Record<string, string>> = {
  '--batch': 'bat_0123456789',
  '--reference': 'nope',
  '--with-reference': 'nope',
  '--event': 'Empty',
};
/** Commands that ask about something else than what is chosen in a store, or whose option writes. */
const OTHER_QUESTIONS: Readonly<Record<string, string>> = {
  mint: 'makes tickets',
  seed: 'makes tickets',
  'store restore': 'asks about a backup',
  'privacy apply': 'chooses by age, and says how much it removed',
  'sites create': 'makes a site',
  'log prune': 'chooses by age, and says how much it removed',
};
/** Options that a command needs besides those by which it chooses. */
const NEEDED: Readonly<Record<string, string>> = {
  'tickets edit': ' --note x',
  'tickets undo': ' --reason x',
};
/** An argument that names nothing, in the form that the command takes. */
const UNKNOWN: Readonly<Record<string, string>> = {
  'signing-keys retire': 'sig_0000000000',
  'tickets undo': '99',
};

const folder = new InProcess();
let asking: readonly Leaf[];
beforeAll(async () => {
  asking = (await leavesOf()).filter((leaf) => optionOf(leaf, '--yes') !== undefined);
  await folder.run('events create --name Pool');
  await folder.run('events create --name Empty');
  await folder.run('mint --event Pool --count 1 --reference R1 --json');
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Each way in which a command could choose what is not there. */
function waysOf(leaf: Leaf): string[] {
  const { name, command } = leaf;
  const more = NEEDED[name] ?? '';
  const writes = name === 'tickets edit' ? ['--reference', '--event'] : [];
  const options = Object.entries(CHOOSING).flatMap(([option, value]) =>
    optionOf(leaf, option) === undefined || writes.includes(option)
      ? []
      : [`${name} ${option} ${value}${more}`],
  );
  const [argument] = command.registeredArguments;
  const unknown = UNKNOWN[name] ?? (name.startsWith('tickets') ? 'tkt_abcdef_nope' : 'nope');
  return argument === undefined ? options : [`${name} ${unknown}${more}`, ...options];
}

test('a command that asks names what is not there before it asks about it', async () => {
  let tried = 0;
  for (const leaf of asking.filter(({ name }) => OTHER_QUESTIONS[name] === undefined)) {
    const ways = waysOf(leaf);
    expect(ways, leaf.name).not.toEqual([]);
    for (const way of ways) {
      const { code, out, err } = await folder.run(way);
      expect([way, code, out]).toEqual([way, 2, '']);
      expect([way, err]).toEqual([way, expect.not.stringMatching(/--yes|Go on\?|about 0 /)]);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(20);
  expect(
    Object.keys(OTHER_QUESTIONS).filter((name) => !asking.some((one) => one.name === name)),
  ).toEqual([]);
});

test('an order is edited by its reference: all of its tickets, or none', async () => {
  await folder.run('mint --event Pool --count 2 --reference A-1 --type multi --uses 5 --json');
  await folder.run('mint --event Pool --count 1 --reference A-1 --json');
  const usesOf = async () => {
    const { out } = await folder.run('tickets list --reference A-1 --json');
    return (JSON.parse(out) as { usesAllowed: number; note: string | null }[]).map(
      ({ usesAllowed, note }) => [usesAllowed, note],
    );
  };
  const asked = await folder.run('tickets edit --with-reference A-1 --note late');
  expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('(3 tickets)') });

  // One of the three is single: it cannot have seven uses, so none gets them.
  const refused = await folder.run('tickets edit --with-reference A-1 --uses 7 --note x --yes');
  expect(refused.code).toBe(2);
  expect(await usesOf()).toEqual([
    [5, null],
    [5, null],
    [1, null],
  ]);

  const done = await folder.run('tickets edit --with-reference A-1 --note late --yes --json');
  expect(JSON.parse(done.out)).toHaveLength(3);
  expect((await usesOf()).map(([, note]) => note)).toEqual(['late', 'late', 'late']);

  for (const wrong of ['tickets edit --note x', 'tickets edit tkt_a --with-reference A-1 --note x'])
    expect(await folder.run(wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--with-reference'),
    });
  expect(await folder.run('tickets edit --with-reference A-1 --event Pool')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Nothing to change: add --reference'),
  });
});
