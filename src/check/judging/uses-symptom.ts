import { type Exchange, endpointAt, isConsume } from '../facts/exchange.ts';
import { type Outcome, read } from '../facts/reading.ts';
import type { Expected, ExpectedAnswers } from '../law/expected.ts';
import type { Symptom } from '../law/symptom-kinds.ts';
import { isAsBefore, KEPT } from './key-circumstances.ts';

/** Uses that were granted and do not show, or show and were not granted. */
export const NOT_COUNTED = 'uses not counted';

/** A ticket whose uses this run has taken: does the answer show them? */
export function usesSymptom(
  exchange: Exchange,
  expected: Expected | undefined,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const { code, isKeyRefused, outcomes: [right] = [] } = expected ?? {};
  if (code === undefined || isKeyRefused) return undefined;
  const before = answers.usesBefore(exchange, code);
  if (before === undefined) return undefined;
  const isGood = right === 'granted' || (before === 0 && answers.wasGood(exchange, code));
  const atFirst = answers.usesAtFirst(code);
  const { outcome } = read(exchange.answer);
  // never good and never used: it is refused, not miscounted
  const isNew = before === 0 && !answers.wasGood(exchange, code);
  if (outcome === 'exhausted' && right !== 'exhausted' && isNew) return undefined;
  const cause = isGood
    ? whyMiscounted(exchange, before, atFirst)
    : whyLetInAgain(exchange, before, right);
  const why = cause ?? whyOtherThanBefore(exchange, right, answers);
  return why === undefined ? undefined : countSymptom(why, isAsBefore(exchange, answers));
}

function countSymptom(cause: string, isAsBefore: boolean): Symptom {
  const partOf = isAsBefore ? { partOf: [KEPT] } : {};
  return { name: NOT_COUNTED, isWhole: true, kinds: ['uses'], cause, ...partOf };
}

/** The uses do not go on from those that the run saw first. */
function whyOtherThanBefore(
  exchange: Exchange,
  right: Outcome | undefined,
  answers: ExpectedAnswers,
): string | undefined {
  const wrong = answers.miscountIn(exchange);
  if (!wrong) return undefined;
  const seen = `The answer shows ${wrong.shown} uses where ${wrong.right} were taken.`;
  const mayHaveUses = right === 'granted' || right === 'exhausted';
  return mayHaveUses ? seen : `${seen} The ticket is refused: does a refused consume take a use?`;
}

function whyLetInAgain({ answer, request }: Exchange, before: number, right: Outcome | undefined) {
  const { outcome, used = 0 } = read(answer);
  if (right !== 'exhausted' || before === 0 || outcome !== 'granted') return undefined;
  return used >= before
    ? `The limit is not kept: POST ${request.path} lets the ticket in after ${before} granted uses, and shows ${used}.`
    : `A use that was granted is not counted: after ${before} granted uses the ticket was let in again.`;
}

function whyMiscounted({ answer, request }: Exchange, before: number, atFirst: number) {
  const { outcome, used } = read(answer);
  if (outcome === 'exhausted')
    return `A good ticket is answered as used up after ${before} granted uses in this run.`;
  const endpoint = endpointAt(request);
  const granted = before + (endpoint && isConsume(endpoint) && outcome === 'granted' ? 1 : 0);
  return used === undefined || used === granted + atFirst
    ? undefined
    : `The answer shows ${used} uses where ${granted + atFirst} were granted in this run.`;
}
