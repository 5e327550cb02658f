import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import type { SessionKind } from '../../law/symptom-kinds.ts';
import { headerValues, pathOf, type SeenRequest } from '../http.ts';
import { FLOOD_POSTS } from '../session.ts';
import { type DeviceCase, deviceCase, eachScene, mustOpen, mustStayShut } from './device-case.ts';
import { ADMITTING_SCENES, type SessionResults } from './session-results.ts';

const RETRY_AFTER_MS = 2000;
/** Clocks and timers of the two sides differ a little, more so where a machine is busy. */
const TIMER_OFF_MS = 0.05 * RETRY_AFTER_MS;
const WAIT_MS_MIN = 50;
const GROWTH_MIN = 1.2;
/** A person who is refused tries again at once; a device that floods the server is not one. */
const POSTS_MAX = 3;
/** A program may repeat once what is final. */
const FINAL_POSTS_MAX = 2;
/** Answers that come whole, at once or in pieces. */
const ARRIVED: readonly string[] = ['whole', 'slow', 'chunked', 'closed'];
const REFUSED = ['denied-limited', 'denied-refusedKey'];
/** Answers that leave open whether a use was taken: each further post may take one more. */
const LEFT_OPEN = ['denied-failed', 'lost', 'no-answer', 'cut'];

/** @throws Deviation when a card was posted more often */
function atMost(count: number, posts: readonly SeenRequest[]): void {
  if (posts.length <= count) return;
  const expected = count === 1 ? 'one request' : `at most ${count} requests`;
  throw new Deviation(expected, `${posts.length} requests`, posts.at(-1));
}

function mustPostOnce(results: SessionResults): void {
  for (const scene of ['granted', 'denied-exhausted']) atMost(1, results.posted(scene));
  for (const name of results.plain) {
    const posts = results.posts(name);
    const [first] = posts;
    if (first && results.isAnsweredInTime(first)) atMost(1, posts);
  }
}

function mustNotFlood(results: SessionResults): void {
  for (const scene of Object.keys(results.record.presentations)) {
    const posts = results.posts(scene);
    if (posts.length < FLOOD_POSTS) continue;
    const observed = `${posts.length} requests for one card, until the scene was ended`;
    throw new Deviation('a device that stops by itself', observed, posts.at(-1), {
      level: 'stated',
    });
  }
  eachScene(results.played([...LEFT_OPEN, ...REFUSED]), (scene) => {
    const posts = results.posted(scene);
    if (!LEFT_OPEN.includes(scene)) return atMost(POSTS_MAX, posts);
    if (posts.length <= POSTS_MAX) return;
    throw new Deviation(`at most ${POSTS_MAX} requests`, `${posts.length} requests`, posts.at(-1), {
      cause: 'Whether a use was taken is open after such an answer: each post may take one more.',
      level: 'stated',
      isDangerous: true,
    });
  });
}

const DEVICE_CASES: readonly DeviceCase[] = [
  deviceCase('3.2/device-posts-once', {
    isTimed: true,
    isDangerous: true,
    requirement: 'A card that is presented once is posted once: each post of it costs a use.',
    scenes: [...ADMITTING_SCENES, 'slow', 'in-time', 'denied-exhausted'],
    run: mustPostOnce,
  }),
  deviceCase('3.2/device-posts-again', {
    requirement: 'A card that is presented again after the anti-repeat time is posted again.',
    level: 'observed',
    scenes: ['again'],
    cause: 'Re-entry and cards with several uses need it.',
    buildsOn: ['4.6/device-admits-after-denial'],
    run(results) {
      if (results.posts('again').length > 0) return;
      throw new Deviation('a request with the card', 'none arrived');
    },
  }),
  deviceCase('3.2/device-posts-after-failure', {
    requirement:
      'Reported: how often a card is posted when its answer is lost, missing or HTTP 500.',
    level: 'unstated',
    scenes: ['lost', 'no-answer', 'denied-failed'],
    run(results) {
      const count = (scene: string): number => results.posted(scene).length;
      return `lost: ${count('lost')}, no answer: ${count('no-answer')}, HTTP 500: ${count('denied-failed')}`;
    },
  }),
  deviceCase('8/device-does-not-flood', {
    requirement: `A card is posted at most ${POSTS_MAX} times when it is refused or its answer is lost; more posts fail where each may take a use, and posts without end always.`,
    level: 'observed',
    scenes: [...LEFT_OPEN, ...REFUSED],
    cause: 'Many doors that repeat without a pause keep each other out.',
    run: mustNotFlood,
  }),
];

function consumes(posts: readonly SeenRequest[]): SeenRequest[] {
  return posts.filter((one) => pathOf(one).endsWith('/consume'));
}

const THE_WAIT: readonly SessionKind[] = ['the wait after HTTP 429'];
/** The scene with several HTTP 429 in a row. */
const BARE = 'limited-bare';

interface Pause {
  readonly ms: number;
  readonly next: SeenRequest;
}

function pausesBetween(posts: readonly SeenRequest[]): Pause[] {
  return posts.slice(1).flatMap((next, index) => {
    const answer = posts[index]?.answer;
    return answer?.status === 429 ? [{ ms: Math.round(next.atMs - answer.atMs), next }] : [];
  });
}

