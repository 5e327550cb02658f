import { Deviation } from '../../facts/failures.ts';
import type { Format } from '../formats/format.ts';
import { OTHER_JSON_SCENES } from '../scenes/other-json.ts';
import { denialScene } from '../scenes/scenes.ts';
import { type DeviceCase, deviceCase, door, SHUT as STAYS_SHUT } from './device-case.ts';
import { inSeconds, type SessionResults } from './session-results.ts';

/** Admissions of a first use, a second, the only one, and one of a permanent card; one of them of a card that was admitted before. */
const ADMITTED = ['granted', 'again', 'admitted-later', 'after-closed'];
const DENIED = ['exhausted', 'forged', 'expired', 'notYetValid'].map((kind) => `denied-${kind}`);
const ALTERED = [
  'denied-with-time',
  'odd-decision',
  'longer-decision',
  'nested-decision',
  'no-decision',
  'true-decision',
];
const WITH_ADMISSION = ['failed-grant', 'unavailable-grant', 'refused-grant'];
const STATUSES = [
  ['7.1', 'unreadable', '400'],
  ['5', 'refusedKey', '401'],
  ['5', 'outOfScope', '403'],
  ['7.1', 'unknown', '404'],
  ['8', 'limited', '429'],
  ['7.1', 'failed', '500'],
] as const;

/** When the door opened although nothing was presented, in words for somebody who was not there. */
function openingByItself(results: SessionResults): string | undefined {
  const { betweenScenes, strayOpenings } = results.record;
  const told = betweenScenes.find(({ opened }) => opened === true);
  if (told) return told.when;
  const names = Object.keys(results.record.presentations);
  const early = names.flatMap((name) => results.openedEarly(name));
  const stray = [...strayOpenings, ...early, ...whileHeldBack(results)].find(
    (atMs) => !isExplained(results, atMs),
  );
  return stray === undefined ? undefined : whenWas(results, stray);
}

/** Openings while the server still holds its answer back: no answer caused them. */
function whileHeldBack({ record, settings }: SessionResults): number[] {
  const { late } = record.presentations;
  if (!late || settings.failMode === 'safe') return [];
  const { openedAtMs = [] } = late.seen;
  return openedAtMs.slice(0, 1).filter((atMs) => atMs < late.presentedAtMs + settings.waitTimeMs);
}

/**
 * A door may open once more for the person whom it just let in, and one that is set to open without a server does so while there is none,
 * or no power.
 */
function isExplained(results: SessionResults, atMs: number): boolean {
  const { marks } = results.record;
  const { failMode, openSeconds, reactionMs } = results.settings;
  const isWithin = (from: string, to: string): boolean =>
    atMs >= (marks[from] ?? Infinity) && atMs <= (marks[to] ?? Infinity);
  if (failMode === 'safe' && (isWithin('down', 'up') || isWithin('power-off', 'power-on')))
    return true;
  // What is posted late, or again, is judged by other cases, and so is a door that opens twice.
  const isAnswer = results.cards.some(
    ({ answer }) => answer && answer.atMs <= atMs && atMs <= answer.atMs + reactionMs,
  );
  if (isAnswer || results.isEcho(atMs)) return true;
  // Only for the person of that presentation: after the next one, that person is gone.
  const latest = results.openedBefore(atMs);
  const openMs = 1000 * Math.max(...openSeconds);
  return latest !== undefined && atMs <= latest.presentedAtMs + openMs;
}

/** What happened last before this moment. */
function whenWas(results: SessionResults, atMs: number): string {
  const { record } = results;
  const codes = Object.values(record.presentations);
  const odd = results.heartbeats.filter(({ answer }) => answer && answer.status !== 200);
  const moments = [
    [record.marks['power-on'], 'power came back'],
    [record.marks['power-off'], 'the power was cut'],
    [record.marks['up'], 'the server came back'],
    [record.marks['down'], 'the server went away'],
    ...odd.map((one) => [one.answer?.atMs, `a heartbeat got HTTP ${one.answer?.status}`] as const),
    ...codes.map((one, index) => [one.presentedAtMs, `card ${index + 1} was presented`] as const),
  ] as const;
  const [last] = moments
    .flatMap(([ms, what]) => (ms !== undefined && ms <= atMs ? [{ ms, what }] : []))
    .sort((one, other) => other.ms - one.ms);
  return last ? `${inSeconds(atMs - last.ms)} after ${last.what}` : 'before anything was presented';
}

function neverOpensByItself(id: string, requirement: string): DeviceCase {
  return deviceCase(id, {
    requirement,
    scenes: ALTERED,
    asksBetween: true,
    run(results) {
      const when = openingByItself(results);
      if (when === undefined) return;
      throw new Deviation(STAYS_SHUT, `it opened by itself, ${when}`, undefined, {
        isDangerous: true,
      });
    },
  });
}

