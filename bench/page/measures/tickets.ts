import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, ratioOf, type Turns } from '../../lib/in-turns.ts';
import { median } from '../../lib/load.ts';
import { type MeasuredLoad, measuredLoad } from '../../lib/measured-load.ts';
import { loadTickets, type Running, startTicketscan, writeCodes } from '../../lib/servers.ts';
import type { Line } from '../line.ts';
import type { Measure } from './measure.ts';

const SMALL = 10_000;
const CODES = 10_000;
const CONNECTIONS = 256;
const MILLION = 1_000_000;
const LOAD_SECONDS_MAX = 100;

/** A scan reads one ticket, wherever it lies: how much slower that is among many. */
export const tickets: Measure = {
  name: 'tickets',
  about: 'consumes a second with 1 million tickets (with --large also 10 million), against 10,000',
  async run({ quick, large, folder }) {
    const seconds = quick ? 1 : 2;
    const small = await storeOf(folder, SMALL, seconds);
    const lines: Line[] = [];
    const notes = ['256 connections on SQLite; the scans go all over the tickets.'];
    const sizes = quick ? [20_000] : [MILLION, ...(large ? [10 * MILLION] : [])];
    for (const size of sizes) {
      const many = await storeOf(folder, size, seconds);
      const turns = await inTurns({ small: small.turn, many: many.turn }, quick ? 1 : 5);
      lines.push(...linesOf(size, turns));
      if (size > MILLION) lines.push(loadingLine(size, many.loadSeconds));
      const memory = `${residentMib(many.server)} MiB, with ${SMALL} tickets ${residentMib(small.server)} MiB`;
      notes.push(`Memory of the server with ${size} tickets: ${memory}.`);
      await many.server.stop();
      rmSync(many.folder, { recursive: true });
    }
    await small.server.stop();
    if (!large) notes.push('10 million tickets were not measured: add --large.');
    return { title: 'With many tickets (tickets)', notes, lines };
  },
};

function linesOf(
  size: number,
  { many, small }: Record<'many' | 'small', Turns<MeasuredLoad>>,
): Line[] {
  const common = { against: `${SMALL} tickets` };
  const storeUs = (turns: Turns<MeasuredLoad>) =>
    `${median(turns.results.map((result) => result.storeUs)).toFixed(1)} µs`;
  return [
    {
      ...common,
      id: `tickets/${size}/rate`,
      what: `consumes a second, ${size} tickets`,
      figure: `${many.rate.toFixed(0)} /s`,
      reference: `${small.rate.toFixed(0)} /s`,
      ratio: ratioOf(many, small),
      goal: { atLeast: size > MILLION ? 0.85 : 0.95 },
      measures: 'wall clock',
    },
    {
      ...common,
      id: `tickets/${size}/store`,
      what: `processor time of the store thread, ${size} tickets`,
      figure: storeUs(many),
      reference: storeUs(small),
      ratio: ratioOf(many, small, (result) => result.storeUs),
      measures: 'processor time',
    },
  ];
}

function loadingLine(size: number, loadSeconds: number): Line {
  return {
    id: `tickets/${size}/load`,
    what: `storing ${size} tickets of lists that are read`,
    against: 'the goal',
    figure: `${loadSeconds.toFixed(0)} s`,
    reference: `${LOAD_SECONDS_MAX} s`,
    ratio: loadSeconds / LOAD_SECONDS_MAX,
    goal: { atMost: 1 },
    measures: 'wall clock',
  };
}

async function storeOf(parent: string, size: number, seconds: number) {
  const folder = mkdtempSync(join(parent, `${size}-`));
  const { key, codes, loadSeconds } = await loadTickets(folder, size, CODES);
  const codesFile = writeCodes(folder, codes);
  const server = await startTicketscan(folder);
  const turn = measuredLoad(server, { key, codesFile, connections: CONNECTIONS, seconds });
  return { folder, server, loadSeconds, turn };
}

function residentMib({ process: { pid } }: Running): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0);
}
