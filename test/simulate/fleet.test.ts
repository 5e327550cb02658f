import { describe, expect, test } from 'vitest';
import { Random } from '../../src/kit/random.ts';
import type { DeviceEvent } from '../../src/simulate/device-events.ts';
import {
  type FleetOptions,
  fleetPlan,
  SimulatedFleet,
  serialAfter,
} from '../../src/simulate/fleet/fleet.ts';
import { Arrivals } from '../../src/simulate/fleet/people.ts';
import { aTicket, StandInServer } from '../../src/simulate/stand-in.ts';
import { VirtualTime } from '../../src/simulate/time.ts';
import { FAULT_KINDS } from '../../src/simulate/wire.ts';

const cards = Array.from({ length: 500 }, (_, index) => {
  const label = `tkt_event1_${index}`;
  return { code: `TS1.${label}.signature`, label };
});

/** A fleet at the stand-in service on a virtual clock. */
function virtualFleet(options: FleetOptions, usesAllowed = 100) {
  const time = new VirtualTime();
  const tickets = new Map(cards.map(({ code }) => [code, aTicket({ usesAllowed })]));
  const random = new Random(options.seed ?? '1').stream('stand-in');
  const server = new StandInServer({ time, random, tickets });
  const events: DeviceEvent[] = [];
  const listener = (event: DeviceEvent) => void events.push(event);
  const fleet = new SimulatedFleet(
    { cards, ...options },
    { time, connect: () => server.connect(), listener },
  );
  return {
    time,
    server,
    events,
    tickets,
    run() {
      let finished = false;
      fleet.start(() => {
        finished = true;
      });
      expect(time.runWhile(() => finished)).toBe(true);
      return fleet.report();
    },
  };
}

test('a fleet takes plain ticket codes as cards', () => {
  const { code } = cards[0] ?? { code: '' };
  const { summary } = virtualFleet({ cards: [code], rate: 10 }).run();
  expect(summary).toMatchObject({ scans: 1, granted: 1 });
});

const everyFault = Object.fromEntries(FAULT_KINDS.map((kind) => [kind, 0.05]));

describe('on a virtual clock', () => {
  const lines = (seed: string) => {
    const fleet = virtualFleet({
      seed,
      devices: 12,
      rate: 40,
      durationMs: 20_000,
      models: [
        { value: 'access-controller', weight: 2 },
        { value: 'bas-ip', weight: 1 },
        { value: 'vguang', weight: 1 },
      ],
      device: { turnBack: 0.1, passMs: 800, readMs: 100 },
      faults: everyFault,
    });
    const { summary } = fleet.run();
    return [...fleet.events, summary].map((event) => JSON.stringify(event)).join('\n');
  };

  test('the same seed gives the same events byte for byte, faults and all', () => {
    const first = lines('seven');
    expect(first.split('\n').length).toBeGreaterThan(3000);
    expect(lines('seven')).toBe(first);
  });

  test('another seed gives other events', () => {
    expect(lines('eight')).not.toBe(lines('seven'));
  });
});

describe('a server that freezes for two seconds under 200 people a second', () => {
  const report = () => {
    const fleet = virtualFleet({ devices: 4, rate: 200, arrivals: 'constant', people: 2000 });
    fleet.time.after(4000, () => fleet.server.change('freeze', 2000));
    return fleet.run().summary;
  };

  test('is charged in the corrected p99 for everyone whom it held up, while the raw one does not show it', () => {
    const { latencyMs, rawLatencyMs, scans } = report();

    expect(scans).toBe(2000);
    expect(latencyMs.p99).toBeGreaterThan(1500);
    expect(rawLatencyMs.p99).toBeLessThan(100);
  });
});

describe('what faults cost', () => {
  /** Truth from the stand-in's own counters. */
  const usesRegistered = (tickets: ReturnType<typeof virtualFleet>['tickets']) =>
    [...tickets.values()].reduce((sum, { usesConsumed }) => sum + usesConsumed, 0);

  test.each(FAULT_KINDS)(
    '%s: what is reported as paid and as lost is what the server registered',
    (kind) => {
      const fleet = virtualFleet({
        devices: 8,
        rate: 20,
        people: 60,
        faults: { [kind]: 0.5 },
        seed: kind,
      });
      const { summary } = fleet.run();
      const entered = summary.faults.reduce((sum, row) => sum + row.entered, 0);
      const unknown = summary.faults.reduce((sum, row) => sum + row.unknown, 0);

      expect(summary.faults.find(({ fault }) => fault === kind)?.people).toBeGreaterThan(15);
      const registered = usesRegistered(fleet.tickets);
      expect(registered - entered - summary.usesSpentWithoutOpening).toBeGreaterThanOrEqual(0);
      expect(registered - entered - summary.usesSpentWithoutOpening).toBeLessThanOrEqual(unknown);
    },
  );

  const lostBy = (kind: string, usesAllowed = 100) => {
    const fleet = virtualFleet(
      { devices: 8, rate: 20, people: 50, faults: { [kind]: 1 } },
      usesAllowed,
    );
    return fleet.run().summary.faults.find(({ fault }) => fault === kind);
  };

  test('a lost answer costs each person with a multi-use card one use too many', () => {
    expect(lostBy('lost-answer')).toMatchObject({
      people: 50,
      entered: 50,
      usesLost: 50,
      shutOut: 0,
    });
  });

  test('a lost answer shuts out each person with a single ticket', () => {
    expect(lostBy('lost-answer', 1)).toMatchObject({
      people: 50,
      entered: 0,
      usesLost: 50,
      shutOut: 50,
    });
  });

  test.each(['duplicate-post', 'double-presentation', 'late-answer'])(
    '%s costs one use too many',
    (kind) => {
      expect(lostBy(kind)).toMatchObject({ people: 50, entered: 50, usesLost: 50 });
    },
  );

  test.each(['half-request', 'slow-body', 'wrong-clock', 'wrong-content-type'])(
    '%s costs nothing',
    (kind) => {
      expect(lostBy(kind)).toMatchObject({ people: 50, entered: 50, usesLost: 0, unknown: 0 });
    },
  );

  test('corrupted Base64 lets nobody in and spends nothing', () => {
    expect(lostBy('bad-base64')).toMatchObject({ people: 50, entered: 0, usesLost: 0 });
  });
});

