import { counted, escapeMarkup } from '../../kit/text.ts';
import type { CaseResult, CheckResult } from '../results/result.ts';
import { headingOf, SECTIONS } from '../specification/specification.ts';
import {
  coverageLine,
  endpointsLine,
  furtherDeviations,
  subjectOf,
  totalsLine,
  verdictLine,
} from './texts.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --bad: #c22; --warn: #b70; --good: #284; }
@media (prefers-color-scheme: dark) { :root { --bad: #f77; --warn: #fb4; --good: #6c8; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; } code, pre { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: #8881; padding: .8rem; border-radius: .4rem; }
.failed { color: var(--bad); } .warned, .skipped { color: var(--warn); } .passed { color: var(--good); }
.verdict { font-weight: 600; } article { border-left: 4px solid var(--bad); padding-left: 1rem; margin: 1.5rem 0; } article.warned { border-color: var(--warn); color: inherit; } article.failed { color: inherit; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }`;

/** One HTML file without scripts or anything to load. */
export function htmlReport(result: CheckResult): string {
  const findings = result.cases.filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'warned',
  );
  const sections = [...Map.groupBy(result.cases, ({ section }) => section)];
  const verdictClass = { conforms: 'passed', deviates: 'failed', incomplete: 'warned' }[
    result.verdict
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ticketscan check: ${result.verdict}</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>ticketscan check</h1>
<p class="verdict ${verdictClass}">${escapeMarkup(verdictLine(result))}</p>
<p>${escapeMarkup(totalsLine(result))}. <code>${escapeMarkup(result.target)}</code>, ${escapeMarkup(result.startedAt)}, ${counted(result.requests, 'request')} in ${(result.durationMs / 1000).toFixed(1)} s${result.subject === undefined ? `, ${counted(result.usesGranted, 'use')} spent` : ''}.</p>
${remarksOf(result)}
${findings.map(articleOf).join('\n')}
${sections.map(([section, cases]) => tableOf(section, cases)).join('\n')}
</body>
</html>
`;
}

function remarksOf(result: CheckResult): string {
  const remarks = [
    ...(result.brokenOff ? [`Stopped early: ${result.brokenOff}`] : []),
    ...result.stale.map(
      (id) => `${id} is in the baseline, but the ${subjectOf(result)} now meets it.`,
    ),
    ...result.notes,
    ...result.leftOut.map(({ id, reason }) => `${id} was not asked: ${reason}`),
  ];
  return remarks.map((remark) => `<p>${escapeMarkup(remark)}</p>`).join('\n');
}

function articleOf(one: CaseResult): string {
  const exchange = one.evidence
    ? `<div class="sides"><pre>${escapeMarkup(one.evidence.request)}</pre><pre>${escapeMarkup(one.evidence.response)}</pre></div>`
    : '';
  const known = one.known ? ' (known)' : '';
  return `<article class="${one.outcome}">
<h2>${escapeMarkup(one.id)}${known}</h2>
<p>${escapeMarkup(one.requirement)}</p>
<div class="sides"><div><b>Expected</b><pre>${escapeMarkup(one.expected ?? '')}</pre></div><div><b>Observed</b><pre>${escapeMarkup(one.observed ?? '')}</pre></div></div>
${placesOf(one)}
${one.cause === null ? '' : `<p><b>Cause:</b> ${escapeMarkup(one.cause)}</p>`}
<p><b>Specification:</b> <a href="#${escapeMarkup(one.section)}">${escapeMarkup(headingOf(one.section))}</a></p>
${exchange}
${one.reproduce ? `<pre>${escapeMarkup(one.reproduce)}</pre>` : ''}
</article>`;
}

function placesOf(one: CaseResult): string {
  const lines = [endpointsLine(one), ...furtherDeviations(one)].filter(
    (line) => line !== undefined,
  );
  return lines.map((line) => `<p><b>Endpoints:</b> ${escapeMarkup(line)}</p>`).join('\n');
}

function tableOf(section: string, cases: readonly CaseResult[]): string {
  const rows = cases.map((one) => {
    const remark = one.outcome === 'passed' ? '' : (one.reason ?? one.observed ?? '');
    return `<tr><td class="${one.outcome}">${one.outcome}</td><td><code>${escapeMarkup(one.id)}</code><br>${escapeMarkup(one.requirement)}<br>${escapeMarkup(coverageLine(one))}${remark === '' ? '' : `<br><code>${escapeMarkup(remark)}</code>`}</td></tr>`;
  });
  return `<h2 id="${escapeMarkup(section)}">${escapeMarkup(headingOf(section))}</h2>
${textOf(section)}
<table><thead><tr><th>Outcome</th><th>Case</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`;
}

/** The section itself: a report is often read where no documentation is. */
function textOf(section: string): string {
  const text = SECTIONS.get(section)?.text;
  if (text === undefined) return '';
  return `<details><summary>What the specification says</summary><pre>${escapeMarkup(text)}</pre></details>`;
}
