import { expect, onTestFinished, test } from 'vitest';
import { type CheckCase, cellsOf } from '../../src/check/cases/case.ts';
import { readTarget } from '../../src/check/deployment/read-target.ts';
import { ENDPOINTS } from '../../src/check/facts/exchange.ts';
import { type CheckResult, check, exitCodeOf } from '../../src/check/index.ts';
import { resultOf } from '../../src/check/judging/combine.ts';
import { makePlan } from '../../src/check/planning/plan.ts';
import { readBaseUrl } from '../../src/check/requests/base-url.ts';
import { REAL_WORLD } from '../../src/check/requests/real-world.ts';
import { judge } from '../../src/check/run/judge-question.ts';
import { Run } from '../../src/check/run/run-state.ts';
import { reading } from '../mutants/faults/codes.ts';
import { rest } from '../mutants/faults/faulty-server.ts';
import { type ServerOptions, startServer, writeReply } from '../mutants/reference/server.ts';

async function serverWith(options: ServerOptions = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  const { baseUrl, target } = server;
  return { baseUrl, target, consume: true, maxRate: 5000 };
}

const caseOf = (result: CheckResult, id: string) => result.cases.find((one) => one.id === id);
const EXTRA = '2.2/forged-code';
const ONLY_EXTRA = `${EXTRA}{extra-segment}`;
/** Takes codes with a fourth segment, on one endpoint or everywhere. */
const fourSegments = (only?: 'consume'): ServerOptions => ({
  ...(only ? { only } : {}),
  alter: reading((code) => code.split('.').slice(0, 3).join('.')),
});

test('a report says which endpoints were asked, which failed, and every deviation', async () => {
  const result = await check({ ...(await serverWith(fourSegments())), only: [ONLY_EXTRA] });
  const one = caseOf(result, EXTRA);
  expect(one?.endpoints).toEqual(['validate', 'consume', 'hw/validate', 'hw/consume']);
  expect(one?.failedEndpoints).toEqual(one?.endpoints);
  expect(one?.deviations).toHaveLength(4);
  expect(one?.notAsked).toEqual([]);
});

test('what was not asked is listed with its reason, and the case passes on the rest', async () => {
  const { consume: _, ...options } = await serverWith();
  const result = await check({ ...options, only: ['2.3/holder'] });
  const one = caseOf(result, '2.3/holder');
  expect(one).toMatchObject({ outcome: 'passed', endpoints: ['validate'], failedEndpoints: [] });
  expect(one?.notAsked).toEqual([
    { endpoint: 'consume', reason: 'it sends tickets to a consume endpoint: add --consume' },
  ]);
  expect(result.verdict).toBe('incomplete');
  expect(exitCodeOf(result)).toBe(0);
  expect(exitCodeOf(result, ['skipped'])).toBe(1);
});

test('a pattern with @ selects one endpoint', async () => {
  const options = await serverWith(fourSegments('consume'));
  const elsewhere = await check({ ...options, only: [`${ONLY_EXTRA}@hw/consume`] });
  expect(elsewhere.verdict).toBe('conforms');
  expect(caseOf(elsewhere, EXTRA)?.endpoints).toEqual(['hw/consume']);
  const there = await check({ ...options, only: ['2.2/forged-*{extra-*}@/scan/consume'] });
  expect(caseOf(there, EXTRA)?.failedEndpoints).toEqual(['consume']);
  const without = await check({ ...options, only: [ONLY_EXTRA], skip: ['*@consume'] });
  expect(without.verdict).toBe('conforms');
  await expect(check({ ...options, only: [`${ONLY_EXTRA}@consum`] })).rejects.toThrow(
    'No case matches',
  );
});

test('a baseline entry for what is only warned of is not stale while the warning is there', async () => {
  const id = '2.2/identifier-is-the-ticket-id';
  const other = await serverWith({
    alter: rest((body) => (body['ticketId'] ? { ...body, ticketId: 'tkt_other' } : body)),
  });
  const result = await check({ ...other, only: [id], baseline: [id] });
  expect(caseOf(result, id)?.outcome).toBe('warned');
  expect(result.stale).toEqual([]);
  const kept = await check({ ...(await serverWith()), only: [id], baseline: [id] });
  expect(kept.stale).toEqual([id]);
});

test('a target without its optional members conforms, and what they would show is listed', async () => {
  const options = await serverWith();
  const { quotaExhausted: _, hardwareQuotaExhausted: __, ...keys } = options.target.keys;
  const { otherOrganisation, permanentEnded, openEnd, openStart, hundred, ...tickets } =
    options.target.tickets;
  expect([otherOrganisation, permanentEnded, openEnd, openStart, hundred]).not.toContain(undefined);
  // That no other case needs them, the plan knows (plan.test.ts).
  const only = ['4/good-ticket', '5/*', '7.1/*'];
  const result = await check({ ...options, target: { keys, tickets }, only });
  expect(result.verdict).toBe('conforms');
  expect(exitCodeOf(result, ['skipped'])).toBe(0);
  const open = caseOf(result, '5/other-organisation-refused');
  expect(open?.outcome).toBe('skipped');
  expect(open?.notAsked.every(({ optional }) => optional)).toBe(true);

  const other = await serverWith();
  const { cancelled: ___, ...fewer } = other.target.tickets;
  const poorer = { keys: other.target.keys, tickets: fewer };
  const incomplete = await check({ ...other, target: poorer, only: ['4/refused-ticket'] });
  expect(incomplete.verdict).toBe('incomplete');
  expect(exitCodeOf(incomplete, ['skipped'])).toBe(1);
});