describe('arrivals', () => {
  const times = (plan: Partial<ConstructorParameters<typeof Arrivals>[0]>) => {
    const all = {
      rate: 100,
      pattern: 'constant',
      rampMs: 0,
      durationMs: 10_000,
      count: undefined,
    } as const;
    const arrivals = new Arrivals({ ...all, ...plan }, new Random('1'));
    const list: number[] = [];
    for (let at = arrivals.next(); at !== undefined; at = arrivals.next()) list.push(at);
    return list;
  };

  test('at a constant rate are evenly spaced', () => {
    expect(times({ rate: 4, durationMs: 1000 })).toEqual([250, 500, 750]);
  });

  test('of a Poisson process have the mean and the variance of one', () => {
    const list = times({ pattern: 'poisson', durationMs: 1_000_000 });
    const gaps = list.map((at, index) => at - (list[index - 1] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;

    expect(mean).toBeGreaterThan(9.9);
    expect(mean).toBeLessThan(10.1);
    expect(Math.sqrt(variance) / mean).toBeGreaterThan(0.97);
    expect(Math.sqrt(variance) / mean).toBeLessThan(1.03);
  });

  test('during a ramp grow evenly: half of it brings a quarter of its people', () => {
    const list = times({ rampMs: 10_000 });
    expect(list.length).toBe(499);
    expect(list.filter((at) => at <= 5000).length).toBe(125);
  });

  test('after a ramp come at the full rate', () => {
    const list = times({ rampMs: 10_000, durationMs: 20_000 });
    expect(list.length).toBe(1499);
    expect(list.filter((at) => at <= 12_500).length).toBe(750);
    expect((list.at(-1) ?? 0) - (list.at(-2) ?? 0)).toBeCloseTo(10);
  });

  test('end after so many people', () => {
    expect(times({ count: 7 })).toHaveLength(7);
  });
});

test('without a duration or a number of people each card comes once', () => {
  const { summary } = virtualFleet({ rate: 100, devices: 4 }).run();
  expect(summary).toMatchObject({ scans: 500, granted: 500 });
});

test('with the rate max every gate takes the next card as soon as it is free', () => {
  const { summary } = virtualFleet({ rate: 'max', devices: 4, people: 200 }).run();
  expect(summary.scans).toBe(200);
  expect(summary.scansPerSecond).toBeGreaterThan(400);
});

test('a fleet that stays open ends with its duration, and until then sends heartbeats', () => {
  const fleet = virtualFleet({ devices: 3, durationMs: 20_000, staysOpen: true });
  const { summary } = fleet.run();
  expect(summary).toMatchObject({
    scans: 0,
    durationMs: 20_000,
    heartbeats: { answered: 12, missed: 0 },
  });
});

test('a person whose card meets a power cycle tries again when the device has started anew', () => {
  const { summary } = virtualFleet({
    rate: 5,
    people: 20,
    devices: 20,
    faults: { 'power-cycle': 1 },
  }).run();
  expect(summary.ignored).toEqual({});
  expect(summary.faults).toMatchObject([{ fault: 'power-cycle', people: 20, entered: 20 }]);
});

test('serials count on from their last digits', () => {
  expect(serialAfter('SIM00009', 1)).toBe('SIM00010');
  expect(serialAfter('GATE', 2)).toBe('GATE2');
});

test.each([
  ['no device', { devices: 0 }, /1 to 10000 devices/],
  ['too many devices', { devices: 10_001 }, /1 to 10000 devices/],
  ['a negative rate', { rate: -1, cards }, /above 0/],
  ['a rate without cards', { rate: 5 }, /needs cards/],
  ['too likely faults', { faults: { reset: 0.7, 'slow-body': 0.7 } }, /together at most 1/],
])('a plan that makes no sense is refused: %s', (_what, options, message) => {
  expect(() => fleetPlan(options as FleetOptions)).toThrow(message);
});
