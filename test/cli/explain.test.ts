import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Target, targetOf } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';

const folder = new InProcess();
let target: Target;

beforeAll(async () => {
  target = targetOf(await folder.json('seed --count 1'));
});
afterAll(() => folder[Symbol.asyncDispose]());

const codeOf = (state: string) => target.tickets[state]?.[0] ?? '';
const idOf = (state: string) => codeOf(state).split('.')[1] ?? '';
const explain = (code: string, ...more: string[]) =>
  folder.run(['explain', 'env:CODE', ...more], {
    CODE: code,
    KEY: target.keys['restScoped'] ?? '',
  });

test.each([
  ['single', 0, 'GRANTED: consumed', 'ok    uses         '],
  ['exhausted', 1, 'DENIED: exhausted', 'STOP  uses         '],
  ['cancelled', 1, 'DENIED: rejected (ticket_cancelled)', 'STOP  cancelled    '],
  ['notYetValid', 1, 'DENIED: rejected (not_yet_valid)', 'STOP  valid_from   '],
  ['expired', 1, 'DENIED: rejected (expired)', 'STOP  valid_until  '],
  ['otherEvent', 1, 'DENIED: rejected (event_not_allowed)', 'STOP  scope        '],
  ['unknown', 1, 'DENIED: not_found', 'STOP  existence    '],
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

test('an id is explained too, as it stands on paper, and found by tickets show', async () => {
  const id = idOf('exhausted');
  const printed = id.replace(/_(\w{20})$/, (_, random: string) => {
    return `_ ${random.match(/.{1,5}/g)?.join(' ')}`;
  });
  for (const text of [id, printed, printed.toUpperCase()]) {
    const { out, code } = await explain(text);
    expect([code, out.split('\n')[0]]).toEqual([1, 'DENIED: exhausted']);
    expect(out).toContain('?     signature    Not checked: this needs the code.');
    expect(out).toMatch(new RegExp(`Ticket ${id}, single, event "[^"]+".*, created `));
    expect(out).toMatch(/\nLast used 20[-\d]+ [:\d]+ at Box office \(key_\w+\)\.\n/);
  }
  expect((await folder.run(['tickets', 'show', printed])).out).toContain(id);
});

test.each([
  [
    'a disabled key',
    () => codeOf('single'),
    ['--key', 'Old software (disabled)'],
    /^DENIED: key_refused\n\nSTOP {2}key .*is disabled\.\n/,
  ],
  [
    'a forged code',
    () => `${codeOf('single')}x`,
    [],
    /STOP {2}signature .*None of the TS1 keys \(sig_/,
  ],
  ['no code', () => 'not a ticket', [], /It does not have the form of a ticket code/],
  [
    'another time',
    () => codeOf('windowed'),
    ['--at', '2099-01-01T00:00:00Z', '--validate'],
    /^DENIED: rejected \(expired\)\n/,
  ],
  [
    'an unknown id',
    () => `${idOf('single').slice(0, -20)}${'0'.repeat(20)}`,
    [],
    /^DENIED: not_found\n/,
  ],
])('%s is explained', async (_, code, options, text) => {
  const ran = await explain(code(), ...options);
  expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(text)]);
});

test('nothing is registered by explaining', async () => {
  const state = async () => [await folder.json('audit'), (await folder.run('log --json')).out];
  const before = await state();
  for (let i = 0; i < 3; i += 1) await explain(codeOf('multi'), '--key', 'Gates', '--json');
  expect(await state()).toEqual(before);
});

test('the log explains itself', async () => {
  const { out } = await folder.run('log --explain');
  expect(out).toMatch(/^1 {2}20.* consume {2}consumed .*\n {4}ok {4}key /);
  const { out: json } = await folder.run('log --explain --json');
  expect(JSON.parse(json.split('\n')[0] ?? '').explanation).toMatchObject({ answer: 'consumed' });
});

test('a cancelled ticket whose only use was taken back has no last use', async () => {
  const [entry] = (await folder.run(['log', '--ticket', idOf('exhausted'), '--json'])).out.split(
    '\n',
  );
  await folder.json(['tickets', 'undo', `${JSON.parse(entry ?? '').sequence}`, '--reason', 'x']);
  await folder.json(['tickets', 'cancel', idOf('exhausted'), '--yes']);
  const { code, out } = await explain(codeOf('exhausted'), '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ reason: 'ticket_cancelled', lastUse: null });
});

// Last: what it signed is refused from then on.
test('a retired signing key is named', async () => {
  const [{ id }] = await folder.json('signing-keys list');
  await folder.run('signing-keys rotate --format TS1');
  await folder.run(`signing-keys retire ${id} --yes`);
  expect((await explain(codeOf('single'))).out).toContain(
    `It was signed by ${id}, which is retired.`,
  );
});
