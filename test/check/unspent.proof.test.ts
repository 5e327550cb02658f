import { expect, onTestFinished, test } from 'vitest';
import { readTarget } from '../../src/check/deployment/read-target.ts';
import { type CheckOptions, type CheckResult, check, exitCodeOf } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from '../mutants/reference/server.ts';

async function reference(options: ServerOptions = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  const { baseUrl, target } = server;
  const how: CheckOptions = { baseUrl, target, consume: true, maxRate: 5000 };
  return { how, world: server.world };
}

const failedIn = ({ cases }: CheckResult) =>
  cases.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id);

test('a run spends no more than it announced before its first request, and no run after it accuses anybody', async () => {
  const { how, world } = await reference();
  const unused = JSON.stringify([...world.tickets]);
  let announced = 0;
  let atAnnouncement = '';
  const first = await check({
    ...how,
    onBudget({ uses }) {
      announced = uses;
      atAnnouncement = JSON.stringify([...world.tickets]);
    },
  });
  expect([first.verdict, first.notes.length]).toEqual(['conforms', 1]);
  expect(atAnnouncement).toBe(unused);
  expect(first.usesGranted).toBeGreaterThan(0);
  expect(first.usesGranted).toBeLessThanOrEqual(announced);

  // What waits for caches of a few seconds to end spends nothing more.
  const skip = ['3.2/use-stays-taken', '3.2/refusal-stays'];
  for (const run of [2, 3]) {
    const next = await check({ ...how, skip });
    expect(failedIn(next), `run ${run}`).toEqual([]);
    expect(next.notes.join()).toMatch(/Used up before this run: \d+ of \d+ \w+ tickets/);
    const open = next.cases.flatMap(({ notAsked }) => notAsked.filter((one) => !one.optional));
    for (const { reason } of open) expect(reason).toMatch(/too few|tickets it needs/);
    expect(exitCodeOf(next)).toBe(0);
  }
  expect(failedIn(await check({ ...how, only: ['3.1', '4.1', '4.4', '5'] }))).toEqual([]);
  expect(failedIn(await check({ ...how, consume: false, skip }))).toEqual([]);
});

test('a run without any unused ticket says what is wrong', async () => {
  const { how, world } = await reference();
  for (const ticket of world.tickets.values())
    if (ticket.type === 'single') ticket.usesConsumed = 1;
  const { verdict, notes } = await check({ ...how, only: ['4/good-ticket'] });
  expect(verdict).toBe('incomplete');
  expect(notes.join()).toContain('Used up before this run: 40 of 40 single tickets');
});

test('a run with a few cases can be repeated until the tickets are spent', async () => {
  const { how } = await reference();
  const only = ['3.2/single-only-once', '4/good-ticket{windowed}@hw/consume'];
  for (let run = 1; run <= 3; run += 1)
    expect((await check({ ...how, only })).verdict, `run ${run}`).toBe('conforms');
});

test('a run that could ask nothing is not complete', async () => {
  const { how } = await reference();
  const target = { keys: how.target?.keys ?? {} };
  const result = await check({ ...how, target, only: ['4/good-ticket{single}@validate'] });
  expect(result.totals).toMatchObject({ passed: 0, failed: 0 });
  expect(result.verdict).toBe('incomplete');
});

test.each([
  ['single', (one: { type: string; holder?: object }) => one.type === 'single' && !one.holder],
  ['personalised', (one: { holder?: object }) => one.holder !== undefined],
] as const)(
  'a server that takes unused tickets (%s) for used ones is accused',
  async (_, isMeant) => {
    const { how } = await reference({
      alter: (parts) => ({
        refuse: (ticket, ...more) =>
          isMeant(ticket) ? { status: 'exhausted', ticket } : parts.refuse(ticket, ...more),
      }),
    });
    const { findings } = await check({ ...how, only: ['2.3', '4', '4.1'] });
    expect(findings[0]).toMatchObject({ id: '4/good-ticket', outcome: 'failed' });
  },
);

test('tickets that may begin during a run, or ended just now, are left out; unknown ones may be in scope', () => {
  const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
  const tickets = {
    notYetValid: [{ code: 'a', validFrom: at(110) }, { code: 'b', validFrom: at(155) }, 'c'],
    expired: [{ code: 'd', validUntil: at(95) }, { code: 'e', validUntil: at(70) }, 'f'],
    windowed: [{ code: 'g', validFrom: at(99), validUntil: at(101) }],
    unknown: [{ code: 'h', inScope: true }],
  };
  const read = readTarget({ tickets }, undefined, 100 * 60_000).tickets;
  const codes = Object.values(read).flatMap((list) => list.map(({ code }) => code));
  expect(codes.toSorted()).toEqual(['b', 'c', 'e', 'f', 'g', 'h']);
});
