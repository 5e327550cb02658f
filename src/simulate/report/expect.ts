import { didYouMean } from '../../kit/nearest.ts';
import { SimulateError } from '../errors.ts';
import type { Percentiles } from '../fleet/latency.ts';
import type { RunReport, Summary, Tally } from '../fleet/summary.ts';

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
 * @throws SimulateError `usage` when it is none of those
 */
export function parseExpectation(text: string): Expectation {
  const [, name = '', sign = '', digits, unit] = FORM.exec(text.trim()) ?? [];
  const compare = COMPARISONS[sign];
  const measure = measureNamed(name);
  if (!compare || !measure || digits === undefined) {
    const names = [...LATENCIES, ...LATENCIES.map((one) => `raw-${one}`), ...Object.keys(COUNTS)];
    throw new SimulateError(
      'usage',
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

/** @throws SimulateError `usage` for a unit in which the measure is not counted */
function checkUnit(text: string, name: string, unit: string | undefined): void {
  if (unit === undefined) return;
  const units = percentileNamed(name) ? ['ms', 's'] : WITHOUT_SCANS.includes(name) ? [] : ['%'];
  if (units.includes(unit)) return;
  const takes = units.length === 0 ? 'without a unit' : `with ${units.join(' or ')}, or without`;
  throw new SimulateError('usage', `"${text}": write ${name} ${takes}.`);
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
