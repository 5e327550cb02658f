import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/core/records.ts';
import { scanStatistics } from '../../src/features/statistics/scan-statistics.ts';
import { fc } from '../support/fast-check.ts';
import { TestStore } from '../support/stores.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Offsets of :30 and :45, clocks changed by half an hour, at midnight, or not at all; a date that was skipped. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/Havana',
  'Africa/Cairo',
  'Pacific/Apia',
] as const;

/** The moments at which clocks change in those zones, and on days on which none is changed. */
const CENTRES = [
  '2026-03-29T01:00Z',
  '2026-10-25T01:00Z',
  '2026-04-04T15:00Z',
  '2026-10-03T15:30Z',
  '2026-03-08T05:00Z',
  '2026-04-23T22:00Z',
  '2011-12-30T10:00Z',
  '2026-07-01T12:00Z',
].map(Date.parse);

const scans = fc.array(
  fc.record({
    at: fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
    operation: fc.constantFrom('consume' as const, 'validate' as const),
    card: fc.nat({ max: 2 }),
    serial: fc.constantFrom(null, 'north', 'a "b"\n'),
  }),
  { minLength: 1, maxLength: 30 },
);

interface Figures {
  readonly admitted: number;
  readonly denied: number;
  readonly validations: number;
}

/** Sums by the name of a day or an hour. */
class Sums {
  readonly all = new Map<string, Figures>();

  add(name: string, { admitted, denied, validations }: Figures): void {
    if (admitted + denied + validations === 0) return;
    const sum = this.all.get(name) ?? { admitted: 0, denied: 0, validations: 0 };
    this.all.set(name, {
      admitted: sum.admitted + admitted,
      denied: sum.denied + denied,
      validations: sum.validations + validations,
    });
  }
}

/** The naive way: the log, entry by entry, each in its own local time. Names are `2026-11-22` or `2026-11-22T14`. */
function naively(log: readonly LogEntry[], timeZone: string, by: 'day' | 'hour') {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts });
  const sums = new Sums();
  for (const { at, operation, status } of log) {
    const isConsume = operation === 'consume';
    sums.add(
      format
        .format(at)
        .replace(' ', 'T')
        .slice(0, by === 'day' ? 10 : 13),
      {
        admitted: Number(isConsume && status === 'consumed'),
        denied: Number(isConsume && status !== 'consumed'),
        validations: Number(!isConsume),
      },
    );
  }
  return sums.all;
}

/** The same from the counters. The two hours of one name in autumn are two rows there and one name here. */
async function counted(gate: TestStore, timeZone: string, by: 'day' | 'hour') {
  const [{ organisationId = '' } = {}] = await gate.store.list('event');
  const sums = new Sums();
  for (const [from, to] of [
    ['2011-12-20', '2012-01-10'],
    ['2026-01-01', '2026-12-31'],
  ] as const) {
    const request = { organisationId, by, from, to, timeZone };
    const { rows } = await scanStatistics(gate.store, request, gate.clock.now());
    for (const row of rows) sums.add(row.day ?? row.hour?.slice(0, 13) ?? '', row);
  }
  return sums.all;
}

describe.each(['memory', 'postgres'] as const)('%s', (engine) => {
  const numRuns = engine === 'memory' ? 60 : 6;

  test('days and hours of every time zone are what the log says, entry by entry', async () => {
    await using gate = await TestStore.open(engine);
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await gate.mint({ kind: 'multi', uses: 50 })).id),
    );
    await fc.assert(
      fc.asyncProperty(scans, fc.constantFrom(...CENTRES), async (wanted, centre) => {
        const requests = wanted
          .toSorted((a, b) => a.at - b.at)
          .map(({ at, operation, card, serial }) =>
            gate.request(ids[card] ?? '', { now: centre + at, operation, serial }),
          );
        await gate.scan(...requests);
      }),
      { numRuns },
    );
    const log = await gate.store.readLog({ afterSequence: 0, limit: 1e6 });
    for (const timeZone of ZONES) {
      for (const by of ['day', 'hour'] as const) {
        const wanted = naively(log, timeZone, by);
        expect(await counted(gate, timeZone, by), `${timeZone} by ${by}`).toEqual(wanted);
      }
    }
    expect((await gate.store.verify()).problems).toEqual([]);
  });
});
