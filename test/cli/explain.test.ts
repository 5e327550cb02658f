import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFolder, type Target, targetOf } from '../support/cli.ts';

const folder = new CliFolder();
let target: Target;

beforeAll(async () => {
  target = targetOf(await folder.json(['seed', '--count', '1']));
});
afterAll(() => folder[Symbol.asyncDispose]());

const codeOf = (state: string) => target.tickets[state]?.[0] ?? '';
const explain = (code: string, ...more: string[]) =>
  folder.run(['explain', 'env:CODE', ...more], {
    CODE: code,
    KEY: target.keys['restScoped'] ?? '',
  });

test.each([
  ['single', 0, 'GRANTED: consumed', 'ok    uses         0 of 1 uses were taken before'],
  ['exhausted', 1, 'DENIED: exhausted', 'STOP  uses         No use is left: 1 of 1'],
  ['cancelled', 1, 'DENIED: rejected (ticket_cancelled)', 'STOP  cancelled    Cancelled at 20'],
  [
    'notYetValid',
    1,
    'DENIED: rejected (not_yet_valid)',
    'STOP  valid_from   Not valid yet. Valid from',
  ],
  ['expired', 1, 'DENIED: rejected (expired)', 'STOP  valid_until  Expired. Valid until'],
  [
    'otherEvent',
    1,
    'DENIED: rejected (event_not_allowed)',
    'STOP  scope        Event "Winter pool"',
  ],
  ['unknown', 1, 'DENIED: not_found', 'STOP  existence    The code is genuine, but'],
])('%s', async (state, code, verdict, line) => {
  const ran = await explain(codeOf(state), '--key', 'env:KEY');
  expect([ran.code, ran.err]).toEqual([code, '']);
  expect(ran.out.split('\n')[0]).toBe(verdict);
  expect(ran.out).toContain(`\n${line}`);
  expect(ran.out).toMatch(/\nok {4}signature {4}Signed by sig_[0-9a-f]+ \(TS1, active\)\.\n/);
});

test('without a key, one that may scan the event is taken for granted', async () => {
  const { out, code } = await explain(codeOf('otherEvent'));
  expect([code, out.split('\n')[0]]).toEqual([0, 'GRANTED: consumed']);
  expect(out).toContain('?     scope        No key was named');
});

test('an id is explained too, as it stands on paper', async () => {
  const id = codeOf('exhausted').split('.')[1] ?? '';
  const printed = id.replace(
    /_(\w{20})$/,
    (_, random: string) => `_ ${random.match(/.{1,5}/g)?.join(' ')}`,
  );
  for (const text of [id, printed, printed.toUpperCase()]) {
    const { out, code } = await explain(text);
    expect([code, out.split('\n')[0]]).toEqual([1, 'DENIED: exhausted']);
    expect(out).toContain('?     signature    Not checked: this needs the code.');
    expect(out).toContain(`Ticket ${id}, created `);
    expect(out).toMatch(
      /\nLast used 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d at Box office \(key_\w+\)\.\n/,
    );
    expect(out).toContain('An id is not a code: the code itself is not judged.');
  }
  const { out } = await folder.run(['tickets', 'show', printed]);
  expect(out).toContain(id);
  const unknown = await explain(`${id.slice(0, -20)}${'0'.repeat(20)}`);
  expect(unknown.out).toContain('DENIED: not_found');
});

test('a disabled key, a forged code, another time', async () => {
  const disabled = await explain(codeOf('single'), '--key', 'Old software (disabled)');
  expect(disabled.out).toMatch(/^DENIED: key_refused\n\nSTOP {2}key .*is disabled\.\n/);
  const forged = await explain(`${codeOf('single')}x`);
  expect(forged.out).toContain('None of the TS1 keys (sig_');
  const noCode = await explain('not a ticket');
  expect(noCode.out).toContain('It does not have the form of a ticket code');
  const later = await explain(codeOf('windowed'), '--at', '2099-01-01T00:00:00Z', '--validate');
  expect(later.out).toMatch(/^DENIED: rejected \(expired\)\n/);
});

test('nothing is registered by explaining', async () => {
  const before = [await folder.json(['audit']), (await folder.run(['log', '--json'])).out];
  for (let i = 0; i < 3; i += 1) await explain(codeOf('multi'), '--key', 'Gates', '--json');
  expect([await folder.json(['audit']), (await folder.run(['log', '--json'])).out]).toEqual(before);
  const none = await explain('x', '--store', 'sqlite:./none.db');
  expect([none.code, none.err]).toEqual([3, expect.stringContaining('No store exists at')]);
  expect(existsSync(join(folder.path, 'none.db'))).toBe(false);
});

test('what is wrong is said without the key', async () => {
  const mistyped = await explain('x', '--key', 'tscn_api_mistyped');
  expect([mistyped.code, mistyped.out]).toEqual([2, '']);
  expect(mistyped.err).toContain('No key has that value');
  expect(mistyped.err).not.toContain('tscn_');
  const file = join(folder.path, 'target.json');
  writeFileSync(file, JSON.stringify(target));
  const wholeFile = await explain('x', '--key', `file:${file}`);
  expect(wholeFile.err).toContain('No key has that value');
  expect(wholeFile.err).not.toMatch(/tscn_|TS1/);
  for (const at of ['soon', '1']) {
    expect((await explain('x', '--at', at)).err).toContain(`"${at}" is not a valid date or time`);
  }
  const inMemory = await explain('x', '--store', 'memory:');
  expect([inMemory.code, inMemory.err]).toEqual([
    2,
    expect.stringContaining('A store in memory is always empty'),
  ]);
});

test('the log explains itself', async () => {
  const { out } = await folder.run(['log', '--explain']);
  expect(out).toMatch(/^1 {2}20.* consume {2}consumed .*\n {4}ok {4}key /);
  expect(out).toContain('0 of 1 uses were taken before; this scan takes use 1.');
  const { out: json } = await folder.run(['log', '--explain', '--json']);
  expect(JSON.parse(json.split('\n')[0] ?? '').explanation).toMatchObject({ answer: 'consumed' });
});

test('a cancelled ticket whose only use was taken back has no last use', async () => {
  const code = codeOf('exhausted');
  const id = code.split('.')[1] ?? '';
  const [entry] = (await folder.run(['log', '--ticket', id, '--json'])).out.split('\n');
  const { sequence } = JSON.parse(entry ?? '');
  await folder.json(['tickets', 'undo', `${sequence}`, '--reason', 'wrong gate']);
  await folder.json(['tickets', 'cancel', id, '--yes']);
  const { out } = await explain(code);
  expect(out).toContain('DENIED: rejected (ticket_cancelled)');
  expect(out).not.toContain('Last used');
  expect(JSON.parse((await explain(code, '--json')).out).lastUse).toBeNull();
});

// Last: what it signed is refused from then on.
test('a retired signing key is named', async () => {
  const [{ id }] = await folder.json(['signing-keys', 'list']);
  await folder.run(['signing-keys', 'rotate', '--format', 'TS1']);
  await folder.run(['signing-keys', 'retire', id, '--yes']);
  const { out } = await explain(codeOf('single'));
  expect(out).toContain(`It was signed by ${id}, which is retired.`);
});
