import { counted } from '../../kit/text.ts';
import type { CompareResult, ExploreResult, Failure, ReplayResult } from '../index.ts';

const SHRUNK = {
  fully: 'No step can be left out',
  'not fully': 'Not fully shrunk',
  'not again': 'It did not come back on fresh tickets, so it is not shrunk',
} as const;

const WHY_NOT_AGAIN = 'it depends on timing, or on state from before';
const NO_PROOF = '. It did not come back, so a replay without it has no result.';
const NOT_JUDGED =
  'Explore judges outcomes and counters over time, not the format of answers: `ticketscan check` does that.';

/** What an exploration found, for people. */
export function explorationLines(result: ExploreResult, saved: string | undefined): string[] {
  const { failure, requests, notes, seed, usesGranted } = result;
  const total = requests.find + requests.shrink;
  return [
    `Explored ${result.target} with seed ${seed}: ${total} requests, ${counted(usesGranted, 'use')} granted, ${(result.durationMs / 1000).toFixed(1)} s.`,
    ...(failure ? ['', ...failureLines(failure, saved)] : []),
    '',
    coverageLine(result),
    ...notes.map((note) => `Note: ${note}`),
    NOT_JUDGED,
    verdictOf(result),
  ];
}

function verdictOf({ verdict, requests, lost }: ExploreResult): string {
  if (verdict === 'deviates') return 'The service deviates from the specification.';
  if (verdict === 'stopped') return 'Stopped early; nothing was found until then.';
  if (verdict === 'incomplete')
    return `Incomplete: nothing was found in ${requests.find} requests, but the connection was lost ${counted(lost, 'time')}.`;
  return `Nothing was found in ${requests.find} requests. That is not a proof: other histories may show more.`;
}

function coverageLine({ coverage }: ExploreResult): string {
  const { oneByOne, together, answers } = coverage;
  const parts = Object.entries(answers).map(([answer, count]) => `${count} ${answer}`);
  return `Sent ${oneByOne} one by one, ${together} together. Answers: ${parts.join(', ')}.`;
}

function failureLines(failure: Failure, saved: string | undefined): string[] {
  const { section, rule, history } = failure;
  return [
    `A fault (${rule}, section ${section}), in ${counted(failure.steps, 'step')}:`,
    ...storyLines(failure),
    cameBackLine(failure),
    ...(saved === undefined ? [] : [`Saved: ${saved}${history.isReproduced ? '' : NO_PROOF}`]),
  ];
}

function cameBackLine({ cameBack: { times, tries }, reason, shrunk }: Failure): string {
  if (times === 0 && tries > 0) return `It did not come back in ${tries} tries: ${WHY_NOT_AGAIN}.`;
  const why = reason ?? (shrunk === 'not again' ? WHY_NOT_AGAIN : undefined);
  const shown = `${SHRUNK[shrunk]}${why === undefined ? '' : `: ${why}`}.`;
  return tries === 0 ? shown : `${shown} It came back in ${times} of ${tries} tries.`;
}

function storyLines({ story, expected, observed }: Failure | ReplayResult): string[] {
  return [
    ...story.map((line, i) => `  ${i + 1}. ${line}`),
    `  Expected: ${expected}`,
    `  Observed: ${observed}`,
  ];
}

/** What became of a saved fault, for people. */
export function replayLines(result: ReplayResult): string[] {
  const { verdict, tries, lacking, rule, savedRule } = result;
  const tried = counted(tries, 'try', 'tries');
  switch (verdict) {
    case 'fixed':
      return [`FIXED: ${tried} without the fault.`];
    case 'stopped':
      return [`Stopped after ${tried} without the fault.`];
    case 'lacks-tickets':
    case 'incomplete':
      return [`No result after ${tried}: ${lacking}.`];
    case 'cannot-tell':
      return [
        `No result: ${tried} without the fault, but it never came back when it was saved either (${WHY_NOT_AGAIN}), or its rate limit refused nothing now.`,
      ];
    case 'failed': {
      const other = `, by another rule (${rule}) than when it was saved (${savedRule})`;
      return [`FAILED in try ${tries}${rule === savedRule ? '' : other}:`, ...storyLines(result)];
    }
  }
}

/** In what two services differ, for people. */
export function comparisonLines(result: CompareResult): string[] {
  const { differences, faults, notes, requests, seed, verdict } = result;
  return [
    `Compared A ${result.a} and B ${result.b} with seed ${seed}: ${requests} requests to each.`,
    ...differences.flatMap(({ level, what, kinds, request, a, b, count }) => [
      `${level}: ${what} differs in ${counted(kinds, 'kind')} of request, ${counted(count, 'time')}. ${kinds === 1 ? '' : 'First: '}${request}`,
      `  A: ${a}`,
      `  B: ${b}`,
    ]),
    ...faults.map(
      ({ server, expected, observed }) =>
        `${server.toUpperCase()} breaks the specification: expected ${expected}, observed ${observed}`,
    ),
    ...notes.map((note) => `Note: ${note}`),
    verdict === 'differ'
      ? 'They differ in behaviour that the specification states.'
      : 'They do not differ in behaviour that the specification states.',
  ];
}
