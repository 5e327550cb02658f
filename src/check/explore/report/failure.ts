import type { Redactor } from '../../requests/redact.ts';
import { stepsIn } from '../histories/history.ts';
import { savedHistory } from '../histories/history-file.ts';
import { isLimited } from '../model/meaning.ts';
import type { Failure } from '../result.ts';
import type { Shrunk } from '../shrink/shrink.ts';
import { storyOf } from './story.ts';

/** A fault as people and machines read it; no key is in it. */
export function failureOf(shrunk: Shrunk, seed: number, redactor: Redactor): Failure {
  const { history, violation, attempt, state, reason, cameBack } = shrunk;
  const clean = (text: string) => redactor.redact(text);
  const story = storyOf(history, attempt?.trace).map(clean);
  const facts = {
    rule: violation.rule,
    section: violation.section,
    expected: clean(violation.expected),
    observed: clean(violation.observed),
  };
  return {
    ...facts,
    shrunk: state,
    reason: reason ?? null,
    cameBack,
    steps: stepsIn(history),
    story,
    history: savedHistory({
      seed,
      ...facts,
      story,
      isCertain: isCertain(shrunk),
      isReproduced: state !== 'not again' && cameBack.times > 0,
      isLimited: showsLimit(shrunk),
      groups: history,
    }),
  };
}

/** A race and a rate limit may not show in one run; neither may what did not come back each time. */
function isCertain(shrunk: Shrunk): boolean {
  const { history, cameBack } = shrunk;
  const inTurn = history.every(
    ({ way, steps }) => way === 'in-turn' && steps.every(({ abandoned }) => !abandoned),
  );
  return inTurn && !showsLimit(shrunk) && cameBack.tries > 1 && cameBack.times === cameBack.tries;
}

function showsLimit({ attempt }: Shrunk): boolean {
  return attempt?.trace.flat().some(isLimited) === true;
}
