import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/kit/random.ts';
import { LatestAnswers, renderLive } from '../../src/simulate/commands/live-view.ts';
import { SimulatedFleet } from '../../src/simulate/fleet/fleet.ts';
import { parseExpectation, textReport } from '../../src/simulate/fleet/report.ts';
import { Statistics } from '../../src/simulate/fleet/statistics.ts';
import { aTicket, StandInServer } from '../../src/simulate/stand-in.ts';
import { VirtualTime } from '../../src/simulate/time.ts';

/** A run of 100 grants of 1 to 100 ms, two denials and a timeout. */
function aReport() {
  const time = new VirtualTime();
  const statistics = new Statistics(time);
  const common = {
    opened: false,
    status: 200,
    name: '',
    note: '',
    unreachable: false,
    message: undefined,
  };
  for (let ms = 1; ms <= 100; ms += 1) {
    time.runUntil(ms * 40);
    statistics.scanned({ ...common, result: 'granted', latencyMs: ms, opened: true }, ms * 2);
  }
  for (const note of ['Ticket <b>erschöpft', 'Ticket <b>erschöpft']) {
    statistics.scanned({ ...common, result: 'denied', latencyMs: 1, note }, 1);
  }
  statistics.scanned({ ...common, result: 'timeout', latencyMs: 3000, status: undefined }, 3000);
  return statistics.report({ seed: '7', devices: 3 });
}

test('percentiles are those of the measured times, corrected and raw', () => {
  const { summary } = aReport();
  const near = (value: number | null, expected: number) =>
    expect(Math.abs((value ?? 0) - expected) / expected).toBeLessThan(0.002);
  near(summary.rawLatencyMs.p50, 50);
  near(summary.rawLatencyMs.p90, 91);
  near(summary.latencyMs.p50, 100);
  near(summary.latencyMs.max, 3000);
  expect(summary).toMatchObject({ scans: 103, granted: 100, denied: 2, timeouts: 1, errors: 0 });
  expect(summary.denials).toEqual({ 'Ticket <b>erschöpft': 2 });
});

test('every second of the run has its interval, and they add up', () => {
  const { intervals } = aReport();
  expect(intervals.map(({ second }) => second)).toEqual([0, 1, 2, 3, 4]);
  expect(intervals.reduce((sum, { scans }) => sum + scans, 0)).toBe(103);
  expect(intervals[1]).toMatchObject({ granted: 25, denied: 0 });
});

test('a run in which nothing happened can be reported too', () => {
  const report = new Statistics(new VirtualTime()).report({ seed: '1', devices: 1 });
  expect(textReport(report.summary).join('\n')).not.toMatch(/NaN|Infinity|null/);
});

describe('a threshold', () => {
  const { summary } = aReport();
  test.each([
    ['p50<150ms', true],
    ['p50<0.05s', false],
    ['raw-p50<=51ms', true],
    ['max>2s', true],
    ['granted=100', true],
    ['granted<=100', true],
    ['granted>=100', true],
    ['granted<100', false],
    ['granted>100', false],
    ['granted>=98%', false],
    ['granted>=97%', true],
    ['errors!=0', false],
    ['denied:Ticket <b>erschöpft=2', true],
    ['timeouts=0', false],
    ['uses-lost=0', true],
  ])('%s is met: %j', (text, met) => {
    expect(parseExpectation(text).missed(summary) === undefined).toBe(met);
  });

  test.each(['granted>=99%', 'granted=0', 'errors=0', 'timeouts=0', 'denied:Gate=0', 'p99<1s'])(
    '%s is missed by a run that scanned nothing',
    (text) => {
      const idle = new Statistics(new VirtualTime()).report({ seed: '1', devices: 1 });
      expect(parseExpectation(text).missed(idle.summary)).toBe('nothing was scanned');
      expect(parseExpectation('heartbeats-missed=0').missed(idle.summary)).toBeUndefined();
    },
  );

  test.each([
    ['p99<5%', 'write p99 with ms or s'],
    ['errors=0ms', 'write errors with %'],
    ['rate>=5%', 'write rate without a unit'],
    ['scans>10s', 'write scans without a unit'],
  ])('%s has a unit in which nothing is counted', (text, message) => {
    expect(() => parseExpectation(text)).toThrow(message);
  });

  test.each(['p99', 'p99<', 'speed<3', 'p99<3km', '<3'])('%s is none', (text) => {
    expect(() => parseExpectation(text)).toThrow(/is not a threshold/);
  });
});

describe('the live view', () => {
  const time = new VirtualTime();
  const code = 'TS1.tkt_1.signature';
  const tickets = new Map([[code, aTicket({ holder: 'Erika' })]]);
  const server = new StandInServer({ time, random: new Random('1'), tickets });
  const answers = new LatestAnswers();
  const fleet = new SimulatedFleet(
    { devices: 30, staysOpen: true, device: { heartbeatMs: 5000 } },
    { time, connect: () => server.connect(), listener: (event) => answers.observe(event) },
  );
  fleet.start(() => undefined);
  time.runUntil(6000);
  const [device] = fleet.devices;
  const draw = (columns = 100, rows = 24) =>
    renderLive(fleet, answers, {
      columns,
      rows,
      paint: new Chalk({ level: 0 }),
      selected: 0,
      title: 'Title',
      keys: 'keys',
    });

  test('shows lamp, door, display, the last answers and the latency of a device', () => {
    if (device) fleet.scanAt(device, { code, label: 'tkt_1' });
    time.runUntil(6500);
    const text = draw().join('\n');
    for (const part of [
      'SIM00001',
      'GREEN',
      'door OPEN (IN)',
      'Erika',
      'Ticket gültig (1/1)',
      'online   1 scan   last',
      'GRANTED',
      'granted 1',
    ]) {
      expect(text).toContain(part);
    }
  });

  test('shows words, not only colours, and goes dark when the door closes', () => {
    time.runUntil(12_000);
    expect(draw().join('\n')).toContain('● idle      door closed');
  });

  test('has lines no wider than the terminal and never more than fit', () => {
    const lines = draw(100, 30);
    expect(lines.length).toBeLessThanOrEqual(30);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    expect(lines.join('\n')).toContain('more devices do not fit');
  });

  test('lets no control character of a card through to the terminal', () => {
    if (device) fleet.scanAt(device, { code: 'other', label: '\x1b[2Jgone' });
    time.runUntil(13_000);
    const text = draw().join('\n');
    expect(text).toContain('gone');
    expect(text).not.toContain('\x1b');
  });
});

test('the summary says what can be done about cards without uses and about limits', () => {
  const { summary } = aReport();
  const text = (denials: Record<string, number>) => textReport({ ...summary, denials }).join('\n');
  expect(text({ 'Ticket erschöpft': 3 })).toContain('Some cards had no use left');
  expect(text({ 'Zu viele Anfragen': 3 })).toContain('counts scans and heartbeats');
  expect(text({ 'Kein Zugriff': 3 })).not.toMatch(/no use left|heartbeats\. Use/);
});
