import { stripControls } from '../../kit/text.ts';
import type { CheckResult } from '../results/result.ts';
import { coverage, detailLines, findingsOf, totalsLine, verdictLine } from './texts.ts';

/** GitHub workflow commands: one annotation for each finding. */
export function githubReport(result: CheckResult): string {
  const lines = findingsOf(result).map((one) => {
    const kind = one.outcome === 'failed' && !one.known ? 'error' : 'warning';
    const message = [one.requirement, ...detailLines(one), one.reproduce ?? ''].join('\n');
    return `::${kind} title=${property(`ticketscan ${one.id}`)}::${data(message)}`;
  });
  for (const id of result.stale) {
    lines.push(
      `::error title=${property(`ticketscan ${id}`)}::${data('This known deviation no longer occurs: remove it from the baseline.')}`,
    );
  }
  if (result.brokenOff) lines.push(`::error title=ticketscan::${data(result.brokenOff)}`);
  const asked = coverage(result).map(({ text, ids }) => `${text}: ${ids.join(', ')}`);
  lines.push(`::notice title=Where each requirement was asked::${data(asked.join('\n'))}`);
  const summary = `${verdictLine(result)} ${totalsLine(result)}`;
  return `${[...lines, `::notice title=ticketscan check::${data(summary)}`].join('\n')}\n`;
}

function data(text: string): string {
  return stripControls(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
