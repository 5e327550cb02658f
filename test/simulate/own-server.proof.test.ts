import { afterAll, beforeAll, expect, test } from 'vitest';
import { cardOf, readCardFile } from '../../src/simulate/cards/card-file.ts';
import { Device, Fleet } from '../../src/simulate/index.ts';
import { words } from '../support/words.ts';
import { codeOf, ownServer, program } from './support/servers.ts';

let server: Awaited<ReturnType<typeof ownServer>>;

beforeAll(async () => {
  server = await ownServer(['--rate', '100000', '--burst', '100000', '--count', '60']);
});
afterAll(() => server.close());

const key = () => server.target.keys['hardware'] ?? '';
const ticket = (state: string, index = 0) => codeOf(server.target.tickets[state]?.[index]);

/** What the server's own books say about a ticket. */
async function usesConsumed(code: string): Promise<number> {
  const response = await fetch(`${server.url}/scan/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': server.target.keys['rest'] ?? '' },
    body: JSON.stringify({ ticketCode: code }),
  });
  return ((await response.json()) as { usesConsumed: number }).usesConsumed;
}

test.each(['access-controller', 'bas-ip', 'vguang'])(
  'a %s lets a ticket in once',
  async (model) => {
    const code = ticket('single', ['access-controller', 'bas-ip', 'vguang'].indexOf(model) + 50);
    await using device = Device.connect(server.url, {
      key: key(),
      model,
      antiRepeatMs: 0,
      readMs: 0,
    });

    expect(await device.scan(code)).toMatchObject({ result: 'granted', opened: true });
    expect(device.relay).toBeDefined();
    expect(await device.scan(code)).toMatchObject({ result: 'denied', opened: false });
    expect(await usesConsumed(code)).toBe(1);
  },
);

test('the display of a controller shows what section 7.3 says, and no answer deviates', async () => {
  const notes: string[] = [];
  const deviations: string[] = [];
  await using device = Device.connect(server.url, {
    key: key(),
    readMs: 0,
    onEvent: (event) => {
      if (event.event === 'deviation') deviations.push(event.what);
    },
  });
  for (const state of ['exhausted', 'expired', 'notYetValid', 'cancelled', 'unknown']) {
    notes.push((await device.scan(ticket(state)))?.note ?? '');
  }

  expect(notes).toEqual([
    'Ticket erschöpft',
    'Ticket abgelaufen',
    'Noch nicht gültig',
    'Ticket storniert',
    'Ticket nicht gefunden',
  ]);
  expect(deviations).toEqual([]);
});

test('scenarios play against the real server too', async () => {
  const scenarios = [
    'bad-codes',
    'event-scope',
    're-entry',
    'mixed-models',
    'lost-answer',
    'ten-use-card',
    'midnight',
  ];
  const files = scenarios.map(
    (name) => new URL(`../../fixtures/scenarios/${name}.yaml`, import.meta.url).pathname,
  );
  const run = await program(
    words`simulate --json --cards-from ${server.targetFile} ${server.url} --scenario ${files}`,
  );
  const verdicts = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'verdict');

  expect(verdicts.filter(({ verdict }) => verdict === 'FAIL')).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === 'PASS')).toHaveLength(6);
  expect(verdicts.filter(({ verdict }) => verdict === 'SKIP')).toHaveLength(1);
  expect(run.code).toBe(0);
});

test('a fleet with faults accounts for every use that the server has in its books', async () => {
  const file = await readCardFile(server.targetFile, ['multi']);
  const before = await Promise.all(file.cards.map(({ code }) => usesConsumed(code)));
  const { summary } = await Fleet.run(server.url, {
    key: key(),
    cards: file.cards,
    devices: 20,
    rate: 40,
    people: 60,
    seed: 'books',
    device: { waitTime: 10 },
    faults: {
      'lost-answer': 0.1,
      'late-answer': 0.1,
      'duplicate-post': 0.1,
      'double-presentation': 0.1,
      'bad-base64': 0.1,
      reset: 0.1,
      'power-cycle': 0.1,
    },
    retryAfterMs: 1100,
  });
  const after = await Promise.all(file.cards.map(({ code }) => usesConsumed(code)));
  const registered = after.reduce((sum, uses, index) => sum + uses - (before[index] ?? 0), 0);
  const entered = summary.faults.reduce((sum, row) => sum + row.entered, 0);
  const unknown = summary.faults.reduce((sum, row) => sum + row.unknown, 0);

  expect(summary.usesSpentWithoutOpening).toBeGreaterThan(5);
  expect(registered).toBeGreaterThanOrEqual(entered + summary.usesSpentWithoutOpening);
  expect(registered).toBeLessThanOrEqual(entered + summary.usesSpentWithoutOpening + unknown);
});

test('a scan by a card object carries its label into the events, not its code', async () => {
  const labels: unknown[] = [];
  const code = ticket('single', 55);
  await using device = Device.connect(server.url, {
    key: key(),
    onEvent: (event) => {
      if ('card' in event) labels.push(event.card);
    },
  });
  await device.scan(cardOf(code));

  expect(new Set(labels)).toEqual(new Set([code.split('.')[1]]));
});

test('fresh cards open every door, in a second run too', async () => {
  const args = ['simulate', server.url, '--cards-from', server.targetFile, '--rate', '100'];
  const fresh = ['--cards', 'fresh', '--store', server.store, '--people', '60'];
  for (let run = 0; run < 2; run += 1) {
    const { code, stderr } = await program([...args, ...fresh, '--expect', 'granted=60']);
    expect(stderr).toContain('expected granted=60: yes');
    expect(code).toBe(0);
  }
});