/** The pauses after each HTTP 429, milliseconds since that answer was written, with the request that ended them. */
function pausesAfter429(results: SessionResults, scene: string) {
  const posts = results.posted(scene);
  const pauses = pausesBetween(posts);
  if (pauses.length > 0) return pauses;
  throw new Deviation('another request', 'none', posts[0], {
    cause: 'The program gives up after HTTP 429.',
    // section 7.2 says that it should repeat the request
    level: 'observed',
    fields: THE_WAIT,
  });
}

/** Section 7.2 says that it should wait, so a short wait is a warning; who repeats at once each time keeps the limit exceeded for others. */
function tooSoon(
  results: SessionResults,
  expected: string,
  { ms, next }: Pause,
): Deviation<SeenRequest> {
  if (!hammers(results))
    return new Deviation(expected, `${ms} ms`, next, { level: 'observed', fields: THE_WAIT });
  return new Deviation(expected, `${ms} ms, and again at once each time`, next, {
    cause:
      'It repeats at once as often as it is refused: no gate with this key gets below the limit.',
    fields: THE_WAIT,
  });
}

function hammers(results: SessionResults): boolean {
  if (results.played([BARE]).length === 0) return false;
  const posts = results.posts(BARE);
  const pauses = pausesBetween(posts);
  return pauses.length > 1 && pauses.every(({ ms }) => ms < WAIT_MS_MIN);
}

function nameOf(request: SeenRequest): string | undefined {
  return headerValues(request, 'idempotency-key')[0];
}

/** A second consume is safe with the same Idempotency-Key, or after a validate that says that the ticket still admits. */
function unsafeRepeat(posts: readonly SeenRequest[]): SeenRequest | undefined {
  let before: SeenRequest | undefined;
  for (const one of posts) {
    if (!pathOf(one).endsWith('/consume')) {
      if (saysValid(one)) before = undefined;
      continue;
    }
    if (before && (nameOf(one) === undefined || nameOf(one) !== nameOf(before))) return one;
    before = one;
  }
  return undefined;
}

function saysValid({ answer }: SeenRequest): boolean {
  if (answer?.status !== 200 || !ARRIVED.includes(answer.how)) return false;
  const result = parsedJson(answer.body);
  return isRecord(result) && result['valid'] === true;
}

function mustRepeatSafely(results: SessionResults, scene: string): string {
  const posts = results.posted(scene);
  if (consumes(posts).length === 0) throw new Inconclusive('the program consumed nothing', true);
  const request = unsafeRepeat(posts);
  if (!request) return consumes(posts).length > 1 ? 'repeated safely' : 'not repeated';
  const isNamed = nameOf(request) !== undefined;
  throw new Deviation(
    'no second consume, or one with the same Idempotency-Key, or after a validate with valid true',
    isNamed ? 'a second consume with another Idempotency-Key' : 'a second consume',
    request,
    {
      cause: isNamed
        ? 'Each try has an Idempotency-Key of its own.'
        : 'The repeat has no Idempotency-Key. HTTP libraries may repeat POST by themselves.',
    },
  );
}

function mustOpenOnConsume(results: SessionResults, scene: string): void {
  const posts = results.posted(scene);
  if (!results.opened(scene)) return;
  if (consumes(posts).some(saysValid) || !posts.some(saysValid)) return;
  throw new Deviation(
    'POST /scan/consume with valid true, and then the gate opens',
    'it opened after a validate',
    posts.at(-1),
  );
}

function mustUseNewNames(results: SessionResults): void {
  const names = ['granted', 'again', 'chunked'].flatMap((scene) => {
    const name = consumes(results.posts(scene)).map(nameOf)[0];
    return name === undefined ? [] : [name];
  });
  if (names.length === 0) throw new Inconclusive('the program sends no Idempotency-Key', true);
  if (new Set(names).size === names.length) return;
  const isFixed = new Set(names).size === 1;
  throw new Deviation(
    'different ones',
    'the same one for two presentations',
    results.posts('again').at(-1),
    {
      cause: isFixed
        ? 'One Idempotency-Key serves for everything.'
        : 'The Idempotency-Key is made from the code.',
    },
  );
}

