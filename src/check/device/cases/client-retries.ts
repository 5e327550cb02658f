import { isRecord, parsedJson } from '../../facts/json.ts';
import { headerValues, pathOf, type SeenRequest } from '../wire/seen-request.ts';
import type { DeviceCase } from './device-case.ts';
import { mustOpen, mustStayShut } from './door.ts';
import { type Facts, NotShown, SubjectDeviation } from './facts.ts';
import { silentAfterOutage } from './outage.ts';
import { ADMITTING_SCENES, plainPresentations } from './presentations.ts';

const CLIENT = { level: 'stated', kind: 'client', endpoint: 'consume' } as const;
const RETRY_AFTER_MS = 2000;
/** Clocks and timers of the two sides differ a little, more so where a machine is busy. */
const TIMER_OFF_MS = 0.05 * RETRY_AFTER_MS;
const WAIT_MS_MIN = 50;
const GROWTH_MIN = 1.2;
/** Answers that come whole, at once or in pieces. */
const ARRIVED: readonly string[] = ['whole', 'slow', 'chunked', 'closed'];
const FINAL = ['denied-unreadable', 'denied-outOfScope', 'denied-unknown'] as const;

function consumes(posts: readonly SeenRequest[]): SeenRequest[] {
  return posts.filter((one) => pathOf(one).endsWith('/consume'));
}

