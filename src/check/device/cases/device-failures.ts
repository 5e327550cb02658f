import { FLOOD_POSTS } from '../stage.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import type { DeviceCase } from './device-case.ts';
import {
  admitsNobody,
  followsFailMode,
  mustFollowFailMode,
  opens,
  remembersNoAdmission,
  stillOpens,
} from './door.ts';
import { known, NotShown, SubjectDeviation } from './facts.ts';
import { ADMITTING_SCENES, isAnsweredInTime, plainPresentations } from './presentations.ts';

const DEVICE = { level: 'stated', kind: 'device', endpoint: 'hw/consume' } as const;
/** Section 7.3: at least 3 s are advised. */
const ADVISED_WAIT_MS = 3000;
/** A person who is refused tries again at once; a device that floods the server is not one. */
const POSTS_MAX = 3;

const TELLING = ['no-answer', 'lost', 'unreachable'] as const;

function postedOften(posts: readonly SeenRequest[]): SubjectDeviation {
  return new SubjectDeviation('one request', `${posts.length} requests`, posts.at(-1));
}

/** Cases on answers that are late, broken or missing. */
export const DEVICE_FAILURE_CASES: readonly DeviceCase[] = [
  followsFailMode({
    id: '7.3/device-no-answer',
    kind: 'device',
    scenes: ['no-answer'],
    requirement: 'Without an answer the door does what the device is set to (--fail-mode).',
    cause: 'The setting for "server offline" is to open. Set it as the venue wants it.',
  }),
  {
    ...DEVICE,
    id: '7.3/device-late-grant',
    level: 'observed',
    scenes: ['late'],
    requirement: 'An admission that comes after the Wait Time does not open the door.',
    cause:
      'The device reads the answer whenever it comes: the door then opens for the next person.',
    judge(facts) {
      if (facts.settings.failMode === 'safe')
        throw new NotShown('the door opens without an answer', true);
      if (!facts.opened('late')) return;
      const request = facts.posts('late').at(-1);
      const observed = `it opened; the Wait Time is ${facts.settings.waitTimeMs / 1000} s`;
      throw new SubjectDeviation('the door stays shut', observed, request);
    },
  },
  opens({
    id: '7.3/device-waits',
    kind: 'device',
    level: 'observed',
    scenes: ['in-time'],
    requirement: 'The device waits for an answer as long as its Wait Time says.',
    cause: 'The Wait Time is in units of 0.1 s; another unit was assumed, or it is not stored.',
  }),
  {
    ...DEVICE,
    id: '7.3/device-wait-time',
    level: 'observed',
    scenes: ['granted'],
    requirement: 'The Wait Time is at least 30 (3 s), and 50 (5 s) on unstable networks.',
    cause:
      'A short Wait Time leaves people in front of a shut door when a server starts after idle time.',
    judge({ settings: { waitTimeMs } }) {
      if (waitTimeMs >= ADVISED_WAIT_MS) return `${waitTimeMs / 100}`;
      throw new SubjectDeviation('at least 30', `${waitTimeMs / 100}`);
    },
  },
  opens({
    id: '7.3/device-slow-answer',
    kind: 'device',
    level: 'observed',
    scenes: ['slow'],
    requirement: 'An answer that comes in pieces, within the Wait Time, is read to its end.',
    cause: 'The firmware reads once and takes what it got for the whole answer.',
  }),
  admitsNobody({
    id: '7.1/device-cut-answer',
    kind: 'device',
    scenes: ['cut'],
    requirement: 'An answer that ends in the middle is no answer.',
    cause:
      'The firmware searches the text for AcsRes "1" and does not look whether it is complete.',
  }),
  followsFailMode({
    id: '7.1/device-lost-answer',
    kind: 'device',
    scenes: ['lost'],
    requirement:
      'When the connection breaks before the answer, the door does what the device is set to.',
    cause:
      'A broken connection is taken for an admission, or for "offline" with the door set to open.',
  }),
  admitsNobody({
    id: '4.3/device-malformed-answer',
    kind: 'device',
    scenes: ['malformed', 'empty'],
    requirement: 'An answer that cannot be read admits nobody.',
    cause: 'The firmware searches the text of the answer and does not read it as a whole.',
  }),
  admitsNobody({
    id: '4.3/device-web-page',
    kind: 'device',
    scenes: ['web-page', 'gateway', 'redirect', 'redirect-kept'],
    requirement: 'The web page of a proxy or portal, or a redirect to one, admits nobody.',
    cause: 'Any HTTP 200, or any text with a 1 in it, is taken for an admission.',
  }),
  {
    ...DEVICE,
    id: '7.3/device-unreachable',
    scenes: ['unreachable'],
    requirement: 'While the server cannot be reached, the door does what the device is set to.',
    cause: 'The setting for "server offline" is to open. Set it as the venue wants it.',
    judge: (facts) => mustFollowFailMode(facts, 'unreachable', false),
  },
  remembersNoAdmission({
    id: '7.3/device-remembers-no-admission',
    kind: 'device',
    scenes: ['known-no-answer', 'known-unreachable'],
    requirement: 'Without an answer the door stays shut also for a card that was admitted before.',
    cause: 'The device keeps the cards that were admitted, and opens for them while it is offline.',
  }),
  {
    ...DEVICE,
    id: '7.3/device-tells-failure',
    level: 'observed',
    scenes: [...TELLING],
    requirement: 'When no answer comes, the device tells the person: by a red light or a text.',
    cause: 'The device shows nothing, and people hold their card in front of it again and again.',
    judge(facts) {
      if (facts.settings.failMode === 'safe')
        throw new NotShown('the door opens without an answer', true);
      for (const scene of TELLING) {
        if (known(facts.seen(scene).sight.told, 'nobody saw what the device showed')) continue;
        throw new SubjectDeviation('a red light or a text', 'nothing', facts.posts(scene).at(-1));
      }
    },
  },
  stillOpens({
    id: '4.3/device-closed-connection',
    kind: 'device',
    level: 'observed',
    scenes: ['after-closed'],
    requirement: 'After the server closed the connection, the next card is sent over a new one.',
    cause: 'The firmware writes to the closed connection once, and drops the card.',
  }),
  {
    ...DEVICE,
    id: '3.2/device-posts-once',
    scenes: [...ADMITTING_SCENES, 'slow', 'in-time', 'denied-exhausted'],
    inParts: true,
    requirement: 'A card that is presented once is posted once: each post of it costs a use.',
    cause:
      'The reader reads the code again while it is still in front of it; raise its anti-repeat time.',
    judge(facts) {
      for (const scene of ['granted', 'denied-exhausted']) {
        const posts = facts.posted(scene);
        if (posts.length > 1) throw postedOften(posts);
      }
      for (const name of plainPresentations(facts)) {
        const posts = facts.posts(name);
        const [first] = posts;
        if (first && posts.length > 1 && isAnsweredInTime(first, facts.settings))
          throw postedOften(posts);
      }
    },
  },
  {
    ...DEVICE,
    id: '3.2/device-posts-again',
    level: 'observed',
    scenes: ['again'],
    requirement: 'A card that is presented again after the anti-repeat time is posted again.',
    cause: 'The device remembers cards for too long: re-entry and multi-use cards need it.',
    judge(facts) {
      if (facts.posts('again').length > 0) return;
      throw new SubjectDeviation('a request with the card', 'none arrived');
    },
  },
  {
    ...DEVICE,
    id: '3.2/device-posts-after-failure',
    level: 'unstated',
    scenes: ['lost', 'no-answer', 'denied-failed'],
    requirement:
      'Reported: how often a card is posted when its answer is lost, missing or HTTP 500.',
    cause: 'Each post may take a use. Without a second one the person presents the card again.',
    judge(facts) {
      const count = (scene: string): number => facts.posted(scene).length;
      return `lost: ${count('lost')}, no answer: ${count('no-answer')}, HTTP 500: ${count('denied-failed')}`;
    },
  },
  {
    ...DEVICE,
    id: '8/device-does-not-flood',
    level: 'observed',
    scenes: ['denied-limited', 'denied-refusedKey', 'denied-failed', 'lost'],
    requirement: `A card is posted at most ${POSTS_MAX} times when it is refused or its answer is lost; posts without end fail.`,
    cause: 'The firmware repeats without a pause: many doors that do so keep each other out.',
    judge(facts) {
      for (const scene of Object.keys(facts.record.observations)) {
        const posts = facts.posts(scene);
        if (posts.length >= FLOOD_POSTS)
          throw new SubjectDeviation(
            'a device that stops by itself',
            `${posts.length} requests for one card, until the scene was ended`,
            posts.at(-1),
            'stated',
          );
      }
      for (const scene of ['denied-limited', 'denied-refusedKey', 'denied-failed', 'lost']) {
        const posts = facts.posted(scene);
        if (posts.length > POSTS_MAX)
          throw new SubjectDeviation(
            `at most ${POSTS_MAX} requests`,
            `${posts.length} requests`,
            posts.at(-1),
          );
      }
    },
  },
];
