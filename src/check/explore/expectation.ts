import { isConsume } from '../facts/exchange.ts';
import { allowedAnswers, type KeyState, type Shown } from '../law/allowed.ts';
import { keyState } from '../law/shown.ts';
import type { Step } from './history.ts';
import type { Seen } from './observation.ts';

/** The answers that a request may get after any history; uses are counted elsewhere. */
interface Expectation {
  readonly section: string;
  /** For people: `refused with HTTP 401`. */
  readonly text: string;
  allows(outcome: Seen): boolean;
}

/** @returns what the law allows to a request of a history, in the words for its endpoint */
export function expectationOf(step: Step): Expectation {
  const { endpoint } = step;
  const { section, text, outcomes } = allowedAnswers({
    endpoint,
    key: keyStateOf(step),
    shown: shownIn(step),
  });
  const granted = isConsume(endpoint) ? 'consumed' : 'validated';
  return {
    section,
    text: text.replace('granted', granted),
    allows(outcome) {
      if (!outcomes) return true;
      // One that is sent again before its answer may be refused until then: nothing is said about it.
      if (step.retry && outcome === 'denied') return true;
      return (outcomes as readonly Seen[]).includes(outcome);
    },
  };
}

/** What is no key of the target must be refused. */
function keyStateOf({ key, endpoint }: Step): KeyState {
  return key !== 'missing' && key !== 'unknown' ? keyState(key, endpoint) : 'refused';
}

function shownIn({ ticket, forge }: Step): Shown {
  if (!ticket) return { is: 'nothing' };
  return forge ? { is: 'forged', of: ticket.kind } : { is: 'ticket', kind: ticket.kind };
}
