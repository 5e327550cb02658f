import { show } from '../../facts/json.ts';
import type { DenialKind } from '../formats/format.ts';
import { denialScene } from '../scenes/refusals.ts';
import type { DeviceCase } from './device-case.ts';
import {
  ADMITTED,
  asksEachTime,
  mustNotOpenByItself,
  mustStayShut,
  opens,
  opensEachTime,
  remembersNoAdmission,
  staysShut,
  stillOpens,
} from './door.ts';
import { type Facts, known, SubjectDeviation } from './facts.ts';

const CLIENT = { level: 'stated', kind: 'client', endpoint: 'consume' } as const;
const NO_ADMISSIONS = [
  'denied-with-time',
  'no-decision',
  'odd-decision',
  'longer-decision',
  'nested-decision',
  'true-decision',
] as const;
const TELLING = ['no-answer', 'lost', 'denied-failed', 'unreachable'] as const;

function showsMessage(
  kinds: readonly DenialKind[],
  said: Pick<DeviceCase, 'id' | 'requirement' | 'cause'>,
): DeviceCase {
  return {
    ...CLIENT,
    ...said,
    scenes: kinds.map(denialScene),
    judge(facts) {
      for (const kind of kinds)
        mustShowMessage(facts, denialScene(kind), facts.format.textOf(kind));
    },
  };
}

function mustShowMessage(facts: Facts, scene: string, message: string): void {
  const posts = facts.posted(scene);
  const shown = known(facts.seen(scene).sight.shown, 'nobody saw what the program showed');
  if (shown.some(({ name, note }) => `${name}\n${note}`.includes(message))) return;
  const observed = shown.length === 0 ? 'nothing' : shown.map(({ note }) => show(note)).join(', ');
  throw new SubjectDeviation(`it shows ${show(message)}`, observed, posts.at(-1));
}

