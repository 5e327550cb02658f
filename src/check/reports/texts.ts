import { counted, stripControls } from '../../kit/text.ts';
import type { Endpoint } from '../requests/endpoint.ts';
import { type CaseResult, type CheckResult, isOpen, type NotAsked } from '../results/result.ts';
import { headingOf, whereToRead } from '../specification/specification.ts';

/** Deviations and warnings first in every report for people: what has to be done. */
export function findingsOf(result: CheckResult): CaseResult[] {
  return result.cases.filter(({ outcome }) => outcome === 'failed' || outcome === 'warned');
}

/** `172 passed, 1 failed, …`: only what is there, but always what passed and failed. */
export function totalsLine({ totals }: CheckResult): string {
  const { passed, failed, warned, skipped, observed, known } = totals;
  const parts = [`${passed} passed`, `${failed} failed`];
  if (known > 0) parts.push(`${known} known`);
  if (warned > 0) parts.push(`${warned} warned`);
  if (skipped > 0) parts.push(`${skipped} skipped`);
  if (observed > 0) parts.push(`${observed} observed`);
  return parts.join(', ');
}

/** What was judged. */
export function subjectOf({ subject }: CheckResult): string {
  return subject ?? 'deployment';
}

/** The one sentence that matters. */
export function verdictLine(result: CheckResult): string {
  const { verdict, totals } = result;
  const subject = subjectOf(result);
  if (verdict === 'conforms') return `The ${subject} conforms to the specification.`;
  if (verdict === 'incomplete')
    return `Nothing failed, but ${openCases(result)} cases were not asked, or only partly: the check is incomplete.`;
  return totals.failed === 0
    ? `The ${subject} deviates only in ways that the baseline lists.`
    : `The ${subject} deviates from the specification in ${counted(totals.failed, 'case')}.`;
}

function openCases(result: CheckResult): number {
  return result.cases.filter(isOpen).length;
}

/** What was not asked for one reason. */
export interface SkipReason {
  readonly reason: string;
  /** True when a check is complete without it. */
  readonly optional: boolean;
  /** Cases, with their endpoints where the others were asked: `2.3/holder-names (consume)`. */
  readonly ids: readonly string[];
}

/** Why cases or some of their endpoints were not asked, each reason once. */
export function skipReasons(result: CheckResult): SkipReason[] {
  const reasons = new Map<string, { optional: boolean; ids: string[] }>();
  for (const one of result.cases) {
    for (const [reason, all] of Map.groupBy(one.notAsked, (open) => open.reason)) {
      const entry = reasons.get(reason) ?? { optional: true, ids: [] };
      reasons.set(reason, {
        optional: entry.optional && all.every(({ optional }) => optional === true),
        ids: [...entry.ids, `${one.id}${one.outcome === 'skipped' ? '' : placesOf(all)}`],
      });
    }
  }
  return [...reasons].map(([reason, entry]) => ({ reason, ...entry }));
}

function placesOf(all: readonly NotAsked[]): string {
  const places = new Set(all.map(({ endpoint }) => endpoint).filter((one) => one !== undefined));
  return places.size === 0 ? '' : ` (${[...places].join(', ')})`;
}

/** `asked on validate, consume; not on hw/consume: the target has no key "hardware"`. */
export function coverageLine({ endpoints, outcome, notAsked }: CaseResult): string {
  const asked = endpoints.length === 0 ? 'asked' : `asked on ${endpoints.join(', ')}`;
  const open = [...Map.groupBy(notAsked, ({ reason }) => reason)].map(([reason, all]) => {
    const places = new Set(all.map(placeOf).filter((place) => place !== ''));
    return `not ${places.size === 0 ? 'asked' : `on ${[...places].join(', ')}`}: ${reason}`;
  });
  return oneLine([...(outcome === 'skipped' ? [] : [asked]), ...open].join('; '));
}

/** The cases of the run by where they were asked and where not, and those that wait for a flag. */
export function coverage(result: CheckResult): { text: string; ids: string[] }[] {
  const cases = [
    ...result.cases.map((one) => ({ id: one.id, text: coverageLine(one) })),
    ...result.leftOut.map(({ id, reason }) => ({ id, text: oneLine(`not asked: ${reason}`) })),
  ];
  return [...Map.groupBy(cases, ({ text }) => text)].map(([text, all]) => ({
    text,
    ids: all.map(({ id }) => id),
  }));
}

function placeOf({
  endpoint,
  variant,
}: {
  endpoint?: Endpoint | undefined;
  variant?: string | undefined;
}): string {
  return [endpoint, variant === undefined ? undefined : `(${variant})`].filter(Boolean).join(' ');
}

/** `hw/consume; kept on validate, consume`: where a finding was made, or undefined for a case without endpoints. */
export function endpointsLine({ endpoints, failedEndpoints }: CaseResult): string | undefined {
  if (failedEndpoints.length === 0) return undefined;
  const kept = endpoints.filter((endpoint) => !failedEndpoints.includes(endpoint));
  const rest = kept.length === 0 ? '' : `; met on ${kept.join(', ')}`;
  return `${failedEndpoints.join(', ')}${rest}`;
}

/** The deviations of a case beyond the one that it shows in full: `hw/consume (multi): expected …, observed …`. */
export function furtherDeviations({ deviations = [] }: CaseResult): string[] {
  return deviations.slice(1).map(({ endpoint, variant, expected, observed }) => {
    return oneLine(`${placeOf({ endpoint, variant })}: expected ${expected}, observed ${observed}`);
  });
}

/** `Section 4.2: POST /scan/consume (…)`: which section a case belongs to, and where to read it. */
export function specificationLine({ section }: CaseResult): string {
  return `${headingOf(section)} (${whereToRead(section)})`;
}

/** What a report for machines says below the requirement. */
export function detailLines(one: CaseResult): string[] {
  const place = endpointsLine(one);
  return [
    ...(place === undefined ? [] : [`Endpoints: ${place}`]),
    `Expected: ${one.expected ?? ''}`,
    `Observed: ${one.observed ?? ''}`,
    ...furtherDeviations(one).map((line) => `Also: ${line}`),
    ...(one.cause === null ? [] : [`Cause: ${one.cause}`]),
    `Specification: ${specificationLine(one)}`,
  ];
}

/** One line: line breaks become spaces. */
export function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, ' ').trim();
}