test('a requirement that means nothing for a deployment is not skipped', async () => {
  const hardware = 'UPPER-CASE-0123';
  const known = { hardware: '' };
  const options = await serverWith({
    alter: (parts) => ({
      acceptKey: (value, side, action) =>
        parts.acceptKey(value === hardware ? known.hardware : value, side, action),
    }),
  });
  known.hardware = String(options.target.keys.hardware);
  const only = ['5/refused-key{upper-case-key}@hw/validate'];
  const result = await check({
    ...options,
    target: { ...options.target, keys: { ...options.target.keys, hardware } },
    only,
  });
  expect(caseOf(result, '5/refused-key')).toMatchObject({
    outcome: 'observed',
    observed: 'not applicable: the key is the same afterwards',
    notAsked: [],
  });
  expect(result.verdict).toBe('conforms');
});

const text = { level: 'stated', requirement: 'A.', cause: 'B.' } as const;
/** Cases that do something other than they mean. */
const CONFUSED: readonly (readonly [string, string, CheckCase])[] = [
  [
    'asks another endpoint',
    'asked nothing of that endpoint',
    {
      ...text,
      id: '9/elsewhere',
      cells: [
        {
          endpoint: 'hw/consume',
          keys: ['rest'],
          tickets: { single: 1 },
          run: async (scan) => void (await scan.validate(scan.ticket('single').code)),
        },
      ],
    },
  ],
  [
    'forges a code that is genuine',
    'a genuine code instead of a forged one',
    {
      ...text,
      id: '9/genuine',
      keys: ['hardware'],
      tickets: { single: 1 },
      run: async (scan) => void (await scan.askForged('hw/consume', scan.ticket('single').code)),
    },
  ],
  [
    'wants a good key refused',
    'a good key instead of a refused one',
    {
      ...text,
      id: '9/good-key',
      keys: ['hardware'],
      run: async (scan) => void (await scan.sendRefused(scan.request('hw/consume', 'A.B.C'))),
    },
  ],
  [
    'spends without consent',
    'without consent',
    {
      ...text,
      id: '9/spending',
      keys: ['hardware'],
      tickets: { single: 1 },
      run: async (scan) => void (await scan.ask('hw/consume', `${scan.ticket('single').code}A`)),
    },
  ],
];

test.each(CONFUSED)('a case that %s is the fault of the checker', async (_, reason, one) => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const before = JSON.stringify([...server.world.tickets]);
  const target = readTarget(server.target);
  const run = new Run(
    target,
    makePlan([one], [], target, false),
    {
      baseUrl: readBaseUrl(server.baseUrl, false),
      timeoutMs: 1000,
      maxRate: 1000,
      consent: false,
    },
    REAL_WORLD,
  );
  onTestFinished(() => run.close());
  const cells = await Promise.all(cellsOf(one).map((cell) => judge(cell, run)));
  const result = resultOf({ one, cells, durationMs: 0 });
  expect(result.outcome).toBe('skipped');
  expect(result.reason).toContain('an error of the checker, not of the service');
  expect(result.reason).toContain(reason);
  expect(run.ownFaults).toHaveLength(1);
  expect(JSON.stringify([...server.world.tickets])).toBe(before);
  const whole = await check({ baseUrl: server.baseUrl, only: ['1/plain-http-closed'] });
  expect(exitCodeOf({ ...whole, ownFaults: run.ownFaults })).toBe(4);
});

test.each([201, 203])(
  'HTTP %i is told at every endpoint, with a right body too',
  async (status) => {
    const options = await serverWith({
      write: (response, reply) =>
        writeReply(response, { ...reply, status: reply.status === 200 ? status : reply.status }),
    });
    const result = await check({
      ...options,
      only: ['4/good-ticket', '7.1/status', '4.5/single-field'],
    });
    const failed = result.cases.flatMap(({ failedEndpoints }) => failedEndpoints);
    expect(new Set(failed)).toEqual(new Set(ENDPOINTS));
  },
);

test('a byte-order mark is named at every endpoint', async () => {
  const options = await serverWith({
    write: (response, { status, headers, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(`\ufeff${JSON.stringify(body)}`);
    },
  });
  const result = await check({ ...options, only: ['1/*', '2.4/*', '4/good-ticket', '4.5/*'] });
  const told = result.cases.flatMap(({ failedEndpoints, deviations }) =>
    JSON.stringify(deviations ?? []).includes('a byte-order mark') ? failedEndpoints : [],
  );
  expect(new Set(told)).toEqual(new Set(ENDPOINTS));
});
