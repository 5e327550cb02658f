import { counted } from '../../kit/text.ts';
import { table } from '../../terminal/results.ts';
import type { ExploreResult, Failure } from '../index.ts';

const SHRUNK = {
  fully: 'No step can be left out.',
  'not fully': 'Not fully shrunk',
  'not again': 'It did not come back on fresh tickets, so it is not shrunk',
} as const;

/** What an exploration found, for people. */
export function explorationText(result: ExploreResult, files: readonly string[]): string {
  const { failure, requests, notes, seed, usesGranted } = result;
  const total = requests.find + requests.shrink;
  const lines = [
    `Explored ${result.target} with seed ${seed}: ${total} requests, ${counted(usesGranted, 'use')} granted, ${(result.durationMs / 1000).toFixed(1)} s.`,
    ...(failure ? ['', ...failureLines(failure, files)] : []),
    '',
    ...triedLines(result),
    ...latencyLines(result),
    ...notes.map((note) => `Note: ${note}`),
    verdictOf(result),
  ];
  return `${lines.join('\n')}\n`;
}

function verdictOf({ verdict, requests }: ExploreResult): string {
  if (verdict === 'deviates') return 'The service deviates from the specification.';
  if (verdict === 'stopped') return 'Stopped early; nothing was found until then.';
  return `Nothing was found in ${requests.find} requests. That is not a proof: other histories may show more.`;
}

function failureLines(failure: Failure, files: readonly string[]): string[] {
  const { story, expected, observed, section, rule, cameBack, reason, shrunk } = failure;
  return [
    `A fault (${rule}, section ${section}), in ${counted(failure.steps, 'step')}:`,
    ...story.map((line, i) => `  ${i + 1}. ${line}`),
    `  Expected: ${expected}`,
    `  Observed: ${observed}`,
    `${SHRUNK[shrunk]}${reason === null ? '' : `: ${reason}.`} It came back in ${cameBack.times} of ${cameBack.tries} tries.`,
    ...(files.length === 0 ? [] : [`Saved: ${files.join(', ')}`]),
  ];
}

function triedLines({ tried }: ExploreResult): string[] {
  const rows = tried.map(({ action, way, answer, count }) => [action, way, answer, String(count)]);
  return table(['tried', 'way', 'answer', 'count'], rows);
}

function latencyLines({ latencyMs }: ExploreResult): string[] {
  const { p50, p99, max, parts } = latencyMs;
  const drift = parts.map((part) => `${part.p50}/${part.p99}`).join(' ');
  return [
    `Answers took ${p50} ms (half of them), ${p99} ms (99 of 100), ${max} ms (the slowest).`,
    ...(parts.length === 0 ? [] : [`In fifths of the run, half / 99 of 100: ${drift}`]),
  ];
}