/** The pauses after each HTTP 429, milliseconds since that answer was written, with the request that ended them. */
function pausesAfter429(posts: readonly SeenRequest[]): { ms: number; next: SeenRequest }[] {
  return posts.slice(1).flatMap((next, index) => {
    const answer = posts[index]?.answer;
    return answer?.status === 429 ? [{ ms: next.atMs - answer.atMs, next }] : [];
  });
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

function mustRepeatSafely(facts: Facts, scene: string): string {
  const posts = facts.posted(scene);
  if (consumes(posts).length === 0) throw new NotShown('the program consumed nothing', true);
  const unsafe = unsafeRepeat(posts);
  if (!unsafe) return consumes(posts).length > 1 ? 'repeated safely' : 'not repeated';
  throw new SubjectDeviation(
    'no second consume, or one with the same Idempotency-Key, or after a validate with valid true',
    nameOf(unsafe) === undefined
      ? 'a second consume'
      : 'a second consume with another Idempotency-Key',
    unsafe,
  );
}

function mustOpenOnConsume(facts: Facts, scene: string): void {
  if (!facts.opened(scene)) return;
  const posts = facts.posts(scene);
  if (consumes(posts).some(saysValid) || !posts.some(saysValid)) return;
  throw new SubjectDeviation(
    'POST /scan/consume with valid true, and then the gate opens',
    'it opened after a validate',
    posts.at(-1),
  );
}

/** Cases on what client software does when an answer is missing, or the server asks it to wait. */
export const CLIENT_RETRY_CASES: readonly DeviceCase[] = [
  {
    ...CLIENT,
    id: '3.2/client-consumes-once',
    scenes: ['granted', 'denied-exhausted'],
    requirement: 'One code is consumed once: each consume costs a use.',
    cause: 'An event handler runs twice, or the scanner sends each line twice.',
    judge(facts) {
      for (const scene of ['granted', 'denied-exhausted']) {
        const posts = consumes(facts.posted(scene));
        if (posts.length > 1)
          throw new SubjectDeviation('one consume', `${posts.length} requests`, posts.at(-1));
      }
    },
  },
  {
    ...CLIENT,
    id: '3.2/client-retries-lost-safely',
    scenes: ['lost-once', 'no-answer'],
    requirement:
      'A consume whose answer is lost is never repeated in a way that can take a second use.',
    cause:
      'The HTTP library repeats POST by itself, or the program repeats without an Idempotency-Key.',
    judge: (facts) =>
      ['lost-once', 'no-answer'].map((scene) => mustRepeatSafely(facts, scene)).join(', '),
  },
  {
    ...CLIENT,
    id: '4.6/client-consumes',
    level: 'observed',
    scenes: [...ADMITTING_SCENES, 'lost-once'],
    requirement: 'The gate opens after a consume that says valid true, not after a validate alone.',
    cause:
      'The program asks validate only, or takes its answer for an admission: one ticket then admits any number of people.',
    judge(facts) {
      for (const scene of ['granted', 'lost-once']) mustOpenOnConsume(facts, scene);
      for (const name of plainPresentations(facts)) {
        const posts = facts.posts(name);
        const hasConsumed = consumes(posts).length > 0;
        if (facts.seen(name).sight.opened && posts.length > 0 && !hasConsumed)
          mustOpenOnConsume(facts, name);
      }
    },
  },
  {
    ...CLIENT,
    id: '3.2/client-used-meanwhile',
    scenes: ['used-meanwhile'],
    requirement:
      'When the answer to a consume is lost, and validate or consume then say that the ticket is used up, the gate stays shut and nothing is consumed anew.',
    cause: 'The program asks again, and does not look at what the answer says.',
    judge(facts) {
      const said = mustRepeatSafely(facts, 'used-meanwhile');
      // One that opens without any answer is judged by the cases on that.
      if (facts.posts('used-meanwhile').length === 1) return said;
      mustStayShut(facts, 'used-meanwhile');
      return said;
    },
  },
  {
    ...CLIENT,
    id: '3.2/client-retries-500-safely',
    scenes: ['failed-once'],
    requirement:
      'After HTTP 500 it is unknown whether a use was taken: a repeat must not take a second one.',
    cause: 'The program repeats without an Idempotency-Key, or with a new one for each try.',
    judge: (facts) => mustRepeatSafely(facts, 'failed-once'),
  },
  {
    ...CLIENT,
    id: '3.2/client-new-idempotency-key',
    level: 'observed',
    scenes: ['granted', 'again', 'chunked'],
    requirement:
      'Each presentation has an Idempotency-Key of its own, also when it is the same card.',
    cause:
      'The Idempotency-Key is made from the code or once at the start: a person who comes again gets the old answer.',
    judge(facts) {
      const names = ['granted', 'again', 'chunked'].flatMap((scene) => {
        const name = consumes(facts.posts(scene)).map(nameOf)[0];
        return name === undefined ? [] : [name];
      });
      if (names.length === 0) throw new NotShown('the program sends no Idempotency-Key', true);
      if (new Set(names).size === names.length) return;
      const request = facts.posts('again').at(-1);
      throw new SubjectDeviation('different ones', 'the same one for two presentations', request);
    },
  },
  {
    ...CLIENT,
    id: '7.2/client-waits-on-429',
    scenes: ['limited-once'],
    requirement: 'After HTTP 429 the program waits, as long as Retry-After says, and tries again.',
    cause: 'The program gives up, repeats at once, or reads Retry-After as milliseconds.',
    judge(facts) {
      const posts = facts.posted('limited-once');
      const [pause] = pausesAfter429(posts);
      if (pause === undefined) throw new SubjectDeviation('another request', 'none', posts[0]);
      const said = `${Math.round(pause.ms)} ms`;
      if (pause.ms + TIMER_OFF_MS >= RETRY_AFTER_MS) return said;
      throw new SubjectDeviation('2 s (Retry-After: 2)', said, pause.next);
    },
  },
  {
    ...CLIENT,
    id: '7.2/client-opens-after-429',
    scenes: ['limited-once'],
    requirement: 'When the request after the wait is answered with valid true, the gate opens.',
    cause: 'The program repeats the request and forgets the person.',
    judge(facts) {
      if (facts.posted('limited-once').length < 2)
        throw new NotShown('the program did not try again');
      mustOpen(facts, 'limited-once');
    },
  },
  {
    ...CLIENT,
    id: '7.2/client-waits-without-retry-after',
    scenes: ['limited-bare'],
    requirement: 'After HTTP 429 without Retry-After the program waits, too, and tries again.',
    cause: 'The program waits only where the header is given.',
    judge(facts) {
      const posts = facts.posted('limited-bare');
      const [shortest] = pausesAfter429(posts).toSorted((one, other) => one.ms - other.ms);
      if (shortest === undefined) throw new SubjectDeviation('another request', 'none', posts[0]);
      if (shortest.ms >= WAIT_MS_MIN) return;
      throw new SubjectDeviation(
        `at least ${WAIT_MS_MIN} ms`,
        `${Math.round(shortest.ms)} ms`,
        shortest.next,
      );
    },
  },
  {
    ...CLIENT,
    id: '7.2/client-backs-off',
    level: 'observed',
    scenes: ['limited-bare'],
    requirement: 'Each further HTTP 429 makes the program wait longer, ideally exponentially.',
    cause: 'The pause is constant: many gates that were refused together come back together.',
    judge(facts) {
      const posts = facts.posted('limited-bare');
      const all = pausesAfter429(posts).map(({ ms }) => Math.round(ms));
      const [first, last] = [all[0], all.at(-1)];
      if (first === undefined || last === undefined || all.length < 2)
        throw new NotShown('the program tried at most twice', true);
      if (last >= GROWTH_MIN * first) return `${all.join(', ')} ms`;
      throw new SubjectDeviation('growing pauses', `${all.join(', ')} ms`, posts.at(-1));
    },
  },
  {
    ...CLIENT,
    id: '5/client-accepts-401',
    level: 'observed',
    scenes: ['denied-refusedKey'],
    requirement: 'HTTP 401 is final: the program does not repeat the request.',
    cause: 'Every error is repeated; a refused key stays refused.',
    judge(facts) {
      const posts = facts.posted('denied-refusedKey');
      if (posts.length <= 2) return;
      throw new SubjectDeviation('one request', `${posts.length} requests`, posts.at(-1));
    },
  },
  {
    ...CLIENT,
    id: '7.1/client-accepts-4xx',
    level: 'observed',
    scenes: [...FINAL],
    requirement: 'HTTP 400, 403 and 404 are final: the program does not repeat the request.',
    cause: 'Every status but 200 is repeated, while the person waits.',
    judge(facts) {
      for (const scene of FINAL) {
        const posts = facts.posted(scene);
        if (posts.length > 2)
          throw new SubjectDeviation('one request', `${posts.length} requests`, posts.at(-1));
      }
    },
  },
  silentAfterOutage('client'),
  {
    ...CLIENT,
    id: '3.2/client-comes-back',
    level: 'observed',
    scenes: ['unreachable'],
    requirement: 'When the server can be reached again, the program works without a restart.',
    cause: 'The program ended, or keeps a broken connection.',
    judge(facts) {
      facts.seen('back');
      if (facts.posts('back').length === 0)
        throw new SubjectDeviation('a request for the next code', 'none arrived');
      mustOpen(facts, 'back');
    },
  },
  {
    ...CLIENT,
    id: '5/client-redirect',
    level: 'observed',
    scenes: ['redirect', 'redirect-kept'],
    requirement:
      'The program does not carry its key to another address when an answer redirects it.',
    cause: 'The HTTP library follows redirects. A false server could collect the key.',
    judge(facts) {
      facts.posted('redirect');
      const carried = facts.record.requests.find(({ place }) => place === 'elsewhere');
      if (carried) throw new SubjectDeviation('no request', 'the request with the key', carried);
    },
  },
  {
    ...CLIENT,
    id: '1/client-https',
    scenes: ['certificate'],
    requirement:
      'Requests use HTTPS, and go only to a server whose certificate the program trusts.',
    cause: 'The check of certificates is off (rejectUnauthorized, verify=False).',
    judge(facts) {
      facts.seen('certificate');
      const carried = facts.record.requests.find(({ place }) => place === 'untrusted');
      if (carried) throw new SubjectDeviation('no request', 'the request with the key', carried);
      if (facts.seen('certificate').sight.opened) mustStayShut(facts, 'certificate', false);
    },
  },
];
