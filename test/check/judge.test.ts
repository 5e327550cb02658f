import { describe, expect, test } from 'vitest';
import {
  type CheckCase,
  cellsOf,
  Inconclusive,
  NotApplicable,
  type Seen,
} from '../../src/check/cases/case.ts';
import { readTarget } from '../../src/check/deployment/read-target.ts';
import { casesOn } from '../../src/check/device/cases/cases.ts';
import { deviceCase } from '../../src/check/device/cases/device-case.ts';
import { SessionResults } from '../../src/check/device/cases/session-results.ts';
import { NO_REQUEST } from '../../src/check/device/formats/format.ts';
import { accessController } from '../../src/check/device/formats/models.ts';
import type { SeenRequest } from '../../src/check/device/http.ts';
import { judgeSession } from '../../src/check/device/judge-session.ts';
import { DEFAULT_SETTINGS, newRecord } from '../../src/check/device/session-record.ts';
import type { Exchange } from '../../src/check/facts/exchange.ts';
import { Deviation, type DeviationFacts } from '../../src/check/facts/failures.ts';
import type { Level } from '../../src/check/facts/level.ts';
import { type CaseResult, checkDevice, type Subject } from '../../src/check/index.ts';
import { resultOf } from '../../src/check/judging/combine.ts';
import { withRoots } from '../../src/check/judging/roots.ts';
import { makePlan } from '../../src/check/planning/plan.ts';
import { selectCases } from '../../src/check/planning/select.ts';
import { REAL_WORLD } from '../../src/check/requests/real-world.ts';
import { knownDeviations } from '../../src/check/results/baseline.ts';
import { judge } from '../../src/check/run/judge-question.ts';
import { Run } from '../../src/check/run/run-state.ts';

const KEY = 'tscn_hw_0123456789abcdefghijABCDEFGHIJ01234567';
const BODY = `{"key":"${KEY}","filler":"${'x'.repeat(2000)}"}`;

/** A case without what it works with. */
interface Row {
  readonly id: string;
  readonly level?: Level;
  readonly buildsOn?: readonly string[];
  readonly cause?: string;
  readonly run: (shown: unknown) => Seen;
}

const SEEN: Exchange = {
  caseId: 'any',
  level: 'stated',
  request: { path: '/scan/hw/consume', query: [['key', KEY]], body: BODY },
  answer: { status: 200, headers: { date: 'today' }, body: BODY, json: {}, cut: false },
  startedAt: new Date(),
  startedMs: 0,
  durationMs: 1,
};
/** Not at an endpoint, so that nothing but the case knows what is wrong with the answer. */
const SHOWN: Exchange = { ...SEEN, request: { ...SEEN.request, path: '/scan/hw/consume/' } };

/** Judges cases on a server that answered once. */
async function ofServer(rows: readonly Row[]): Promise<CaseResult[]> {
  const cases = rows.map(
    ({ run, ...row }): CheckCase => ({
      ...row,
      requirement: row.id,
      endpoint: 'hw/consume',
      async run(scan) {
        scan.judges(SEEN);
        return run(SHOWN);
      },
    }),
  );
  const target = readTarget({ keys: { hardware: KEY } });
  const options = {
    baseUrl: new URL('http://127.0.0.1:1'),
    timeoutMs: 1000,
    maxRate: undefined,
    consent: true,
  };
  const run = new Run(target, makePlan(cases, [], target, true), options, REAL_WORLD);
  run.answers.note(SEEN);
  const judged = cases.map(async (one) => ({
    one,
    cells: await Promise.all(cellsOf(one).map((cell) => judge(cell, run))),
    durationMs: 0,
  }));
  return withRoots(await Promise.all(judged), run.answers, []).map(resultOf);
}

const CARD: SeenRequest = {
  ...NO_REQUEST,
  place: 'server',
  method: 'POST',
  target: `/scan/hw/consume?key=${KEY}`,
  headers: [['Host', 'gate']],
  body: BODY,
  answer: { status: 200, body: BODY, how: 'whole', atMs: 0 },
};

