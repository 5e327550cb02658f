import type { CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import {
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  endpointAt,
  isDevice,
  SCANS,
} from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { isRecord, show } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import type { Expected, ExpectedAnswers } from '../law/expected.ts';
import { type WrongForm, wrongNote, wrongStatus, wrongStatusWord } from '../law/form.ts';
import { isPlain } from '../requests/scan-request.ts';
import { answersOf, everyAnswer, on } from '../samples/matrix.ts';

/** These hold for every answer of a run, whatever it was asked for: other cases choose the requests. */
const REVIEW = { phase: 'every-answer' } as const;

/** Section 2.3: what every answer tells of its ticket. */
export const EVERY_FACT: CheckCase = {
  id: '2.3/every-answer',
  ...REVIEW,
  requirement:
    'Every answer tells of its ticket what the target says and what the other answers tell: identifier, type, uses allowed, window and holder.',
  cells: comparing(SCANS, (exchange, answers) => {
    const wrong = answers.wrongFact(exchange);
    return (
      wrong && new Deviation(wrong.expected, wrong.observed, exchange, { fields: [wrong.field] })
    );
  }),
};

/** Section 3.2: the uses that every answer shows. */
export const EVERY_COUNT: CheckCase = {
  id: '3.2/every-answer',
  ...REVIEW,
  requirement: 'Every answer shows the uses that were granted up to it.',
  cells: comparing(SCANS, (exchange, answers) => {
    const wrong = answers.miscountIn(exchange);
    return (
      wrong &&
      new Deviation(`${wrong.right} uses taken`, `${wrong.shown} uses taken`, exchange, {
        fields: ['usesConsumed', 'Note'],
      })
    );
  }),
};

/** Section 4: what every request is answered. */
export const EVERY_OUTCOME: CheckCase = {
  id: '4/every-answer',
  ...REVIEW,
  requirement:
    'Every answer is one that the specification allows to its request, with the HTTP status, the status word and the text that go with it.',
  cells: comparing(ENDPOINTS, wrongOutcome),
};

/** Compares every answer of these endpoints to a request that the specification describes. */
function comparing(
  endpoints: readonly Endpoint[],
  compare: (exchange: Exchange, answers: ExpectedAnswers) => Deviation | undefined,
) {
  return on(endpoints, (endpoint) => ({
    samples: everyAnswer(endpoint),
    async run(scan: Scan) {
      const wrong = (await answersOf(scan, endpoint))
        .filter(({ level }) => level === 'stated')
        .flatMap((exchange) => compare(exchange, scan.answers) ?? []);
      const shown = wrong.find((one) => !scan.isExplained(one)) ?? wrong[0];
      if (shown) throw shown;
    },
  }));
}

function wrongOutcome(exchange: Exchange, answers: ExpectedAnswers): Deviation | undefined {
  const expected = answers.of(exchange);
  const { outcomes = [] } = expected ?? {};
  const { outcome } = read(exchange.answer);
  // A rule of its own says when a run may be limited, and section 7.3 shows no Note for it.
  if (!expected || outcome === 'limited' || !isPlain(exchange.request)) return undefined;
  if (exchange.unpaced && isDeviceDenial(exchange)) return undefined;
  // Which body a heartbeat has is not shown: a service may refuse this one.
  if (outcomes.includes('confirmed') && exchange.answer.status >= 400) return undefined;
  const { what } = expected;
  const seen = describeAnswer(exchange.answer);
  if (!outcomes.includes(outcome) && areUsesKnown(exchange, expected, answers))
    return new Deviation(`${what}: ${outcomes.join(' or ')}`, seen, exchange);
  if (!outcomes.includes(outcome)) return undefined;
  const wrong = wrongForm(exchange, outcomes);
  return wrong && formDeviation(wrong, exchange);
}

/** True for a device that is told to keep its door shut, with whatever words. */
function isDeviceDenial({ request, answer }: Exchange): boolean {
  const endpoint = endpointAt(request);
  const isShut = isRecord(answer.json) && answer.json['AcsRes'] === '0';
  return endpoint !== undefined && isDevice(endpoint) && isShut;
}

/** False where the answer depends on uses that the run cannot know: others may have used the ticket before. */
function areUsesKnown(exchange: Exchange, expected: Expected, answers: ExpectedAnswers): boolean {
  const { code, kind, outcomes } = expected;
  // One that the target calls used up is refused, whatever others do.
  if (code === undefined || kind === 'exhausted') return true;
  if (read(exchange.answer).outcome === 'exhausted') return answers.hasUsesLeft(exchange, code);
  return outcomes[0] !== 'exhausted' || answers.areUsesKnown(code);
}

function wrongForm(
  { request, answer }: Exchange,
  outcomes: Expected['outcomes'],
): WrongForm | undefined {
  const endpoint = endpointAt(request);
  return (
    endpoint &&
    (wrongStatus(endpoint, answer) ??
      wrongStatusWord(endpoint, answer) ??
      (outcomes.length === 1 ? wrongNote(answer, outcomes[0]) : undefined))
  );
}

function formDeviation({ field, expected, observed }: WrongForm, exchange: Exchange): Deviation {
  return new Deviation(`${field}: ${show(expected)}`, `${field}: ${show(observed)}`, exchange, {
    fields: [field],
  });
}
