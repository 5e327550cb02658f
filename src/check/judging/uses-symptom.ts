import { counted } from '../../kit/text.ts';
import { type Exchange, endpointAt, isConsume } from '../facts/exchange.ts';
import { type Outcome, read } from '../facts/reading.ts';
import type { Expected, ExpectedAnswers } from '../law/expected.ts';
import type { Symptom } from '../law/symptom-kinds.ts';
import { STORED } from './circumstances.ts';
import { isAsBefore, KEPT } from './key-circumstances.ts';
import { wayOfCounting } from './ways-of-counting.ts';

/** Uses that were granted and do not show, or show and were not granted. */
export const NOT_COUNTED = 'uses not counted';
/** Uses that are counted, and that validate shows later. */
const BEHIND = 'validate shows the uses from before';
/** So long before, an answer shows that uses went away, and not that some requests see others. */
const GONE_AFTER_MS = 2000;

/** A ticket whose uses this run has taken: does the answer show them? */
export function usesSymptom(
  exchange: Exchange,
  expected: Expected | undefined,
  answers: ExpectedAnswers,
): Symptom | undefined {
  const why = whyWrong(exchange, expected, answers);
  if (why === undefined) return undefined;
  const symptom = behindSymptom(exchange, answers);
  if (symptom) return symptom;
  const way = wayOfCounting(exchange, answers);
  const isRefused = read(exchange.answer).outcome === 'exhausted';
  return {
    name: NOT_COUNTED,
    isWhole: true,
    ...(way || isRefused ? { isCauseOfParts: true } : {}),
    kinds: ['uses', 'uses at one moment'],
    cause: way?.cause ?? whyGone(exchange, answers) ?? why,
    ...(way ? { root: way.root } : {}),
    partOf: [...(isAsBefore(exchange, answers) ? [KEPT] : []), STORED],
  };
}

/** What is wrong with the uses that an answer shows, in words. */
function whyWrong(
  exchange: Exchange,
  { code, isKeyRefused, outcomes: [right] = [] }: Partial<Expected> = {},
  answers: ExpectedAnswers,
): string | undefined {
  if (code === undefined || isKeyRefused) return undefined;
  const before = answers.usesBefore(exchange, code);
  if (before === undefined) return undefined;
  const isGood = right === 'granted' || (before === 0 && answers.wasGood(exchange, code));
  const { outcome } = read(exchange.answer);
  // never good and never used: it is refused, not miscounted
  const isNew = before === 0 && !answers.wasGood(exchange, code);
  if (outcome === 'exhausted' && right !== 'exhausted' && isNew) return undefined;
  const cause = isGood
    ? whyMiscounted(exchange, before, answers.usesAtFirst(code))
    : whyLetInAgain(exchange, before, right);
  return cause ?? whyOtherThanBefore(exchange, right, answers);
}

/** An answer that shows how many uses of its ticket are taken, and how many are. */
interface Counted {
  readonly exchange: Exchange;
  readonly shown: number;
  readonly right: number;
}

/**
 * Validate shows fewer uses than were taken. All that consume tells is right, and what is shown later as well: the uses are counted, and
 * validate reads them from somewhere else.
 */
function behindSymptom(exchange: Exchange, answers: ExpectedAnswers): Symptom | undefined {
  const seen = countedIn(exchange, answers);
  if (!seen || !isLow(seen) || !isValidateBehind(answers)) return undefined;
  return {
    name: BEHIND,
    kinds: ['a look at uses', 'uses'],
    cause: `POST ${exchange.request.path} still shows the uses from before: ${seen.shown}, where ${counted(seen.right, 'use was', 'uses were')} taken. All answers of consume count right: does validate answer from a cache, or from a copy that is behind?`,
  };
}

/** Of each run whether its validate is behind, with the number of the answers that were looked at. */
const BEHIND_IN = new WeakMap<ExpectedAnswers, readonly [number, boolean]>();

function isValidateBehind(answers: ExpectedAnswers): boolean {
  const { exchanges } = answers;
  const [looked, known] = BEHIND_IN.get(answers) ?? [];
  if (known !== undefined && looked === exchanges.length) return known;
  const all = exchanges.flatMap((one) => countedIn(one, answers) ?? []);
  const isRight = ({ exchange, shown, right }: Counted) =>
    shown === right && answers.isRightOutcome(exchange);
  const isBehind =
    all.every((one) => isRight(one) || !isAtConsume(one)) &&
    all.some((one) => isLow(one) && answers.about(one.exchange).some(isRightAfter(one, answers)));
  BEHIND_IN.set(answers, [exchanges.length, isBehind]);
  return isBehind;
}