/** A session in which one card was presented, and these requests came. */
function sessionWith(...requests: SeenRequest[]): SessionResults {
  const record = newRecord('device', KEY);
  record.requests = requests;
  record.played = ['granted'];
  return new SessionResults(record, DEFAULT_SETTINGS, accessController);
}

/** Judges cases on a device that posted a card. */
function ofDevice(rows: readonly Row[]): Promise<CaseResult[]> {
  const cases = rows.map(({ id, run, ...row }) =>
    deviceCase(id, { ...row, requirement: id, run: () => run(CARD) }),
  );
  return judgeSession(cases, sessionWith({ ...CARD, body: '{"Card":"MTIz"}' }));
}

function deviating(facts: DeviationFacts = {}) {
  return (shown: unknown): never => {
    throw new Deviation('right', 'wrong', shown, facts);
  };
}

const throwing = (error: Error) => (): never => {
  throw error;
};

/** Each case with how it ended and what it follows from. */
function endsOf(results: readonly CaseResult[]): Record<string, string> {
  return Object.fromEntries(
    results.map(({ id, outcome, followsFrom = [] }) => [id, [outcome, ...followsFrom].join(' ')]),
  );
}

describe.each([
  ['a server', ofServer],
  ['a device', ofDevice],
])('a case on %s', (_on, judged) => {
  test.each([
    ['stated', 'failed', 'passed'],
    ['observed', 'warned', 'passed'],
    ['unstated', 'observed', 'observed'],
  ] as const)('that is %s ends as %s, or as %s', async (level, bad, good) => {
    const [deviates, keeps] = await judged([
      { id: '1/a', level, run: deviating() },
      { id: '1/b', level, run: () => 'what was seen' },
    ]);
    expect(deviates).toMatchObject({ level, outcome: bad, expected: 'right', observed: 'wrong' });
    const places = level === 'unstated' ? [] : ['hw/consume'];
    expect(deviates).toMatchObject({ endpoints: ['hw/consume'], failedEndpoints: places });
    expect(keeps).toMatchObject({ outcome: good, expected: null, observed: 'what was seen' });
    expect(keeps).toMatchObject({ evidence: null, cause: null, notAsked: [] });
  });

  test('deviates at the level that the deviation says, with its cause and its danger', async () => {
    const facts = { level: 'observed', cause: `It shows ${KEY}.`, isDangerous: true } as const;
    const [one] = await judged([{ id: '1/a', run: deviating(facts) }]);
    expect(one).toMatchObject({ outcome: 'warned', level: 'observed', isDangerous: true });
    expect(one?.cause).toMatch(/^It shows \$[A-Z_]*KEY\w*\.$/);
  });

  test.each([
    ['returned', (error: Error) => () => error as Inconclusive],
    ['thrown', throwing],
  ])('is skipped, or has nothing to ask, where that is %s', async (_how, from) => {
    const results = await judged([
      { id: '1/a', run: from(new Inconclusive('not seen')) },
      { id: '1/b', run: from(new Inconclusive('not there', true)) },
      { id: '1/c', run: from(new NotApplicable('no such thing')) },
    ]);
    expect(results.map(({ outcome, endpoints }) => [outcome, endpoints])).toEqual([
      ['skipped', []],
      ['skipped', []],
      ['observed', ['hw/consume']],
    ]);
    expect(results.map(({ notAsked }) => notAsked)).toEqual([
      [{ endpoint: 'hw/consume', reason: 'not seen' }],
      [{ endpoint: 'hw/consume', reason: 'not there', optional: true }],
      [],
    ]);
    expect(results[0]?.reason).toBe('not seen');
    expect(results[2]?.observed).toBe('not applicable: no such thing');
  });

  test('shows the exchange without keys, and a long body only in part', async () => {
    const [one] = await judged([{ id: '1/a', run: deviating() }]);
    const { request = '', response = '' } = one?.evidence ?? {};
    expect(request.split('\n')[0]).toMatch(/^POST .*\/scan\/hw\/consume\/?\?key=\$\w+$/);
    for (const text of [request, response]) {
      expect(text).not.toContain(KEY.slice(-20));
      expect(text).toMatch(/x… \(\d{4} characters\)$/);
      expect(text.length).toBeLessThan(1300);
    }
    expect(response).toMatch(/^HTTP 200/);
  });

  test('follows what it builds on, down to the last root, and keeps what it saw', async () => {
    const results = await judged([
      { id: '1/c', buildsOn: ['1/none', '1/good', '1/b'], run: deviating() },
      { id: '1/b', buildsOn: ['1/a'], run: deviating() },
      { id: '1/a', run: deviating() },
      { id: '1/good', run: () => undefined },
    ]);
    expect(endsOf(results)).toEqual({
      '1/c': 'follows 1/a',
      '1/b': 'follows 1/a',
      '1/a': 'failed',
      '1/good': 'passed',
    });
    expect(results[0]).toMatchObject({ expected: 'right', observed: 'wrong', failedEndpoints: [] });
    expect(results[0]?.evidence?.response).toMatch(/^HTTP 200/);
  });

  test('that fails never follows what only warns', async () => {
    const results = await judged([
      { id: '1/a', level: 'observed', run: deviating() },
      { id: '1/b', buildsOn: ['1/a'], run: deviating() },
      { id: '1/c', level: 'observed', buildsOn: ['1/a'], run: deviating() },
      { id: '1/d', level: 'observed', buildsOn: ['1/b'], run: deviating() },
    ]);
    expect(endsOf(results)).toEqual({
      '1/a': 'warned',
      '1/b': 'failed',
      '1/c': 'follows 1/a',
      '1/d': 'follows 1/b',
    });
  });

  test('in a circle has one of it as its root', async () => {
    const results = await judged([
      { id: '1/a', buildsOn: ['1/c'], run: deviating() },
      { id: '1/b', buildsOn: ['1/a'], run: deviating() },
      { id: '1/c', buildsOn: ['1/b'], run: deviating() },
    ]);
    const ends = Object.entries(endsOf(results));
    const [[root] = ['']] = ends.filter(([, end]) => end === 'failed');
    expect(ends.filter(([id]) => id !== root).map(([, end]) => end)).toEqual([
      `follows ${root}`,
      `follows ${root}`,
    ]);
  });

  test('does not hide a bug of the checker', async () => {
    const bug = judged([{ id: '1/a', run: throwing(new TypeError('a bug')) }]);
    await expect(bug).rejects.toThrow('a bug');
  });
});

