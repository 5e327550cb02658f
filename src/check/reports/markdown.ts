import type { CheckResult } from '../results/result.ts';
import { contentOf, cutList, type FindingRow, oneLine } from './content.ts';

const ICONS = { conforms: '✅', deviates: '❌', incomplete: '⚠️' } as const;

/** Markdown for a step summary or a merge request. */
export function markdownReport(result: CheckResult): string {
  const { findings, remarks, skips, seen, coverage, ...content } = contentOf(result);
  const heads = ['case', 'requirement', 'expected', 'observed'];
  const lines = [
    `## ${ICONS[result.verdict]} ticketscan check: ${result.verdict}`,
    '',
    `${text(content.conclusion)} ${content.totals}. Target: ${code(result.target)}`,
    ...remarks.map((one) => `\n> ${one.isError ? `**${text(one.text)}**` : text(one.text)}`),
    ...(findings.length === 0 ? [] : ['', ...table(heads, findings.map(cellsOf))]),
    ...findings.flatMap(detailsOf),
    ...skips.map((one) => `\n**${text(one.text)}** (${text(cutList(one.ids))})`),
    ...seen.flatMap(([heading, rows]) => {
      const cells = rows.map(({ id, remark }) => [code(id), code(remark)]);
      return details(text(heading), table(['case', 'seen'], cells));
    }),
    ...details(
      'Where each requirement was asked',
      table(
        ['endpoints', 'cases'],
        [...coverage].map(([where, all]) => [
          text(where),
          text(all.map(({ id }) => id).join(', ')),
        ]),
      ),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function cellsOf(one: FindingRow): string[] {
  const mark = one.isFailure ? '❌' : one.known === '' ? '⚠️' : '➖';
  return [`${mark} ${code(one.id)}`, text(one.requirement), code(one.expected), code(one.observed)];
}

function detailsOf({ id, facts, request, response, reproduce }: FindingRow): string[] {
  return details(`${code(id)}: how to reproduce it`, [
    ...facts.map(([label, fact]) => `- ${label}: ${text(fact)}`),
    '',
    `<pre>${html([request, response, reproduce].filter(Boolean).join('\n\n'))}</pre>`,
  ]);
}

function details(summary: string, lines: readonly string[]): string[] {
  return ['', `<details><summary>${summary}</summary>`, '', ...lines, '', '</details>'];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** In a table cell; what an answer says must not become markup. */
function text(value: string): string {
  return oneLine(value).replace(/[\\|*_[\]<>~#]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

function code(value: string): string {
  const line = oneLine(value);
  return line === '' ? '' : `<code>${html(line)}</code>`;
}

function html(value: string): string {
  return value.replace(/[&<>|\\`*_[\]~#]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
