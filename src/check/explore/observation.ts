import type { TargetTicket } from '../deployment/target.ts';
import { type Answer, isConsume, isRest, type RequestSpec } from '../facts/exchange.ts';
import type { TransportFailure } from '../facts/failures.ts';
import type { Outcome, Reading } from '../facts/reading.ts';
import { type CountedAnswer, USE_RULES } from '../law/uses.ts';
import type { Step } from './history.ts';

/** What came of a request: `lost` where no answer came. */
export type Seen = Outcome | 'lost';

/** One request of a group and what came of it. Times are of a clock that never runs backwards, in milliseconds. */
export interface Observation extends Pick<Reading, 'used' | 'allowed'> {
  readonly outcome: Seen;
  readonly step: Step;
  readonly request: RequestSpec;
  readonly ticket?: TargetTicket;
  /** The same for requests that are one request sent again. */
  readonly retryOf?: string;
  /** Just before the first byte was sent. */
  readonly startedAt: number;
  /** When the answer was whole, or nothing more could come. */
  readonly endedAt: number;
  /** The same on the wall clock, in milliseconds since 1970. */
  readonly wallEndedAt: number;
  /** Absent when no complete answer came. */
  readonly answer?: Answer;
  readonly failure?: TransportFailure;
  /** True when the connection had carried a request before: the server may just have closed it. */
  readonly mayBeReset: boolean;
  /** True when the next request was sent before this answer: a server may refuse that by closing the connection. */
  readonly mayBeCut?: boolean;
}

type Answered = Pick<Observation, 'outcome' | 'step'>;

/** True for a ticket that is good, or was until its uses were gone. */
export function isCounted({ outcome }: Answered): boolean {
  return outcome === 'granted' || outcome === 'exhausted';
}

/** True for an answer that took a use. */
export function isUse({ outcome, step }: Answered): boolean {
  return outcome === 'granted' && isConsume(step.endpoint);
}

/** What came of a request in the words of its endpoint: a grant is `validated` or `consumed`. */
export function wordOf({ outcome, step }: Answered): string {
  if (outcome !== 'granted') return outcome;
  return isConsume(step.endpoint) ? 'consumed' : 'validated';
}

/** What an observation says to the law of uses. */
export function countedAnswer(at: Observation): CountedAnswer<Observation> {
  const { used, allowed, startedAt, endedAt } = at;
  return {
    isExhausted: at.outcome === 'exhausted',
    isUse: isUse(at),
    word: wordOf(at),
    startedAt,
    endedAt,
    at,
    ...(used !== undefined && { used }),
    ...(allowed !== undefined && { allowed }),
  };
}

/** True where an answer is missing. A request that was given up, or sent when the server had just closed the connection, may stay without one. */
export function isUnanswered({
  answer,
  step,
  failure,
  mayBeReset,
  mayBeCut,
}: Observation): boolean {
  const kind = failure?.kind;
  if (answer || step.abandon || (mayBeReset && kind === 'reset')) return false;
  return !(mayBeCut && (kind === 'reset' || kind === 'incomplete'));
}

/** Rules that one fault may break in turn: a use that two requests got is missing at the next look. */
const FAMILIES = {
  uses: USE_RULES,
  tickets: ['leak', 'facts-changed'],
  'no-answer': ['no-answer'],
  'server-error': ['server-error'],
  'wrong-answer': ['wrong-answer'],
  echo: ['echo'],
  arithmetic: ['arithmetic'],
  'time-repeated': ['time-repeated'],
} as const;

/** What a history can show to be wrong. Stable names: reports and saved files carry them. */
export type Rule = (typeof FAMILIES)[keyof typeof FAMILIES][number];

/** A statement of the specification that the answers of a history break. */
export interface Violation {
  readonly rule: Rule;
  /** Of the specification. */
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** The request whose answer shows it. */
  readonly at: Observation;
}

/** True for a lost connection: the server's fault only where it comes back. */
export function isNoAnswer({ rule }: Violation): boolean {
  return rule === 'no-answer';
}

/** True when both may come from one fault: rules of one family, shown by software, a device or a heartbeat in both. */
export function isSameFault(one: Violation, other: Violation): boolean {
  const isOneFamily = Object.values<readonly Rule[]>(FAMILIES).some(
    (rules) => rules.includes(one.rule) && rules.includes(other.rule),
  );
  return isOneFamily && sideOf(one.at.step) === sideOf(other.at.step);
}

function sideOf({ endpoint }: Step): string {
  if (endpoint === 'heartbeat') return endpoint;
  return isRest(endpoint) ? 'software' : 'device';
}