/** Only where the documented controller is answered can a name be left out. */
function withoutName({ features }: Format): string | undefined {
  if (features.controllerFields) return undefined;
  return features.name
    ? 'an admission of this model always has a name'
    : 'no admission of this model has a name that its devices read';
}

/** An admission in HTTP 4xx or 5xx, and a late one, are warned of: a server that answers so is wrong, too. */
const DEVICE_DOOR_CASES: readonly DeviceCase[] = [
  door('4.6/device-opens-on-grant', 'open', ADMITTED, {
    states: ['an admission'],
    requirement: 'On an admission the door opens.',
  }),
  door('4.6/device-opens-on-1-only', 'shut', ALTERED, {
    requirement: 'The door opens on the documented admission only, whatever else the answer says.',
  }),
  neverOpensByItself('4.6/device-never-opens-by-itself', 'The door never opens by itself.'),
  door('7.3/device-shut-on-denial', 'shut', DENIED, {
    states: ['a denial'],
    requirement: 'On a denial the door stays shut.',
  }),
  door('4.6/device-asks-each-time', 'shut', ['known-denied'], {
    states: ['a card admitted before'],
    requirement: 'A card that was admitted before, and is denied now, does not open the door.',
  }),
  door('4.6/device-admits-after-denial', 'open', ['denied-notYetValid', 'admitted-later'], {
    requirement: 'A card that was denied before, and is admitted now, opens the door.',
    opening: ['admitted-later'],
    needsPost: true,
  }),
  ...STATUSES.map(([section, kind, status]) =>
    door(`${section}/device-shut-on-${status}`, 'shut', [denialScene(kind)], {
      states: [`HTTP ${status}`],
      requirement: `On HTTP ${status} with a denial in the body the door stays shut.`,
    }),
  ),
  door('7.1/device-shut-on-500-grant', 'shut', WITH_ADMISSION, {
    level: 'observed',
    requirement: 'HTTP 500, 503 or 403 is no admission, even if the body says so.',
  }),
  door('2.4/device-opens-without-name', 'open', ['closed'], {
    level: 'observed',
    requirement: 'An admission without Name, as tickets without a holder get it, opens the door.',
    cause: 'An answer without Name is taken for a broken one.',
    skipReason: withoutName,
  }),
  door('4.3/device-any-json', 'open', ['rewritten'], {
    level: 'observed',
    requirement:
      'The order of members, spaces, escapes and further members of an answer do not matter.',
  }),
  door('4.3/device-chunked-answer', 'open', ['chunked'], {
    level: 'observed',
    requirement: 'A chunked answer is read like any other.',
    cause: 'An answer in chunks has no Content-Length. A proxy in front of the server may send it.',
  }),
  door('7.3/device-no-answer', 'as-configured', ['no-answer'], {
    states: ['no answer'],
    requirement: 'Without an answer the door does what the device is set to (--fail-mode).',
    cause: 'Its setting for "server offline" differs. Set it as the venue wants it.',
  }),
  door('7.3/device-late-grant', 'shut', ['late'], {
    isTimed: true,
    level: 'observed',
    requirement: 'An admission that comes after the Wait Time does not open the door.',
    cause: 'The door then opens for the next person.',
  }),
  door('7.3/device-waits', 'open', ['in-time'], {
    level: 'observed',
    requirement: 'The device waits for an answer as long as its Wait Time says.',
    cause: 'The Wait Time is in units of 0.1 s; it is not stored, or was typed in another unit.',
  }),
  door('7.3/device-slow-answer', 'open', ['slow'], {
    level: 'observed',
    states: ['an answer in pieces'],
    requirement: 'An answer that comes in pieces, within the Wait Time, is read to its end.',
    cause: 'The first piece is taken for the whole answer.',
  }),
  door('7.1/device-cut-answer', 'shut', ['cut'], {
    requirement: 'An answer that ends in the middle is no answer.',
  }),
  door('7.1/device-lost-answer', 'as-configured', ['lost'], {
    requirement:
      'When the connection breaks before the answer, the door does what the device is set to.',
  }),
  door('4.3/device-malformed-answer', 'shut', ['malformed', 'empty', ...OTHER_JSON_SCENES], {
    states: ['no decision'],
    requirement: 'An answer that cannot be read admits nobody.',
  }),
  door('4.3/device-web-page', 'shut', ['web-page', 'gateway', 'redirect', 'redirect-kept'], {
    requirement: 'The web page of a proxy or portal, or a redirect to one, admits nobody.',
  }),
  door('7.3/device-unreachable', 'as-configured', ['unreachable'], {
    states: ['no server'],
    requirement: 'While the server cannot be reached, the door does what the device is set to.',
    cause: 'Its setting for "server offline" differs. Set it as the venue wants it.',
  }),
  door('7.3/device-remembers-no-admission', 'shut', ['known-no-answer', 'known-unreachable'], {
    requirement: 'Without an answer the door stays shut also for a card that was admitted before.',
    cause: 'Cards that were admitted are kept, and open the door while the device is offline.',
  }),
  door('4.3/device-closed-connection', 'open', ['after-closed'], {
    level: 'observed',
    requirement: 'After the server closed the connection, the next card is sent over a new one.',
    needsPost: true,
  }),
  door('4.6/device-after-power-loss', 'open', ['after-power-loss'], {
    level: 'observed',
    requirement: 'After a power loss the device reads cards again without help.',
    needsPost: true,
  }),
];