/** Cases on what client software does with an answer. */
export const CLIENT_REACTION_CASES: readonly DeviceCase[] = [
  opensEachTime({
    id: '4.6/client-opens-on-valid',
    kind: 'client',
    scenes: ADMITTED,
    requirement: 'On valid true the program releases the gate.',
    cause: 'The program waits for a status that this operation does not have.',
  }),
  opens({
    id: '4.6/client-opens-on-last-use',
    kind: 'client',
    scenes: ['closed'],
    requirement:
      'valid true releases the gate also for a single ticket, at its last use and without a holder.',
    cause:
      'The program wants usesRemaining above 0, or reads holder, which only personalised tickets have.',
  }),
  stillOpens({
    id: '4.6/client-admits-after-denial',
    kind: 'client',
    scenes: ['denied-notYetValid', 'admitted-later'],
    opening: ['admitted-later'],
    requirement: 'A code that was denied before, and gets valid true now, releases the gate.',
    cause: 'The program keeps the codes that were denied, and does not ask for them again.',
  }),
  {
    ...CLIENT,
    id: '7.1/client-late-result',
    level: 'observed',
    scenes: ['late'],
    requirement: 'A result that comes after the program gave up does not open the gate.',
    cause:
      'The request goes on after its time is over: the gate then opens for the next person. Or the program waits for longer than --wait-time says.',
    judge(facts) {
      if (!facts.opened('late')) return;
      const observed = `it opened; --wait-time is ${facts.settings.waitTimeMs / 1000} s`;
      throw new SubjectDeviation('the gate stays shut', observed, facts.posts('late').at(-1));
    },
  },
  staysShut({
    id: '7.1/client-reads-valid',
    kind: 'client',
    scenes: ['exhausted', 'forged', 'expired', 'notYetValid'].map((kind) => `denied-${kind}`),
    requirement: 'HTTP 200 with valid false denies access.',
    cause: 'The program takes every HTTP 200 for an admission.',
  }),
  {
    ...CLIENT,
    id: '4.6/client-opens-on-true-only',
    judgesOpeningsBetween: true,
    scenes: [...NO_ADMISSIONS],
    requirement: 'Access is given on valid true only, whatever else the answer says.',
    cause: 'The program looks at status, or at usesRemaining, in place of valid.',
    judge(facts) {
      mustNotOpenByItself(facts);
      for (const scene of NO_ADMISSIONS) mustStayShut(facts, scene);
    },
  },
  asksEachTime({
    id: '4.6/client-asks-each-time',
    kind: 'client',
    scenes: ['known-denied'],
    requirement:
      'A code that was admitted before, and gets valid false now, does not open the gate.',
    cause: 'The program keeps the codes that were admitted, and does not look at the new answer.',
  }),
  ...(
    [
      ['7.1/client-denies-on-400', 'unreadable', '400'],
      ['5/client-denies-on-401', 'refusedKey', '401'],
      ['5/client-denies-on-403', 'outOfScope', '403'],
      ['7.1/client-denies-on-404', 'unknown', '404'],
      ['8/client-denies-on-429', 'limited', '429'],
      ['7.1/client-never-opens-on-500', 'failed', '500'],
    ] as const
  ).map(([id, kind, status]) =>
    staysShut({
      id,
      kind: 'client',
      scenes: [denialScene(kind), ...(kind === 'outOfScope' ? ['refused-grant'] : [])],
      requirement: `When every answer is HTTP ${status}, the gate stays shut.`,
      cause: 'The program opens when something goes wrong, so that nobody has to wait.',
    }),
  ),
  staysShut({
    id: '7.1/client-never-opens-on-5xx',
    kind: 'client',
    scenes: ['failed-grant', 'unavailable-grant', 'gateway'],
    requirement: 'No HTTP 5xx opens the gate, whatever its body says.',
    cause: 'The program reads the body and does not look at the HTTP status.',
  }),
  staysShut({
    id: '2.3/client-denies-on-malformed',
    kind: 'client',
    scenes: ['malformed', 'empty', 'web-page', 'redirect', 'redirect-kept'],
    requirement: 'An answer that is not a scan result, or a redirect, gives no access.',
    cause: 'The program searches the text of the answer, or catches the error and goes on.',
  }),
  staysShut({
    id: '7.1/client-denies-without-answer',
    kind: 'client',
    scenes: ['no-answer', 'cut', 'lost'],
    requirement: 'Without a complete answer the gate stays shut.',
    cause: 'The program opens after a timeout, or reads half of an answer.',
  }),
  {
    ...CLIENT,
    id: '7.1/client-denies-unreachable',
    scenes: ['unreachable'],
    requirement: 'While the server cannot be reached, the gate stays shut.',
    cause: 'The program opens when something goes wrong, so that nobody has to wait.',
    judge: (facts) => mustStayShut(facts, 'unreachable', false),
  },
  remembersNoAdmission({
    id: '7.1/client-remembers-no-admission',
    kind: 'client',
    scenes: ['known-no-answer', 'known-unreachable'],
    requirement: 'Without an answer the gate stays shut also for a code that was admitted before.',
    cause:
      'The program keeps the codes that were admitted, and opens for them while it is offline.',
  }),
  showsMessage(['exhausted', 'expired'], {
    id: '4.6/client-shows-message',
    requirement: 'On valid false the program shows message.',
    cause: 'The program shows a text of its own, so that nobody learns why.',
  }),
  showsMessage(['outOfScope', 'unknown'], {
    id: '4.6/client-shows-message-of-errors',
    requirement: 'The program shows message also when valid false comes with HTTP 403 or 404.',
    cause: 'The HTTP library throws for these, and the body is not read.',
  }),
  {
    ...CLIENT,
    id: '7.1/client-tells-failure',
    level: 'observed',
    scenes: [...TELLING],
    requirement: 'When there is no result, the program tells the person.',
    cause: 'The error is written to a log only; people wait in front of a shut gate.',
    judge(facts) {
      for (const scene of TELLING) {
        if (known(facts.seen(scene).sight.told, 'nobody saw what the program showed')) continue;
        throw new SubjectDeviation('a text or a red light', 'nothing', facts.posts(scene).at(-1));
      }
    },
  },
  opens({
    id: '2.3/client-any-json',
    kind: 'client',
    level: 'observed',
    scenes: ['rewritten'],
    requirement:
      'The order of members, spaces, escapes and further members of a result do not matter.',
    cause: 'The program compares the text, or its schema refuses further members.',
  }),
  opens({
    id: '4.2/client-chunked-answer',
    kind: 'client',
    level: 'observed',
    scenes: ['chunked', 'slow'],
    requirement: 'An answer that is chunked, or comes in pieces, is read to its end.',
    cause: 'The program reads once and takes what it got for the whole answer.',
  }),
  stillOpens({
    id: '4.2/client-closed-connection',
    kind: 'client',
    level: 'observed',
    scenes: ['after-closed'],
    requirement: 'After the server closed the connection, the next request uses a new one.',
    cause: 'The program writes to a closed connection of its pool, and gives up.',
  }),
];
