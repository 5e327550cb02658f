import { counted } from '../../kit/text.ts';
import type { Percentiles } from '../fleet/latency.ts';
import type { Summary, Tally } from '../fleet/summary.ts';
import type { ExpectationResult } from './expect.ts';

/** A summary for people, a line an entry. */
export function textReport(summary: Summary): string[] {
  const { scans, granted, denied, errors, timeouts, heartbeats } = summary;
  const seconds = (summary.durationMs / 1000).toFixed(1);
  return [
    `${counted(scans, 'scan')} by ${counted(summary.devices, 'device')} in ${seconds} s (${summary.scansPerSecond} a second), seed ${summary.seed}`,
    `  granted ${granted}   denied ${denied}   errors ${errors}   timeouts ${timeouts}`,
    `  from a person's arrival to the answer: ${percentiles(summary.latencyMs)}`,
    ...(heartbeats.answered + heartbeats.missed > 0
      ? [`  heartbeats: ${heartbeats.answered} answered, ${heartbeats.missed} missed`]
      : []),
    ...tally('denied by note', summary.denials),
    ...advice(summary.denials),
    ...tally('errors', summary.problems),
    ...tally('cards ignored', summary.ignored),
    ...tally('deviations of answers', summary.deviations),
    ...faultLines(summary),
  ];
}

/** One line for each threshold. */
export function expectationLines(expectations: readonly ExpectationResult[]): string[] {
  return expectations.map(({ text, met, seen }) =>
    met ? `  expected ${text}: yes` : `  expected ${text}: NO, ${seen}`,
  );
}

/** What notes mean for a simulation; a service may have other texts. */
const ADVICE: readonly (readonly [note: string, advice: string])[] = [
  [
    'Ticket erschöpft',
    'Some cards had no use left: they came twice, or an earlier run used them up. More cards: ticketscan mint, or another --cards-from.',
  ],
  [
    'Zu viele Anfragen',
    'All devices of a run use one key, and its limit (50 a second by default) counts scans and heartbeats. Use fewer devices or a lower --rate, or raise the limits of the organisation.',
  ],
];

function advice(denials: Tally): string[] {
  return ADVICE.filter(([note]) => (denials[note] ?? 0) > 0).map(([, text]) => `  ${text}`);
}

function faultLines({ faults, usesSpentWithoutOpening, openedWithoutAnswer }: Summary): string[] {
  const lines = [`  uses taken without an open door: ${usesSpentWithoutOpening}`];
  if (openedWithoutAnswer > 0)
    lines.push(`  doors opened without an answer: ${openedWithoutAnswer}`);
  if (!faults.some(({ fault }) => fault !== 'none')) return lines;
  lines.push('  what each fault cost:');
  lines.push('    fault                people  entered  uses lost  unknown  shut out');
  for (const { fault, people, entered, usesLost, unknown, shutOut } of faults) {
    const counts = [people, entered, usesLost, unknown, shutOut];
    const widths = [6, 9, 11, 9, 10];
    const cells = counts.map((count, index) => String(count).padStart(widths[index] ?? 0));
    lines.push(`    ${fault.padEnd(21)}${cells.join('')}`);
  }
  return lines;
}

function tally(title: string, counts: Tally): string[] {
  const entries = Object.entries(counts);
  if (entries.length === 0) return [];
  return [`  ${title}:`, ...entries.map(([name, count]) => `    ${count} × ${name}`)];
}

function percentiles({ p50, p90, p99, p999, max }: Percentiles): string {
  const cells = { p50, p90, p99, 'p99.9': p999, max };
  return Object.entries(cells)
    .map(([name, ms]) => `${name} ${milliseconds(ms)}`)
    .join('   ');
}

function milliseconds(ms: number | null): string {
  if (ms === null) return '–';
  return `${ms >= 100 ? Math.round(ms) : ms.toFixed(1)} ms`;
}
