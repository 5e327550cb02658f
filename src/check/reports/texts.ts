import type { CaseResult, CheckResult } from '../result.ts';

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

/** The one sentence that matters. */
export function verdictLine(result: CheckResult): string {
  const { verdict, totals } = result;
  if (verdict === 'conforms') return 'The deployment keeps the specification.';
  if (verdict === 'incomplete')
    return `Nothing failed, but ${totals.skipped} cases were skipped: the check is incomplete.`;
  return totals.failed === 0
    ? 'The deployment deviates only where the baseline knows it.'
    : `The deployment deviates from the specification in ${totals.failed} ${totals.failed === 1 ? 'case' : 'cases'}.`;
}

/** Why cases were skipped, each reason once with the ids. */
export function skipReasons(result: CheckResult): { reason: string; ids: string[] }[] {
  const reasons = new Map<string, string[]>();
  for (const one of result.cases) {
    if (one.outcome !== 'skipped') continue;
    const reason = one.reason ?? 'no reason given';
    reasons.set(reason, [...(reasons.get(reason) ?? []), one.id]);
  }
  return [...reasons].map(([reason, ids]) => ({ reason, ids }));
}

/** Escapes text for XML and HTML, and takes out what XML 1.0 cannot hold. */
export function escapeXml(text: string): string {
  return stripControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Control characters but tab and line breaks, line separators, directions and non-characters. */
const DANGEROUS =
  /(?![\t\n\r])[\p{Cc}\ufffe\uffff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Replaces control characters, lone surrogates and non-characters by U+FFFD: a terminal or a parser might obey them. */
export function stripControls(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, '\ufffd');
}

/** One line: line breaks become spaces. */
export function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, ' ').trim();
}
