import { didYouMean } from '../../kit/nearest.ts';
import { counted } from '../../kit/text.ts';
import { SimulateError } from '../errors.ts';
import type { Percentiles, RunReport, Summary, Tally } from './statistics.ts';

/** A threshold for a run, for example `p99<300ms`. */
export interface Expectation {
  readonly text: string;
  /** Undefined when it is met, else what was seen instead. */
  missed(summary: Summary): string | undefined;
}

type Measure = (summary: Summary) => number | null;
type Comparison = (left: number, right: number) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>=': (left, right) => left >= right,
  '>': (left, right) => left > right,
};

const COUNTS: Readonly<Record<string, Measure>> = {
  scans: ({ scans }) => scans,
  granted: ({ granted }) => granted,
  denied: ({ denied }) => denied,
  errors: ({ errors }) => errors,
  timeouts: ({ timeouts }) => timeouts,
  rate: ({ scansPerSecond }) => scansPerSecond,
  'uses-lost': ({ usesSpentWithoutOpening }) => usesSpentWithoutOpening,
  'heartbeats-missed': ({ heartbeats }) => heartbeats.missed,
  deviations: ({ deviations }) => total(deviations),
};

/** What a run without a scan has as well; every other measure says nothing of it. */
const WITHOUT_SCANS = ['scans', 'rate', 'heartbeats-missed', 'deviations'];

const LATENCIES: readonly (keyof Percentiles)[] = ['p50', 'p90', 'p99', 'p999', 'max'];
const FORM = /^([a-z0-9.-]+|denied:.*?\S)\s*(<=|>=|!=|<|>|=)\s*(\d+(?:\.\d+)?)\s*(ms|s|%)?$/;

/**
 * Reads `p99<300ms`, `raw-p99<50ms`, `errors=0`, `granted>=99%` or `denied:Ticket erschöpft=3`.
 * @throws SimulateError when it is none of those
 */
export function parseExpectation(text: string): Expectation {
  const [, name = '', sign = '', digits, unit] = FORM.exec(text.trim()) ?? [];
  const compare = COMPARISONS[sign];
  const measure = measureNamed(name);
  if (!compare || !measure || digits === undefined) {
    const names = [...LATENCIES, ...LATENCIES.map((one) => `raw-${one}`), ...Object.keys(COUNTS)];
    throw new SimulateError(
      `"${text}" is not a threshold: write for example p99<300ms or errors=0.${didYouMean(name, names)} Measures: ${names.join(', ')}, denied:NOTE.`,
    );
  }
  checkUnit(text, name, unit);
  const value = Number(digits) * (unit === 's' ? 1000 : 1);
  return {
    text,
    missed(summary) {
      const seen = measure(summary);
      if (summary.scans === 0 && !WITHOUT_SCANS.includes(name)) return 'nothing was scanned';
      const bound = unit === '%' ? (value * summary.scans) / 100 : value;
      if (seen !== null && compare(seen, bound)) return undefined;
      return seen === null ? 'nothing was measured' : `it is ${Math.round(seen * 1000) / 1000}`;
    },
  };
}

/** @throws SimulateError for a unit in which the measure is not counted */
function checkUnit(text: string, name: string, unit: string | undefined): void {
  if (unit === undefined) return;
  const units = percentileNamed(name) ? ['ms', 's'] : WITHOUT_SCANS.includes(name) ? [] : ['%'];
  if (units.includes(unit)) return;
  const takes = units.length === 0 ? 'without a unit' : `with ${units.join(' or ')}, or without`;
  throw new SimulateError(`"${text}": write ${name} ${takes}.`);
}

function measureNamed(name: string): Measure | undefined {
  if (name.startsWith('denied:')) return ({ denials }) => denials[name.slice(7)] ?? 0;
  const percentile = percentileNamed(name);
  if (!percentile) return COUNTS[name];
  return name.startsWith('raw-')
    ? ({ rawLatencyMs }) => rawLatencyMs[percentile]
    : ({ latencyMs }) => latencyMs[percentile];
}

function percentileNamed(name: string): keyof Percentiles | undefined {
  const plain = name.replace(/^raw-/, '').replace('p99.9', 'p999');
  return LATENCIES.find((one) => one === plain);
}

function total(tally: Tally): number {
  return Object.values(tally).reduce((sum, count) => sum + count, 0);
}

/** A threshold and whether the run kept to it. */
export interface ExpectationResult {
  readonly text: string;
  readonly met: boolean;
  /** What was seen instead; empty when it is met. */
  readonly seen: string;
}

export function judgeExpectations(
  expectations: readonly Expectation[],
  { summary }: RunReport,
): ExpectationResult[] {
  return expectations.map((expectation) => {
    const seen = expectation.missed(summary);
    return { text: expectation.text, met: seen === undefined, seen: seen ?? '' };
  });
}

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