/** True for a later answer about the ticket that shows its uses as they are, and at least as many as this one had to. */
function isRightAfter({ exchange, right }: Counted, answers: ExpectedAnswers) {
  return (later: Exchange): boolean => {
    const seen = countedIn(later, answers);
    const isLater = later.startedMs >= exchange.startedMs + exchange.durationMs;
    return isLater && seen !== undefined && seen.shown === seen.right && seen.right >= right;
  };
}

function isLow({ shown, right, ...one }: Counted): boolean {
  return shown < right && !isAtConsume(one);
}

function isAtConsume({ exchange: { request } }: Pick<Counted, 'exchange'>): boolean {
  const endpoint = endpointAt(request);
  return endpoint !== undefined && isConsume(endpoint);
}

function countedIn(exchange: Exchange, answers: ExpectedAnswers): Counted | undefined {
  const { used: shown, outcome } = read(exchange.answer);
  const { code, kind } = answers.of(exchange) ?? {};
  if (shown === undefined || code === undefined) return undefined;
  const before = answers.usesBefore(exchange, code);
  if (before === undefined) return undefined;
  const own = isAtConsume({ exchange }) && outcome === 'granted' ? 1 : 0;
  const right =
    kind === 'permanent'
      ? before + own + answers.usesAtFirst(code)
      : (answers.miscountIn(exchange)?.right ?? shown);
  return { exchange, shown, right };
}

/** Uses that were shown some time before are gone. */
function whyGone(exchange: Exchange, answers: ExpectedAnswers): string | undefined {
  const { used: now, outcome } = read(exchange.answer);
  if (now === undefined || outcome !== 'granted') return undefined;
  const before = now - (isAtConsume({ exchange }) ? 1 : 0);
  const earlier = answers.about(exchange).findLast((one) => {
    const isLongBefore =
      one.startedMs + one.durationMs + GONE_AFTER_MS <= exchange.startedMs &&
      answers.isRightOutcome(one);
    return isLongBefore && (read(one.answer).used ?? 0) > before;
  });
  if (!earlier) return undefined;
  const seconds = ((exchange.startedMs - earlier.startedMs) / 1000).toFixed(1);
  return `${seconds} s before, this ticket was shown with ${counted(read(earlier.answer).used ?? 0, 'use')} taken, and here with ${before}: does the server take uses back, or forget them, after some time?`;
}

/** The uses do not go on from those that the run saw first. */
function whyOtherThanBefore(
  exchange: Exchange,
  right: Outcome | undefined,
  answers: ExpectedAnswers,
): string | undefined {
  const wrong = answers.miscountIn(exchange);
  if (!wrong) return undefined;
  const seen = `The answer shows ${counted(wrong.shown, 'use')} where ${wrong.right} ${wrong.right === 1 ? 'was' : 'were'} taken.`;
  const mayHaveUses = right === 'granted' || right === 'exhausted';
  return mayHaveUses ? seen : `${seen} The ticket is refused: does a refused consume take a use?`;
}

function whyLetInAgain({ answer, request }: Exchange, before: number, right: Outcome | undefined) {
  const { outcome, used = 0 } = read(answer);
  if (right !== 'exhausted' || before === 0 || outcome !== 'granted') return undefined;
  return used >= before
    ? `The limit is not kept: POST ${request.path} lets the ticket in after ${counted(before, 'granted use')}, and shows ${used}.`
    : `A use that was granted is not counted: after ${counted(before, 'granted use')} the ticket was let in again.`;
}

function whyMiscounted({ answer, request }: Exchange, before: number, atFirst: number) {
  const { outcome, used } = read(answer);
  if (outcome === 'exhausted')
    return `A good ticket is answered as used up after ${counted(before, 'granted use')} in this run.`;
  const endpoint = endpointAt(request);
  const granted = before + (endpoint && isConsume(endpoint) && outcome === 'granted' ? 1 : 0);
  return used === undefined || used === granted + atFirst
    ? undefined
    : `The answer shows ${counted(used, 'use')} where ${granted + atFirst} ${granted + atFirst === 1 ? 'was' : 'were'} granted in this run.`;
}