const CLIENT_DOOR_CASES: readonly DeviceCase[] = [
  door('4.6/client-opens-on-valid', 'open', ADMITTED, {
    states: ['an admission'],
    requirement: 'On valid true the program releases the gate.',
  }),
  door('4.6/client-opens-on-last-use', 'open', ['closed'], {
    requirement:
      'valid true releases the gate also for a single ticket, at its last use and without a holder.',
    cause: 'usesRemaining was 0, and holder was not there: neither decides.',
  }),
  door('4.6/client-admits-after-denial', 'open', ['denied-notYetValid', 'admitted-later'], {
    requirement: 'A code that was denied before, and gets valid true now, releases the gate.',
    opening: ['admitted-later'],
    needsPost: true,
  }),
  door('7.1/client-late-result', 'shut', ['late'], {
    isTimed: true,
    level: 'observed',
    requirement: 'A result that comes after the program gave up does not open the gate.',
    cause: 'The gate then opens for the next person. Or it waits for longer than --wait-time says.',
  }),
  door('7.1/client-reads-valid', 'shut', DENIED, {
    states: ['a denial'],
    requirement: 'HTTP 200 with valid false denies access.',
  }),
  door('4.6/client-opens-on-true-only', 'shut', ALTERED, {
    requirement: 'Access is given on valid true only, whatever else the answer says.',
  }),
  neverOpensByItself('4.6/client-never-opens-by-itself', 'The gate never opens by itself.'),
  door('4.6/client-asks-each-time', 'shut', ['known-denied'], {
    states: ['a card admitted before'],
    requirement:
      'A code that was admitted before, and gets valid false now, does not open the gate.',
  }),
  ...STATUSES.map(([section, kind, status]) =>
    door(
      `${section}/client-${kind === 'failed' ? 'never-opens' : 'denies'}-on-${status}`,
      'shut',
      [denialScene(kind), ...(kind === 'outOfScope' ? ['refused-grant'] : [])],
      {
        states: [`HTTP ${status}`],
        requirement: `When every answer is HTTP ${status}, the gate stays shut.`,
      },
    ),
  ),
  door('7.1/client-never-opens-on-5xx', 'shut', ['failed-grant', 'unavailable-grant', 'gateway'], {
    requirement: 'No HTTP 5xx opens the gate, whatever its body says.',
  }),
  door(
    '2.3/client-denies-on-malformed',
    'shut',
    ['malformed', 'empty', ...OTHER_JSON_SCENES, 'web-page', 'redirect', 'redirect-kept'],
    {
      states: ['no decision'],
      requirement: 'An answer that is not a scan result, or a redirect, gives no access.',
    },
  ),
  door('7.1/client-denies-without-answer', 'shut', ['no-answer', 'cut', 'lost'], {
    states: ['no answer'],
    requirement: 'Without a complete answer the gate stays shut.',
  }),
  door('7.1/client-denies-unreachable', 'shut', ['unreachable'], {
    states: ['no server'],
    requirement: 'While the server cannot be reached, the gate stays shut.',
  }),
  door('7.1/client-remembers-no-admission', 'shut', ['known-no-answer', 'known-unreachable'], {
    requirement: 'Without an answer the gate stays shut also for a code that was admitted before.',
    cause: 'Codes that were admitted are kept, and open the gate while the program is offline.',
  }),
  door('2.3/client-any-json', 'open', ['rewritten'], {
    level: 'observed',
    requirement:
      'The order of members, spaces, escapes and further members of a result do not matter.',
  }),
  door('4.2/client-chunked-answer', 'open', ['chunked', 'slow'], {
    level: 'observed',
    requirement: 'An answer that is chunked, or comes in pieces, is read to its end.',
  }),
  door('4.2/client-closed-connection', 'open', ['after-closed'], {
    level: 'observed',
    requirement: 'After the server closed the connection, the next request uses a new one.',
    needsPost: true,
  }),
];

/** Cases on when the door opens. */
export const DOOR_CASES: readonly DeviceCase[] = [...DEVICE_DOOR_CASES, ...CLIENT_DOOR_CASES];
