import { expect, test } from 'vitest';
import { AdminClient } from '../admin/support/client.ts';
import { InProcess } from '../support/in-process.ts';
import { TestService } from '../support/service.ts';

const GUESTS = [
  ['José', 'Müller', 'R-1'],
  ['JOSE', 'MÜLLER', 'R-2'],
  ['Anna', 'Bauer', 'R-4'],
  ['Ben', 'Bauer', 'R-4'],
] as const;

/** Runs commands on a store and at a server, each with the same guests, and expects the same of both. */
async function everywhere(lines: readonly (readonly string[])[]) {
  const told = [];
  for (const way of ['store', 'server']) {
    await using service = await TestService.start({ store: 'sqlite' });
    await using folder = new InProcess();
    const owner = await AdminClient.signedIn(service);
    const event = (await owner.post('/events', { name: 'Pool' })).json.id;
    for (const [firstName, lastName, reference] of GUESTS) {
      const holder = { firstName, lastName };
      const ticket = { event, type: 'single', count: 1, holder, reference };
      expect((await owner.post('/tickets', ticket)).status).toBe(201);
    }
    const { token } = (await owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
    const access =
      way === 'store'
        ? ['--store', service.storeUrl]
        : ['--url', service.url, '--token', 'env:TOKEN'];
    const said = [];
    for (const line of lines) {
      const { code, out, err } = await folder.run([...line, ...access], { TOKEN: token });
      said.push({ code, out: out.replaceAll(/tkt_\w+/gu, 'tkt_…'), err });
    }
    told.push(said);
  }
  const [onStore = [], atServer] = told;
  // Which event an id is of, and when it was made, differs.
  const alike = (text: string) => text.replaceAll(/(?:Event: |bat_|"event": ").*|\d{4}-.*/gu, '');
  const plain = (said: typeof onStore = []) => said.map((one) => ({ ...one, out: alike(one.out) }));
  expect(plain(atServer)).toEqual(plain(onStore));
  return onStore;
}

const cancel = (reference: string) => ['tickets', 'cancel', '--reference', reference, '--yes'];
const report = (option: string, text: string) => ['privacy', 'report', option, text];

test('an order is cancelled by its reference, letter for letter, and an empty one is nobody', async () => {
  const [unknown, empty, blank, small, both, again, padded] = await everywhere([
    cancel('NOPE'),
    cancel(''),
    cancel('  '),
    cancel('r-1'),
    cancel('R-4'),
    cancel('R-4'),
    cancel(' R-1 '),
  ]);
  for (const none of [unknown, small])
    expect([none?.code, none?.err]).toEqual([2, expect.stringContaining('There is no ticket of')]);
  for (const none of [empty, blank])
    expect([none?.code, none?.err]).toEqual([
      2,
      expect.stringMatching(/--reference is empty.*Nothing was changed/su),
    ]);
  expect(both?.out + (both?.err ?? '')).toContain('Cancelled tickets: 2. Cancelled before: 0.');
  expect(again?.out + (again?.err ?? '')).toContain('Cancelled tickets: 0. Cancelled before: 2.');
  expect(padded?.code).toBe(0);
});

test('a number of an order whose positions have references of their own leads to these', async () => {
  const [order, small, none] = await everywhere([cancel('r-'), cancel('r-4'), cancel('R-4x')]);
  expect(order?.err).toContain(
    'There is no ticket of reference "r-". Nothing was changed. A reference is written letter for letter. There are R-1, R-2, R-4: name each with --reference.',
  );
  expect(small?.err).toContain('There is R-4: name it with --reference.');
  expect(none?.err).not.toContain('name it');
});

test('a report finds a guest however the name is written, and says where it has several guests', async () => {
  const [unknown, empty, small, jose, turned, two, none] = await everywhere([
    report('--reference', 'NOPE'),
    report('--reference', ' '),
    report('--reference', 'r-1'),
    report('--name', 'jose muller'),
    report('--name', 'MÜLLER JOSÉ'),
    report('--reference', 'R-4'),
    report('--name', ' '),
  ]);
  expect([unknown?.code, unknown?.err]).toEqual([2, expect.stringContaining('No ticket has')]);
  expect([empty?.code, empty?.err]).toEqual([2, expect.stringContaining('is empty')]);
  expect(small?.code).toBe(2);
  expect([none?.code, none?.err]).toEqual([2, expect.stringContaining('--name is empty')]);
  for (const found of [jose, turned]) {
    expect(found?.code).toBe(0);
    expect(found?.out.match(/^Ticket /gmu)).toHaveLength(2);
    expect(found?.err).toBe('');
  }
  expect(two?.out).toContain('Anna Bauer');
  expect(two?.err).toContain('2 different names');
});
