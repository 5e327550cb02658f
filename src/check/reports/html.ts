import { counted, escapeMarkup as html } from '../../kit/text.ts';
import type { CheckResult } from '../results/result.ts';
import { headingOf, SECTIONS } from '../specification/specification.ts';
import { type CaseRow, contentOf, type FindingRow } from './content.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --bad: #c22; --warn: #b70; --good: #284; }
@media (prefers-color-scheme: dark) { :root { --bad: #f77; --warn: #fb4; --good: #6c8; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
td:first-child { white-space: nowrap; } code, pre { font-family: ui-monospace, monospace; font-size: .85rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: #8881; padding: .8rem; border-radius: .4rem; }
.failed, .follows { color: var(--bad); } .warned, .skipped, .unanswered { color: var(--warn); } .passed { color: var(--good); }
.verdict { font-weight: 600; } article { border-left: 4px solid var(--bad); padding-left: 1rem; margin: 1.5rem 0; } article.warned { border-color: var(--warn); color: inherit; } article.failed { color: inherit; }
dt { font-weight: 600; } dd { margin: 0 0 .4rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }`;

/** One HTML file without scripts or anything to load. */
export function htmlReport(result: CheckResult): string {
  const { conclusion, totals, findings, remarks, cases } = contentOf(result);
  const { verdict, target, startedAt, leftOut, requests, usesGranted, durationMs } = result;
  const used = result.subject === undefined ? `, ${counted(usesGranted, 'use')} spent` : '';
  const paragraphs = [
    ...remarks.map(({ text }) => text),
    ...[...Map.groupBy(leftOut, ({ reason }) => reason)].map(
      ([reason, all]) => `Not asked: ${all.map(({ id }) => id).join(', ')}: ${reason}`,
    ),
  ];
  const colors = { conforms: 'passed', deviates: 'failed', incomplete: 'warned' };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ticketscan check: ${verdict}</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>ticketscan check</h1>
<p class="verdict ${colors[verdict]}">${html(conclusion)}</p>
<p>${html(totals)}. <code>${html(target)}</code>, ${html(startedAt)}, ${counted(requests, 'request')} in ${(durationMs / 1000).toFixed(1)} s${used}.</p>
${findings.map(articleOf).join('\n')}
${paragraphs.map((text) => `<p>${html(text)}</p>`).join('\n')}
${[...Map.groupBy(cases, ({ section }) => section)].map(tableOf).join('\n')}
</body>
</html>
`;
}

function articleOf(one: FindingRow): string {
  const facts = one.facts.filter(([label]) => label !== 'Specification');
  const exchange = [one.request, one.response].map((text) => `<pre>${html(text)}</pre>`).join('');
  const followers = one.followers.map((id) => `<li><code>${html(id)}</code></li>`).join('');
  return `<article class="${one.outcome}">
<h2>${html(`${one.id}${one.known}`)}</h2>
<p>${html(one.requirement)}</p>
<dl>${facts.map(([label, text]) => `<dt>${label}</dt><dd><code>${html(text)}</code></dd>`).join('\n')}
<dt>Specification</dt><dd><a href="#${html(one.section)}">${html(headingOf(one.section))}</a></dd></dl>
${one.request === '' ? '' : `<div class="sides">${exchange}</div>`}
${one.reproduce === '' ? '' : `<pre>${html(one.reproduce)}</pre>`}
${followers === '' ? '' : `<details><summary>All followers</summary><ul>${followers}</ul></details>`}
</article>`;
}

function tableOf([section, cases]: [string, readonly CaseRow[]]): string {
  const rows = cases.map(({ id, outcome, requirement, coverage, remark }) => {
    const seen = remark === '' ? '' : `<br><code>${html(remark)}</code>`;
    return `<tr><td class="${outcome}">${outcome}</td><td><code>${html(id)}</code><br>${html(requirement)}<br>${html(coverage)}${seen}</td></tr>`;
  });
  // A report is often read where no documentation is.
  const text = SECTIONS.get(section)?.text;
  const details = `<details><summary>What the specification says</summary><pre>${html(text ?? '')}</pre></details>`;
  return `<h2 id="${html(section)}">${html(headingOf(section))}</h2>
${text === undefined ? '' : details}
<table><thead><tr><th>Outcome</th><th>Case</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`;
}
