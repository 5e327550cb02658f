import { counted, escapeMarkup } from '../../kit/text.ts';
import type { PercentilePoint } from '../fleet/latency.ts';
import type { RunReport, Summary, Tally } from '../fleet/summary.ts';
import type { ExpectationResult } from './expect.ts';
import { STYLE } from './html-style.ts';
import { type Axis, barChart, decadeAxis, evenAxis, lineChart } from './svg-chart.ts';
import { milliseconds } from './text.ts';

/** The report as one HTML file that needs nothing from the network. */
export function htmlReport(report: RunReport, expectations: readonly ExpectationResult[]): string {
  const { summary } = report;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>Gate simulation</title>',
    `<style>${STYLE}</style></head><body><main>`,
    `<h1>Gate simulation</h1><p>${about(summary)}</p>`,
    `<section class="figures">${figures(summary)}</section>`,
    expectationTable(expectations),
    rateChart(report),
    latencyChart(report),
    percentileChart(report),
    latencyTable(summary),
    tallyTable('Denials by note', summary.denials),
    tallyTable('Errors', summary.problems),
    tallyTable('HTTP statuses', summary.statuses),
    tallyTable('Cards ignored', summary.ignored),
    tallyTable('Deviations of answers', summary.deviations),
    faultTable(summary),
    '</main></body></html>',
    '',
  ].join('\n');
}

function about({ devices, durationMs, scansPerSecond, seed, heartbeats }: Summary): string {
  const seconds = (durationMs / 1000).toFixed(1);
  const { answered, missed } = heartbeats;
  return `${counted(devices, 'device')}, ${seconds} s, ${scansPerSecond} scans a second. Seed <code>${escapeMarkup(seed)}</code>. Heartbeats: ${answered} answered, ${missed} missed.`;
}

function figures(summary: Summary): string {
  const entries: readonly (readonly [string, string])[] = [
    ['scans', String(summary.scans)],
    ['granted', String(summary.granted)],
    ['denied', String(summary.denied)],
    ['errors', String(summary.errors)],
    ['timeouts', String(summary.timeouts)],
    ['p99', milliseconds(summary.latencyMs.p99)],
    ['uses lost', String(summary.usesSpentWithoutOpening)],
  ];
  return entries.map(([name, value]) => `<div><b>${value}</b><span>${name}</span></div>`).join('');
}

function rateChart({ intervals }: RunReport): string {
  const seconds = secondAxis(intervals.length);
  const count = evenAxis('scans a second', Math.max(1, ...intervals.map(({ scans }) => scans)));
  const series = (['granted', 'denied', 'errors', 'timeouts'] as const).map((name) => ({
    name,
    style: name,
    points: intervals.map((interval) => ({ x: interval.second, y: interval[name] })),
  }));
  return barChart('Scans a second', seconds, count, series);
}

function latencyChart({ intervals }: RunReport): string {
  const highest = Math.max(1, ...intervals.map(({ max }) => max ?? 0));
  const lowest = Math.min(...intervals.map(({ p50 }) => p50 ?? highest));
  const axis = decadeAxis('milliseconds', Math.max(0.1, lowest), highest);
  const series = (['max', 'p99', 'p50'] as const).map((name) => ({
    name,
    style: name,
    points: intervals.map((interval) => ({ x: interval.second + 0.5, y: interval[name] })),
  }));
  const title = 'Latency in each second, from the intended start';
  return lineChart(title, secondAxis(intervals.length), axis, series);
}

function percentileChart({ curve, rawCurve }: RunReport): string {
  const all = [...curve, ...rawCurve].map(({ ms }) => ms);
  if (all.length === 0) return '';
  const axis = decadeAxis('milliseconds', Math.max(0.1, Math.min(...all)), Math.max(...all));
  const points = (line: readonly PercentilePoint[]) =>
    line.map(({ percentile, ms }) => ({ x: nines(percentile), y: ms }));
  return lineChart('Latency by percentile', ninesAxis(nines(curve.at(-1)?.percentile ?? 0)), axis, [
    { name: 'corrected (from the intended start)', style: 'p99', points: points(curve) },
    { name: 'raw (from the post)', style: 'p50', points: points(rawCurve) },
  ]);
}

/** 0 for the median of nothing, 1 for 90 %, 2 for 99 %, 3 for 99.9 %. */
function nines(percentile: number): number {
  return -Math.log10(Math.max(1e-9, 1 - percentile / 100));
}

function ninesAxis(most: number): Axis {
  const end = Math.max(1, Math.ceil(most));
  const texts = ['0', '90 %', '99 %', '99.9 %', '99.99 %', '99.999 %', '99.9999 %'];
  const ticks = texts.slice(0, end + 1).map((text, value) => ({ value, text }));
  return { label: 'percentile', ticks, place: (value) => value / end };
}

function secondAxis(count: number): Axis {
  return evenAxis('seconds', Math.max(1, count));
}

function latencyTable({ latencyMs, rawLatencyMs }: Summary): string {
  const names = ['p50', 'p90', 'p99', 'p999', 'max'] as const;
  const rows = [
    ['corrected', ...names.map((name) => milliseconds(latencyMs[name]))],
    ['raw', ...names.map((name) => milliseconds(rawLatencyMs[name]))],
  ];
  return table('Latency', ['', 'p50', 'p90', 'p99', 'p99.9', 'max'], rows);
}

function tallyTable(title: string, tally: Tally): string {
  const rows = Object.entries(tally).map(([name, count]) => [name, String(count)]);
  return rows.length === 0 ? '' : table(title, ['', 'count'], rows);
}

function faultTable({ faults }: Summary): string {
  if (!faults.some(({ fault }) => fault !== 'none')) return '';
  const head = ['fault', 'people', 'entered', 'uses lost', 'unknown', 'shut out'];
  const rows = faults.map(({ fault, people, entered, usesLost, unknown, shutOut }) => [
    fault,
    ...[people, entered, usesLost, unknown, shutOut].map(String),
  ]);
  return table('What each fault cost', head, rows);
}

function expectationTable(expectations: readonly ExpectationResult[]): string {
  if (expectations.length === 0) return '';
  const rows = expectations.map(({ text, met, seen }) => [text, met ? 'yes' : `NO: ${seen}`]);
  return table('Expectations', ['threshold', 'met'], rows);
}

function table(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = (row: readonly string[], tag: string) =>
    `<tr>${row.map((cell) => `<${tag}>${escapeMarkup(cell)}</${tag}>`).join('')}</tr>`;
  const body = rows.map((row) => cells(row, 'td')).join('');
  return `<h2>${title}</h2><table><thead>${cells(head, 'th')}</thead><tbody>${body}</tbody></table>`;
}
