import { NO_REQUEST } from '../formats/format.ts';
import type { Answer } from '../wire/answer.ts';
import { pathOf } from '../wire/seen-request.ts';
import { withMembers } from './members.ts';
import type { Scene } from './scene.ts';
import { granted, sceneOf } from './turn.ts';

/** How much later than the Wait Time a late answer comes, and when in it a patient device still gets one. */
const LATE_BY = 0.3;
const IN_TIME = 0.7;
const LIMITED_TIMES = 3;
/** The number of Wait Times after which a missing answer is final. */
const NO_ANSWER_WAITS = 1.2;
const NO_HALF = 'the device file does not say that the body of an admission matters';

const LOST = { kind: 'lost' } as const;
const TOLD = ['door', 'told'] as const;

/** The bare 429: no Retry-After, so that the client has to choose its own time. */
function limited(headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status: 429,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"message":"Too Many Requests"}',
  };
}

const FAILED: Answer = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"Internal Server Error"}',
};

/** A single ticket that kept its use when the consume was lost: a validate shows that a second consume is safe. */
function stillUnused(good: Answer): Answer {
  return withMembers(good, {
    ticketType: 'single',
    usesAllowed: 1,
    usesConsumed: 0,
    usesRemaining: 1,
  });
}

/** Scenes in which answers are late, broken or missing. */
export const FAILURE_SCENES: readonly Scene[] = [
  sceneOf({
    id: 'in-time',
    kind: 'device',
    hint: 'The answer comes shortly before the Wait Time ends.',
    answer: (good, { stage }) => ({
      ...good,
      delivery: { kind: 'late', ms: stage.settings.waitTimeMs * IN_TIME },
    }),
  }),
  sceneOf({
    id: 'late',
    hint: 'An admission comes after the Wait Time.',
    wants: TOLD,
    atLeastMs: ({ waitTimeMs, reactionMs }) => waitTimeMs * (1 + LATE_BY) + reactionMs,
    answer: (good, { stage }) => ({
      ...good,
      delivery: { kind: 'late', ms: stage.settings.waitTimeMs * (1 + LATE_BY) },
    }),
  }),
  sceneOf({
    id: 'no-answer',
    hint: 'The server never answers.',
    wants: TOLD,
    atLeastMs: ({ waitTimeMs }) => NO_ANSWER_WAITS * waitTimeMs,
    answer: (good) => ({ ...good, delivery: { kind: 'never' } }),
  }),
  sceneOf({
    id: 'known-no-answer',
    again: 'granted',
    hint: 'The card of the first step once more. The server never answers.',
    atLeastMs: ({ waitTimeMs }) => NO_ANSWER_WAITS * waitTimeMs,
    answer: (good) => ({ ...good, delivery: { kind: 'never' } }),
  }),
  sceneOf({
    id: 'cut',
    obstacle: (format, stage) => {
      const good = granted(stage, format, NO_REQUEST);
      const half = good.body.slice(0, good.body.length / 2);
      return format.mayAdmit({ ...good, body: half }) ? NO_HALF : undefined;
    },
    hint: 'The answer ends in the middle.',
    wants: TOLD,
    answer: (good) => ({ ...good, delivery: { kind: 'cut' } }),
  }),
  sceneOf({
    id: 'lost',
    hint: 'The connection breaks before the answer.',
    wants: TOLD,
    answer: (good) => ({ ...good, delivery: LOST }),
  }),
  sceneOf({
    id: 'lost-once',
    hint: 'The first answer is lost; a second request is answered.',
    wants: TOLD,
    answer(good, { request, index }) {
      if (index === 0) return { ...good, delivery: LOST };
      return pathOf(request) === '/scan/validate' ? stillUnused(good) : good;
    },
  }),
  sceneOf({
    id: 'used-meanwhile',
    kind: 'client',
    hint: 'The ticket is used up, but the answer to the first consume is lost.',
    wants: TOLD,
    answer(good, { stage, format, request }) {
      const earlier = stage.consumesOfTurn - (pathOf(request).endsWith('/consume') ? 1 : 0);
      if (earlier > 0) return format.denial('exhausted', request);
      return stage.consumesOfTurn > 0 ? { ...good, delivery: LOST } : good;
    },
  }),
  sceneOf({
    id: 'failed-once',
    hint: 'HTTP 500 first; a second request is answered.',
    wants: TOLD,
    answer: (good, { index }) => (index === 0 ? FAILED : good),
  }),
  sceneOf({
    id: 'limited-once',
    kind: 'client',
    hint: 'HTTP 429 first, with Retry-After: 2.',
    wants: TOLD,
    answer: (good, { index }) => (index === 0 ? limited({ 'retry-after': '2' }) : good),
  }),
  sceneOf({
    id: 'limited-bare',
    kind: 'client',
    hint: `HTTP 429 ${LIMITED_TIMES} times without Retry-After, then an admission.`,
    wants: TOLD,
    answer: (good, { index }) => (index < LIMITED_TIMES ? limited() : good),
  }),
];