describe('in a session', () => {
  const arrival = deviceCase('1/arrival', {
    requirement: 'A card arrives.',
    statesArrival: true,
    run: () => deviating({ cause: 'No card.' })(CARD),
  });
  const row = { requirement: 'any', run: () => deviating()(CARD) };
  const cases = [
    // The case that explains the others does not stand before them.
    deviceCase('1/card', row),
    arrival,
    deviceCase('1/opens', { ...row, isDangerous: true }),
    deviceCase('4.5/beats', row),
  ];
  const HEARTBEAT = { ...CARD, target: '/scan/hw/heartbeat', body: '{}' };

  test.each([
    ['nothing came', [], { '1/card': 'follows 1/arrival', '4.5/beats': 'follows 1/arrival' }],
    ['heartbeats came', [HEARTBEAT], { '1/card': 'follows 1/arrival', '4.5/beats': 'failed' }],
    ['a card came', [CARD], { '1/card': 'failed', '4.5/beats': 'failed' }],
  ])('where %s, that is why cards are missed', async (_what, requests, expected) => {
    const results = await judgeSession(cases, sessionWith(...requests));
    const always = { '1/arrival': 'failed', '1/opens': 'failed' };
    expect(endsOf(results)).toEqual({ ...always, ...expected });
  });

  test.each([
    ['left out', []],
    ['skipped', [{ ...arrival, skipReason: () => 'another model' }]],
  ])('a missing card explains nothing where the case on it is %s', async (_how, first) => {
    const results = await judgeSession(
      [...first, ...cases.filter((one) => one !== arrival)],
      sessionWith(),
    );
    expect(endsOf(results)).toMatchObject({ '1/card': 'failed', '4.5/beats': 'failed' });
  });

  test('a circle through a missing card ends at its first case', async () => {
    const circle = [
      { ...arrival, buildsOn: ['4.5/beats'] },
      deviceCase('1/card', row),
      deviceCase('4.5/beats', { ...row, buildsOn: ['1/card'] }),
    ];
    expect(endsOf(await judgeSession(circle, sessionWith(HEARTBEAT)))).toEqual({
      '1/arrival': 'failed',
      '1/card': 'follows 1/arrival',
      '4.5/beats': 'follows 1/arrival',
    });
  });

  test('a cause that only a warning shares does not hide what fails', async () => {
    const saw = { requirement: 'any', run: () => deviating({ cause: 'seen' })(CARD) };
    const results = await judgeSession(
      [
        deviceCase('1/warned', { ...saw, level: 'observed' }),
        deviceCase('1/failed', { ...saw, buildsOn: ['1/warned'] }),
      ],
      sessionWith(CARD),
    );
    expect(endsOf(results)).toEqual({ '1/warned': 'follows 1/failed', '1/failed': 'failed' });
  });

  test('cases that saw the same cause have one root, and not those that always have theirs', async () => {
    const saw = { requirement: 'any', run: () => deviating({ cause: 'seen' })(CARD) };
    const results = await judgeSession(
      [
        deviceCase('1/warned', { ...saw, level: 'observed' }),
        deviceCase('1/first', saw),
        deviceCase('1/second', saw),
        deviceCase('1/base', row),
        deviceCase('1/built', { ...saw, buildsOn: ['1/base'] }),
        deviceCase('1/fixed', { ...row, cause: 'always' }),
        deviceCase('1/fixed-too', { ...row, cause: 'always' }),
      ],
      sessionWith(CARD),
    );
    expect(endsOf(results)).toEqual({
      '1/warned': 'follows 1/first',
      '1/first': 'failed',
      '1/second': 'follows 1/first',
      '1/base': 'failed',
      '1/built': 'follows 1/base',
      '1/fixed': 'failed',
      '1/fixed-too': 'failed',
    });
    expect(results.at(-1)?.cause).toBe('always');
  });

  test('what was not played is skipped, and the check is complete only without what was left out', async () => {
    const session = sessionWith(CARD);
    session.record.omitted['power'] = 'there is no power to cut';
    const results = await judgeSession(
      [
        deviceCase('1/omitted', { ...row, scenes: ['power'] }),
        deviceCase('1/unplayed', { ...row, scenes: ['again'] }),
        deviceCase('1/other', { ...row, skipReason: () => 'another model' }),
      ],
      session,
    );
    expect(results.map(({ reason, notAsked: [one] }) => [reason, one?.optional])).toEqual([
      ['there is no power to cut', true],
      ['the session ended before its scene "again" was over', undefined],
      ['another model', true],
    ]);
  });
});

describe('cases on devices', () => {
  test('are selected as those on servers', () => {
    const chosen = selectCases(casesOn('client'), { only: ['8', '*light@consume'] });
    expect(chosen.map(({ id }) => id)).toEqual(['4.6/client-light', '8/client-denies-on-429']);
    expect(() => selectCases(casesOn('client'), { only: ['*@heartbeat'] })).toThrow('No case');
  });

  test('are known by a baseline as those on servers', () => {
    const known = knownDeviations(['8/device-does-not-flood@hw/consume'], casesOn('device'));
    expect(known).toMatchObject([{ id: '8/device-does-not-flood', endpoints: ['hw/consume'] }]);
    expect(() => knownDeviations(['1/client-https'], casesOn('device'))).toThrow('unknown case');
  });

  test('a baseline of other cases is refused before a session begins', async () => {
    const subject: Subject = {
      start: () => Promise.reject(new Error('it began')),
      present: async () => {},
      close: async () => {},
    };
    const session = checkDevice({ kind: 'device', subject, baseline: ['1/client-https'] });
    await expect(session).rejects.toThrow('unknown case "1/client-https"');
  });
});
