import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import type { Part } from '../part.ts';
import { proveBadLines } from './bad-lines.ts';
import { proveFailOver } from './fail-over.ts';
import type { Heard } from './trial.ts';

const CLIENTS = 12;
const AWAY_MS_MAX = 5000;
const LINE_FAULT_ROUNDS = 300;

export const failOver: Part = {
  name: 'fail-over',
  isNightly: true,
  about: 'PostgreSQL: primary, standby and instances are lost under load, --fail-overs times',
  async run({ seed, failOvers, say }) {
    const onRound = (round: number, ms: number) =>
      say(`fail-over ${round} of ${failOvers}: back after ${ms.toFixed(0)} ms`);
    const from = Date.now();
    const report = await proveFailOver({ rounds: failOvers, clients: CLIENTS, seed, onRound });
    const seconds = ((Date.now() - from) / 1000).toFixed(0);
    const back = report.backAfterMs.map(Math.round).sort((a, b) => a - b);
    const longest = back.at(-1) ?? 0;
    mustHold(report);
    if (longest > AWAY_MS_MAX) throw new Error(`away for ${longest} ms after a promotion`);
    const times = `back ${back[0]} to ${longest} ms after the promotion, half of them within ${back[back.length >> 1]}`;
    return `${failOvers} fail-overs in ${seconds} s, ${times}; ${told(report)}`;
  },
};

export const badLines: Part = {
  name: 'bad-lines',
  isNightly: true,
  about: 'PostgreSQL: lines to the database and to clients drop, hold, half-close and swallow',
  async run({ seed }) {
    await using database = await PostgresCluster.start({ fsync: 'off' });
    const options = { store: database.url(), rounds: LINE_FAULT_ROUNDS, clients: CLIENTS, seed };
    const report = await proveBadLines(options);
    mustHold(report);
    const back = `back ${Math.round(report.backAfterMs)} ms after a silent line`;
    return `${LINE_FAULT_ROUNDS} rounds, ${back}; ${told(report)}`;
  },
};

type Report = Heard & {
  readonly problems: readonly string[];
  readonly played: Readonly<Record<string, number>>;
};

function mustHold({ problems, unanswered }: Report): void {
  const shown = problems.slice(0, 5).concat(problems.slice(5).slice(-1));
  if (problems.length > 0) throw new Error(`broken promises:\n  ${shown.join('\n  ')}`);
  if (unanswered > 0) throw new Error(`${unanswered} requests were not answered`);
}

function told({ granted, unknown, slowestAnswerMs, played }: Report): string {
  const faults = Object.entries(played).map(([fault, times]) => `${fault} ${times}`);
  const slowest = (slowestAnswerMs / 1000).toFixed(1);
  return `${granted} granted, none lost or given twice, ${unknown} unknown, slowest answer ${slowest} s (${faults.join(', ')})`;
}
