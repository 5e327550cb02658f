import { NO_REQUEST } from '../formats/format.ts';
import type { Answer, Delivery } from '../wire/answer.ts';
import { granted, presentKnown } from './grants.ts';
import type { Scene } from './scene.ts';

/** How much later than the Wait Time a late answer comes, and when in it a patient device still gets one. */
const LATE_BY = 0.3;
const IN_TIME = 0.7;
const LIMITED_TIMES = 3;
/** How many Wait Times pass until no answer is surely none. */
const NO_ANSWER_WAITS = 1.2;
const NO_HALF = 'the device file does not say that the body of an admission matters';

function first(index: number, answer: Answer, otherwise: Answer): Answer {
  return index === 0 ? answer : otherwise;
}

/** The first request fails in this way, and each further one is answered well. */
function onceThenGood(id: string, hint: string, failure: (good: Answer) => Answer): Scene {
  return {
    id,
    play: (stage) =>
      stage.present(id, {
        hint,
        wants: ['door', 'told'],
        answer: (format, request, index) => {
          const good = granted(stage, format, request);
          return first(index, failure(good), good);
        },
      }),
  };
}

/** Each answer fails in this way. */
function always(id: string, hint: string, delivery: Delivery, atLeastWaits = 0): Scene {
  return {
    id,
    play: (stage) =>
      stage.present(id, {
        hint,
        wants: ['door', 'told'],
        atLeastMs: atLeastWaits * stage.settings.waitTimeMs,
        answer: (format, request) => ({ ...granted(stage, format, request), delivery }),
      }),
  };
}

/** The bare 429: no Retry-After, so that the client has to choose its own time. */
function limitedAnswer(retryAfter: string | undefined): (answer: Answer) => Answer {
  return () => ({
    status: 429,
    headers: {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    },
    body: '{"message":"Too Many Requests"}',
  });
}

/** Scenes in which answers are late, broken or missing. */
export const FAILURE_SCENES: readonly Scene[] = [
  {
    id: 'in-time',
    kind: 'device',
    play: (stage) =>
      stage.present('in-time', {
        hint: 'The answer comes shortly before the Wait Time ends.',
        wants: ['door'],
        answer: (format, request) => ({
          ...granted(stage, format, request),
          delivery: { kind: 'late', ms: stage.settings.waitTimeMs * IN_TIME },
        }),
      }),
  },
  {
    id: 'late',
    kind: 'device',
    play: (stage) =>
      stage.present('late', {
        hint: 'An admission comes after the Wait Time.',
        wants: ['door', 'told'],
        atLeastMs: stage.settings.waitTimeMs * (1 + LATE_BY) + stage.settings.reactionMs,
        answer: (format, request) => ({
          ...granted(stage, format, request),
          delivery: { kind: 'late', ms: stage.settings.waitTimeMs * (1 + LATE_BY) },
        }),
      }),
  },
  always('no-answer', 'The server never answers.', { kind: 'never' }, NO_ANSWER_WAITS),
  {
    id: 'known-no-answer',
    after: ['granted'],
    play: (stage) =>
      presentKnown(stage, 'known-no-answer', {
        hint: 'The card of the first step once more. The server never answers.',
        wants: ['door'],
        atLeastMs: NO_ANSWER_WAITS * stage.settings.waitTimeMs,
        answer: (format, request) => ({
          ...granted(stage, format, request),
          delivery: { kind: 'never' },
        }),
      }),
  },
  {
    ...always('cut', 'The answer ends in the middle.', { kind: 'cut' }),
    obstacle: (format, stage) => {
      const good = granted(stage, format, NO_REQUEST);
      const half = good.body.slice(0, good.body.length / 2);
      return format.mayAdmit({ ...good, body: half }) ? NO_HALF : undefined;
    },
  },
  always('lost', 'The connection breaks before the answer.', { kind: 'lost' }),
  onceThenGood('lost-once', 'The first answer is lost; a second request is answered.', (good) => ({
    ...good,
    delivery: { kind: 'lost' },
  })),
  onceThenGood('failed-once', 'HTTP 500 first; a second request is answered.', () => ({
    status: 500,
    headers: { 'content-type': 'application/json' },
    body: '{"message":"Internal Server Error"}',
  })),
  {
    ...onceThenGood('limited-once', 'HTTP 429 first, with Retry-After: 1.', limitedAnswer('1')),
    kind: 'client',
  },
  {
    id: 'limited-bare',
    kind: 'client',
    play: (stage) =>
      stage.present('limited-bare', {
        hint: `HTTP 429 ${LIMITED_TIMES} times without Retry-After, then an admission.`,
        wants: ['door', 'told'],
        answer: (format, request, index) => {
          const good = granted(stage, format, request);
          return index < LIMITED_TIMES ? limitedAnswer(undefined)(good) : good;
        },
      }),
  },
];
