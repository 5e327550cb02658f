import { closeSync, fdatasyncSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { atPace, Gate, manyGates, overAfter, p50, p99, type TimedCall } from '../../lib/gates.ts';
import { loadTickets, startTicketscan } from '../../lib/servers.ts';
import type { Line } from '../line.ts';
import type { Measure } from './measure.ts';

const TICKETS = 10_000;
const ONE_GATE_MS = 100;
const GATES = 100;
const OF_MANY_MS = 500;
const ALLOWED_MS = 0.3;
/** The calls of a server that has run for some hours: before, Node interprets what it compiles later. */
const WARM_UP_CALLS = 2000;

/** What somebody at a gate waits for: a few scans a second, not thousands. */
export const gate: Measure = {
  name: 'gate',
  about: 'how long one gate waits at 10 scans a second, and 100 gates at 2 each',
  async run({ quick, folder }) {
    const sqlite = await served(folder, 'sqlite');
    const json = await served(folder, 'json');
    const file = openSync(join(folder, 'synced'), 'w');
    const calls = {
      sqlite: sqlite.scan(),
      json: json.scan(),
      healthz: sqlite.healthz(),
      fdatasync: async () => timedSync(file),
    };
    for (const call of Object.values(calls)) await repeat(call, quick ? 100 : WARM_UP_CALLS);
    const one = await interleaved(calls, quick ? 2 : 30);
    const many = await oneAgainstMany(sqlite, quick);
    closeSync(file);
    await Promise.all([sqlite.stop(), json.stop()]);
    return {
      title: 'How long a gate waits (gate)',
      notes: [
        'One kept connection, 10 scans a second, after a warm-up; /healthz and an fdatasync of 4 KiB at the same pace in the same seconds.',
        `The reference of p50 is /healthz + fdatasync + ${ALLOWED_MS} ms.`,
      ],
      lines: [
        ...linesOfOne('SQLite', one.sqlite, one),
        ...linesOfOne('JSON', one.json, one),
        compare('gate/many/p50', '100 gates, 2 scans a second each: p50', many, p50, 1),
        compare('gate/many/p99', '100 gates, 2 scans a second each: p99', many, p99, 1),
      ],
    };
  },
};

type Times = Readonly<Record<'sqlite' | 'json' | 'healthz' | 'fdatasync', readonly number[]>>;

function linesOfOne(
  store: string,
  times: readonly number[],
  { healthz, fdatasync }: Times,
): Line[] {
  const floor = p50(healthz) + p50(fdatasync) + ALLOWED_MS;
  const id = `gate/${store.toLowerCase()}`;
  const common = { measures: 'wall clock' } as const;
  return [
    {
      ...common,
      id: `${id}/p50`,
      what: `one gate on ${store}: p50`,
      against: `${ms(p50(healthz))} + ${ms(p50(fdatasync))} + ${ms(ALLOWED_MS)}`,
      figure: ms(p50(times)),
      reference: ms(floor),
      ratio: p50(times) / floor,
      goal: { atMost: 1 },
    },
    {
      ...common,
      id: `${id}/p99`,
      what: `one gate on ${store}: p99`,
      against: 'its p50',
      figure: ms(p99(times)),
      reference: ms(p50(times)),
      ratio: p99(times) / p50(times),
      goal: { atMost: 2 },
    },
  ];
}

function compare(
  id: string,
  what: string,
  { many, one }: Readonly<Record<'many' | 'one', readonly number[]>>,
  figure: (times: readonly number[]) => number,
  atMost: number,
): Line {
  return {
    id,
    what,
    against: 'one gate, in turns',
    figure: ms(figure(many)),
    reference: ms(figure(one)),
    ratio: figure(many) / figure(one),
    goal: { atMost },
    measures: 'wall clock',
  };
}

export function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

async function served(parent: string, engine: 'sqlite' | 'json') {
  const folder = mkdtempSync(join(parent, `${engine}-`));
  const store = `${engine}:${join(folder, 'ticketscan')}`;
  const { key, codes } = await loadTickets(folder, TICKETS, 1000, store);
  const server = await startTicketscan(folder, store);
  const gates: Gate[] = [];
  const gateOf = () => {
    const made = new Gate(server.url, key);
    gates.push(made);
    return made;
  };
  let next = 0;
  return {
    /** A new gate that scans another ticket each time. */
    scan: (): TimedCall => {
      const own = gateOf();
      return () => {
        next = (next + 1) % codes.length;
        return own.consume(codes[next]!);
      };
    },
    healthz: (): TimedCall => {
      const own = gateOf();
      return () => own.healthz();
    },
    stop: () => {
      for (const own of gates) own.close();
      return server.stop();
    },
  };
}

const PAGE = Buffer.alloc(4096, 1);

function timedSync(file: number): number {
  const startedAt = performance.now();
  writeSync(file, PAGE);
  fdatasyncSync(file);
  return performance.now() - startedAt;
}

async function repeat(call: TimedCall, times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) await call();
}

/** All at the same pace, one after the other, so that each meets the same machine. */
async function interleaved<Name extends string>(
  calls: Readonly<Record<Name, TimedCall>>,
  seconds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(calls) as Name[];
  const isOver = overAfter(seconds);
  const times = await Promise.all(
    names.map(async (name, index) => {
      const firstAfterMs = (index * ONE_GATE_MS) / names.length;
      const all = await atPace(calls[name], { everyMs: ONE_GATE_MS, firstAfterMs }, isOver);
      return [name, all] as const;
    }),
  );
  return Object.fromEntries(times) as Record<Name, number[]>;
}

async function oneAgainstMany({ scan }: { scan(): TimedCall }, quick: boolean) {
  const alone = scan();
  const gates = Array.from({ length: GATES }, scan);
  const times = { one: [] as number[], many: [] as number[] };
  for (let round = 0; round < (quick ? 1 : 4); round += 1) {
    const seconds = quick ? 1 : 3;
    times.one.push(...(await atPace(alone, { everyMs: ONE_GATE_MS }, overAfter(seconds))));
    times.many.push(...(await manyGates(gates, OF_MANY_MS, overAfter(seconds))));
  }
  return times;
}