const CLIENT_CASES: readonly DeviceCase[] = [
  deviceCase('3.2/client-consumes-once', {
    isDangerous: true,
    requirement: 'One code is consumed once: each consume costs a use.',
    scenes: ['granted', 'denied-exhausted'],
    run(results) {
      for (const scene of ['granted', 'denied-exhausted'])
        atMost(1, consumes(results.posted(scene)));
    },
  }),
  deviceCase('3.2/client-retries-lost-safely', {
    isDangerous: true,
    requirement:
      'A consume whose answer is lost is never repeated in a way that can take a second use.',
    scenes: ['lost-once', 'no-answer'],
    run: (results) =>
      ['lost-once', 'no-answer'].map((scene) => mustRepeatSafely(results, scene)).join(', '),
  }),
  deviceCase('4.6/client-consumes', {
    isDangerous: true,
    requirement: 'The gate opens after a consume that says valid true, not after a validate alone.',
    level: 'observed',
    scenes: [...ADMITTING_SCENES, 'lost-once'],
    cause: 'A validate takes no use: one ticket then admits any number of people.',
    buildsOn: ['3.2/client-used-meanwhile'],
    run(results) {
      for (const scene of ['granted', 'lost-once']) mustOpenOnConsume(results, scene);
      for (const name of results.plain) {
        const posts = results.posts(name);
        const hasConsumed = consumes(posts).length > 0;
        if (results.presentation(name).seen.opened && posts.length > 0 && !hasConsumed)
          mustOpenOnConsume(results, name);
      }
    },
  }),
  deviceCase('3.2/client-used-meanwhile', {
    isDangerous: true,
    requirement:
      'When the answer to a consume is lost, and validate or consume then say that the ticket is used up, the gate stays shut and nothing is consumed anew.',
    scenes: ['used-meanwhile'],
    run(results) {
      const said = mustRepeatSafely(results, 'used-meanwhile');
      // One that opens without any answer is judged by the cases on that.
      if (results.posts('used-meanwhile').length > 1) mustStayShut(results, 'used-meanwhile');
      return said;
    },
  }),
  deviceCase('3.2/client-retries-500-safely', {
    isDangerous: true,
    requirement:
      'After HTTP 500 it is unknown whether a use was taken: a repeat must not take a second one.',
    scenes: ['failed-once'],
    run: (results) => mustRepeatSafely(results, 'failed-once'),
  }),
  deviceCase('3.2/client-new-idempotency-key', {
    requirement:
      'Each presentation has an Idempotency-Key of its own, also when it is the same card.',
    level: 'observed',
    scenes: ['granted', 'again', 'chunked'],
    run: mustUseNewNames,
  }),
  deviceCase('7.2/client-waits-on-429', {
    isTimed: true,
    requirement: 'After HTTP 429 the program waits, as long as Retry-After says, and tries again.',
    scenes: ['limited-once', BARE],
    buildsOn: ['3.2/client-consumes-once'],
    states: ['the wait after HTTP 429'],
    run(results) {
      const [pause] = pausesAfter429(results, 'limited-once');
      if (!pause || pause.ms + TIMER_OFF_MS >= RETRY_AFTER_MS) return `${pause?.ms} ms`;
      throw tooSoon(results, '2 s (Retry-After: 2)', pause);
    },
  }),
  deviceCase('7.2/client-opens-after-429', {
    requirement: 'When the request after the wait is answered with valid true, the gate opens.',
    scenes: ['limited-once'],
    run(results) {
      if (results.posted('limited-once').length < 2)
        throw new Inconclusive('the program did not try again');
      mustOpen(results, 'limited-once');
    },
  }),
  deviceCase('7.2/client-waits-without-retry-after', {
    isTimed: true,
    requirement: 'After HTTP 429 without Retry-After the program waits, too, and tries again.',
    scenes: ['limited-bare'],
    run(results) {
      const pauses = pausesAfter429(results, 'limited-bare');
      const [shortest] = pauses.toSorted((one, other) => one.ms - other.ms);
      if (!shortest || shortest.ms >= WAIT_MS_MIN) return;
      throw tooSoon(results, `at least ${WAIT_MS_MIN} ms`, shortest);
    },
  }),
  deviceCase('7.2/client-backs-off', {
    isTimed: true,
    requirement: 'Each further HTTP 429 makes the program wait longer, ideally exponentially.',
    level: 'observed',
    scenes: ['limited-bare'],
    cause: 'Many gates that were refused together come back together.',
    run(results) {
      const pauses = pausesAfter429(results, 'limited-bare');
      const [first, last] = [pauses[0]?.ms ?? 0, pauses.at(-1)?.ms ?? 0];
      if (pauses.length < 2) throw new Inconclusive('the program tried at most twice', true);
      const all = `${pauses.map(({ ms }) => ms).join(', ')} ms`;
      if (last >= GROWTH_MIN * first) return all;
      throw new Deviation('growing pauses', all, pauses.at(-1)?.next);
    },
  }),
  finalCase('5/client-accepts-401', 'HTTP 401 is', ['denied-refusedKey']),
  finalCase('7.1/client-accepts-4xx', 'HTTP 400, 403 and 404 are', [
    'denied-unreadable',
    'denied-outOfScope',
    'denied-unknown',
  ]),
];

function finalCase(id: string, statuses: string, scenes: readonly string[]): DeviceCase {
  return deviceCase(id, {
    requirement: `${statuses} final: the program does not repeat the request.`,
    level: 'observed',
    scenes,
    cause: 'The answer stays the same, while the person waits.',
    run: (results) =>
      eachScene(results.played(scenes), (scene) => {
        const posts = results.posted(scene);
        if (posts.length > FINAL_POSTS_MAX) atMost(1, posts);
      }),
  });
}

/** Cases on how often a card is sent, and on what client software does when an answer is missing or it is asked to wait. */
export const REPEAT_CASES: readonly DeviceCase[] = [...DEVICE_CASES, ...CLIENT_CASES];
