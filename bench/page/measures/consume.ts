import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, ratioOf, type Turns } from '../../lib/in-turns.ts';
import { median } from '../../lib/load.ts';
import { type MeasuredLoad, measuredLoad } from '../../lib/measured-load.ts';
import { loadTickets, startServer, startTicketscan, writeCodes } from '../../lib/servers.ts';
import type { Goal, Line } from '../line.ts';
import type { Measure } from './measure.ts';

const TICKETS = 10_000;
/** The goals of single threads are in microseconds on a machine whose empty route takes so long. */
const EMPTY_ROUTE_US = 21;

const GOALS = [
  { connections: 64, all: 1.35, rate: 0.9 },
  { connections: 256, all: 1.25, rate: 1 },
] as const;

/** Durable consume over HTTP on SQLite against an empty route of Fastify with the same body and answer. */
export const consume: Measure = {
  name: 'consume',
  about:
    'processor time, rate and p99 of a consume under full load, against an empty Fastify route',
  async run({ quick, folder }) {
    const own = mkdtempSync(join(folder, 'consume-'));
    const { key, codes } = await loadTickets(own, TICKETS, TICKETS);
    const codesFile = writeCodes(own, codes);
    const empty = await startServer(['bench/lib/empty-route.ts']);
    const server = await startTicketscan(own);
    const lines: Line[] = [];
    for (const goal of GOALS) {
      const shape = { key, codesFile, connections: goal.connections, seconds: quick ? 1 : 2 };
      const turns = await inTurns(
        { empty: measuredLoad(empty, shape), consume: measuredLoad(server, shape) },
        quick ? 1 : 5,
      );
      lines.push(...linesOf(turns, goal));
    }
    await Promise.all([empty.stop(), server.stop()]);
    return {
      title: 'What a consume costs under full load (consume)',
      notes: [
        'POST /scan/consume on SQLite, each use on the disk before its answer. E is an empty Fastify route with the same body and answer.',
        'The goals of the two threads are 15 and 7 µs on a machine where E takes 21 µs.',
      ],
      lines,
    };
  },
};

function linesOf(
  { consume, empty }: Record<'consume' | 'empty', Turns<MeasuredLoad>>,
  { connections, all, rate }: (typeof GOALS)[number],
): Line[] {
  const line = (
    what: string,
    figure: keyof MeasuredLoad,
    reference: keyof MeasuredLoad,
    unit: 'µs' | 'ms' | '/s',
    goal: Goal,
  ): Line => {
    const of = (turns: Turns<MeasuredLoad>, name: keyof MeasuredLoad) =>
      `${median(turns.results.map((result) => result[name])).toFixed(unit === '/s' ? 0 : 1)} ${unit}`;
    return {
      id: `consume/${connections}/${figure}`,
      what: `${what}, ${connections} connections`,
      against: 'E',
      figure: of(consume, figure),
      reference: of(empty, reference),
      ratio: ratioOf(
        consume,
        empty,
        (result) => result[figure],
        (result) => result[reference],
      ),
      goal,
      measures: unit === 'µs' ? 'processor time' : 'wall clock',
    };
  };
  return [
    line('processor time of all threads', 'allUs', 'allUs', 'µs', { atMost: all }),
    line('processor time of the HTTP thread', 'httpUs', 'allUs', 'µs', {
      atMost: 15 / EMPTY_ROUTE_US,
    }),
    line('processor time of the store thread', 'storeUs', 'allUs', 'µs', {
      atMost: 7 / EMPTY_ROUTE_US,
    }),
    line('consumes a second', 'requestsPerSecond', 'requestsPerSecond', '/s', { atLeast: rate }),
    line('p99', 'p99Ms', 'p99Ms', 'ms', { atMost: 1.5 }),
  ];
}
