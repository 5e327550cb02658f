import { Inconclusive } from '../../cases/case.ts';
import { show } from '../../facts/json.ts';
import { Deviation } from '../../judging/deviation.ts';
import type { DenialKind, Format } from '../formats/format.ts';
import { FULL_NAME, FULL_NOTE } from '../scenes/scene.ts';
import { denialScene } from '../scenes/scenes.ts';
import { isHeartbeat } from '../session.ts';
import type { SubjectKind } from '../session-record.ts';
import { type DeviceCase, deviceCase, eachScene, mustOpen, mustStayShut } from './device-case.ts';
import { only } from './request-cases.ts';
import type { SessionResults } from './session-results.ts';

const OPEN_MS_OFF_MAX = 400;
/** Section 7.3: at least 3 s are advised. */
const ADVISED_WAIT_MS = 3000;
const NO_TEXT = 'this model has no such text of the server on a display';
const OPENS = ['4.6/device-opens-on-grant'];
const SENDS = ['4.3/device-posts-card'];
const FLOODS = ['8/device-does-not-flood'];

function onlyWithNoteOf(kinds: readonly DenialKind[]) {
  return ({ textOf }: Format) => (kinds.some((kind) => textOf(kind) !== '') ? undefined : NO_TEXT);
}

function onlyWithText({ features }: Format): string | undefined {
  return features.name || features.note ? undefined : NO_TEXT;
}

const fullText = ({ format }: SessionResults) => format.shown({ name: FULL_NAME, note: FULL_NOTE });
const WITH_NOTE = ['exhausted', 'forged', 'notYetValid'] as const;
const ERRORS_WITH_NOTE = ['unknown', 'outOfScope'] as const;

function mustShow(
  results: SessionResults,
  scene: string,
  text: { readonly name?: string; readonly note?: string },
): void {
  const request = results.posted(scene).at(-1);
  const all = results.seen(scene, 'shown', 'nobody saw what the display showed');
  const fits = all.some(
    ({ name, note }) =>
      (text.name === undefined || name === text.name) &&
      (text.note === undefined || note === text.note),
  );
  if (fits) return;
  const seen = all.filter(({ name, note }) => `${name}${note}` !== '');
  const observed = seen.length === 0 ? 'an empty display' : seen.map((one) => show(one)).join(', ');
  const cause = seen.map((one) => causeOfText(text, one)).find((one) => one !== undefined);
  throw new Deviation(`the display shows ${show(text)}`, observed, request, { cause });
}

/** What became of a text on its way to the display. */
function causeOfText(
  text: { readonly name?: string; readonly note?: string },
  seen: { readonly name: string; readonly note: string },
): string | undefined {
  for (const what of ['name', 'note'] as const) {
    const [right, shown] = [text[what] ?? '', seen[what]];
    if (shown === '' || shown === right || right === '') continue;
    if (shown === Buffer.from(right).toString('latin1')) return 'UTF-8 is read as Latin-1.';
    if (right.startsWith(shown))
      return `It was cut to ${[...shown].length} of ${[...right].length} letters.`;
  }
  return undefined;
}

function kindOf(scene: string): DenialKind {
  return scene.replace('denied-', '') as DenialKind;
}

/** The notes of these denials, where they have one. */
function mustShowNotes(results: SessionResults, kinds: readonly DenialKind[]): void {
  eachScene(results.played(kinds.map(denialScene)), (scene) => {
    const note = results.format.textOf(kindOf(scene));
    if (note !== '') mustShow(results, scene, { note });
  });
}

/** A relay or a time shows on a door that opened. */
function mustHaveOpened(results: SessionResults, scene: string): void {
  results.posted(scene);
  if (!results.opened(scene)) throw new Inconclusive('the door did not open');
}

function relayIn(results: SessionResults, scene: string): string {
  mustHaveOpened(results, scene);
  return results.format.relayOf(results.seen(scene, 'relay', 'nobody saw which relay came on'));
}

function relayCase(scene: 'relay-in' | 'relay-out', index: '0' | '1'): DeviceCase {
  const relay = scene === 'relay-in' ? 'IN' : 'OUT';
  const other = scene === 'relay-in' ? 'relay-out' : 'relay-in';
  return deviceCase(`2.4/device-${scene}`, {
    requirement: `ActIndex "${index}" switches relay ${relay}.`,
    scenes: [scene],
    skipReason: only('relay', 'this model is not told which relay to switch'),
    run(results) {
      const seen = relayIn(results, scene);
      if (seen === relay) return;
      const isSwapped =
        results.record.presentations[other]?.seen.relay !== undefined &&
        relayIn(results, other) === relay;
      throw new Deviation(`relay ${relay}`, `relay ${seen}`, results.posts(scene).at(-1), {
        cause: isSwapped
          ? 'The relays are swapped, in the wiring or in the firmware.'
          : `Relay ${seen} came on for both values of ActIndex.`,
      });
    },
  });
}

function mustOpenFor(results: SessionResults, scene: string, seconds: number): void {
  mustHaveOpened(results, scene);
  const openMs = results.seen(scene, 'openMs', 'nobody saw how long the door was open');
  const off = Math.max(OPEN_MS_OFF_MAX, results.settings.reactionMs * 0.7);
  if (Math.abs(openMs - 1000 * seconds) <= off) return;
  throw new Deviation(
    `the relay is on for ${seconds} s`,
    `${(openMs / 1000).toFixed(1)} s`,
    results.posts(scene).at(-1),
  );
}

/** A door that opens once more, for the same card or before the next one is answered. */
function mustOpenOnce(results: SessionResults): void {
  const { presentations, reopenings } = results.record;
  const early = Object.keys(presentations).flatMap((name) => results.openedEarly(name));
  const again = [...reopenings, ...early].flatMap((atMs) => results.openedBefore(atMs) ?? []);
  const [first] = again;
  if (!first) {
    mustHaveOpened(results, 'granted');
    return;
  }
  const posts = results.posts(first.name);
  throw new Deviation('one opening', 'it closed and opened again for one card', posts.at(-1), {
    cause:
      posts.length > 1
        ? `The card was posted ${posts.length} times.`
        : 'The card was posted once: the relay is switched twice.',
  });
}

function tellsFailure(
  kind: SubjectKind,
  requirement: string,
  scenes: readonly string[],
): DeviceCase {
  return deviceCase(`${kind === 'device' ? '7.3' : '7.1'}/${kind}-tells-failure`, {
    level: 'observed',
    requirement,
    scenes,
    buildsOn: FLOODS,
    run(results) {
      if (results.settings.failMode === 'safe')
        throw new Inconclusive('the door opens without an answer', true);
      eachScene(results.played(scenes), (scene) => {
        if (results.seen(scene, 'told', 'nobody saw what was shown')) return;
        const request = results.posts(scene).at(-1);
        throw new Deviation('a red light or a text', 'nothing', request);
      });
    },
  });
}

/** Cards that were read while there was no server, and that arrive when it is back. */
function silentAfterOutage(kind: SubjectKind): DeviceCase {
  return silentBetween(
    `3.2/${kind}-silent-after-outage`,
    'When the server can be reached again, no ticket is sent that nobody presents now.',
    { scenes: ['unreachable'], from: 'up', to: 'back' },
  );
}

function silentBetween(
  id: string,
  requirement: string,
  { scenes, from, to }: { scenes: readonly string[]; from: string; to: string },
): DeviceCase {
  return deviceCase(id, {
    level: 'observed',
    requirement,
    scenes,
    cause: 'A ticket that is sent later takes a use, and nobody enters.',
    buildsOn: FLOODS,
    run(results) {
      const { [from]: fromMs, [to]: toMs } = results.record.marks;
      if (fromMs === undefined || toMs === undefined)
        throw new Inconclusive('the scene was not played');
      const request = results.cards.find(({ atMs }) => atMs >= fromMs && atMs < toMs);
      if (request) throw new Deviation('no ticket', 'a ticket was sent', request);
    },
  });
}

function comesBack(id: string, requirement: string, buildsOn: readonly string[]): DeviceCase {
  return deviceCase(id, {
    level: 'observed',
    isTimed: true,
    requirement,
    scenes: ['unreachable'],
    buildsOn,
    run(results) {
      const { up } = results.record.marks;
      if (up === undefined) throw new Inconclusive('the scene was not played');
      if (results.posts('back').length === 0)
        throw new Deviation('the next card is posted', 'none arrived');
      const { heartbeats, format } = results;
      const beats = format.features.heartbeat && heartbeats.length > 0;
      if (beats && !heartbeats.some(({ atMs }) => atMs >= up))
        throw new Deviation('heartbeats', 'none since the server is back');
      mustOpen(results, 'back');
    },
  });
}

const COLLECTS = 'A false server could collect the key.';

function carriesNoKey(kind: SubjectKind, requirement: string): DeviceCase {
  return deviceCase(`5/${kind}-redirect`, {
    isDangerous: true,
    level: 'observed',
    requirement,
    scenes: ['redirect', 'redirect-kept'],
    cause: COLLECTS,
    run(results) {
      results.posted('redirect');
      const request = results.record.requests.find(
        (one) => one.place === 'elsewhere' && !isHeartbeat(one, results.format),
      );
      if (request) throw new Deviation('no request', 'the request with the key', request);
    },
  });
}

function trustsOnlyIts(kind: SubjectKind, requirement: string): DeviceCase {
  return deviceCase(`1/${kind}-https`, {
    isDangerous: true,
    requirement,
    scenes: ['certificate'],
    cause: 'The certificate is not checked: anybody on the network could read the key.',
    run(results) {
      results.presentation('certificate');
      const request = results.record.requests.find(({ place }) => place === 'untrusted');
      if (request) throw new Deviation('no request', 'the request with the key', request);
      const { opened } = results.presentation('certificate').seen;
      if (opened && results.settings.failMode === 'secure') mustStayShut(results, 'certificate');
    },
  });
}

const DEVICE_REACTION_CASES: readonly DeviceCase[] = [
  deviceCase('4.6/device-opens-once', {
    level: 'observed',
    requirement: 'One admission opens the door once.',
    scenes: ['granted', 'relay-in', 'relay-out'],
    buildsOn: ['3.2/device-posts-once'],
    run: mustOpenOnce,
  }),
  deviceCase('7.3/device-shows-note', {
    isTimed: true,
    requirement: 'On a denial the display shows Note, with its umlauts.',
    scenes: WITH_NOTE.map(denialScene),
    skipReason: onlyWithNoteOf(WITH_NOTE),
    run: (results) => mustShowNotes(results, WITH_NOTE),
  }),
  deviceCase('7.3/device-shows-note-of-errors', {
    requirement: 'The display shows Note also when the denial comes with HTTP 403, 404 or 500.',
    scenes: ['unknown', 'outOfScope', 'failed'].map((kind) => `denied-${kind}`),
    cause: 'The body of an HTTP error is not read. A server can be set to answer 200 always.',
    buildsOn: ['7.3/device-shows-note'],
    skipReason: onlyWithNoteOf(ERRORS_WITH_NOTE),
    run: (results) => mustShowNotes(results, ERRORS_WITH_NOTE),
  }),
  deviceCase('2.4/device-shows-name', {
    isTimed: true,
    requirement: 'On an admission the display shows Name, up to 16 bytes, with its umlauts.',
    skipReason: only('name', NO_TEXT),
    run: (results) => mustShow(results, 'granted', { name: fullText(results).name }),
  }),
  deviceCase('2.4/device-shows-full-note', {
    requirement: 'On an admission the display shows Note, up to 32 bytes, with its umlauts.',
    skipReason: only('note', NO_TEXT),
    run: (results) => mustShow(results, 'granted', { note: fullText(results).note }),
  }),
  deviceCase('2.4/device-escaped-text', {
    level: 'observed',
    requirement: 'Text that comes with JSON escapes (\\u00fc) is shown as letters.',
    scenes: ['rewritten'],
    buildsOn: ['2.4/device-shows-name', '2.4/device-shows-full-note'],
    skipReason: onlyWithText,
    run(results) {
      mustHaveOpened(results, 'rewritten');
      const { name, note } = fullText(results);
      const { features } = results.format;
      mustShow(results, 'rewritten', {
        ...(features.name ? { name } : {}),
        ...(features.note ? { note } : {}),
      });
    },
  }),
  relayCase('relay-in', '0'),
  relayCase('relay-out', '1'),
  deviceCase('2.4/device-open-time', {
    isTimed: true,
    requirement: 'The relay stays on for the seconds in Time.',
    scenes: ['relay-in', 'relay-out'],
    skipReason: only('seconds', 'this model is not told for how long to open'),
    run(results) {
      if (results.record.reopenings.length > 0) throw new Inconclusive('the door opened twice');
      const [first, second] = results.settings.openSeconds;
      mustOpenFor(results, 'relay-in', first);
      mustOpenFor(results, 'relay-out', second);
    },
  }),
  deviceCase('7.3/device-wait-time', {
    level: 'observed',
    requirement: 'The Wait Time is at least 30 (3 s), and 50 (5 s) on unstable networks.',
    scenes: ['in-time'],
    cause: 'People stand in front of a shut door when a server starts after idle time.',
    run({ settings: { waitTimeMs } }) {
      if (waitTimeMs >= ADVISED_WAIT_MS) return `${waitTimeMs / 100}`;
      throw new Deviation('at least 30', `${waitTimeMs / 100}`);
    },
  }),
  tellsFailure(
    'device',
    'When no answer comes, the device tells the person: by a red light or a text.',
    ['no-answer', 'lost', 'unreachable'],
  ),
  comesBack(
    '4.5/device-comes-back',
    'When the server can be reached again, heartbeats and cards come again.',
    [...OPENS, ...SENDS, '4.5/device-heartbeat-regular'],
  ),
  silentBetween(
    '3.2/device-silent-after-power-loss',
    'After a power loss no card is posted that nobody presented.',
    { scenes: ['power'], from: 'power-on', to: 'power-settled' },
  ),
  silentAfterOutage('device'),
  carriesNoKey(
    'device',
    'The device does not carry its key to another address when an answer redirects it.',
  ),
  deviceCase('5/device-heartbeat-redirect', {
    level: 'observed',
    requirement:
      'The device does not carry its key to another address when the answer to a heartbeat redirects it.',
    scenes: ['redirect'],
    cause: COLLECTS,
    skipReason: only('heartbeat', 'this model sends no regular heartbeat'),
    run({ record, heartbeats }) {
      if (record.marks['heartbeat-redirected'] === undefined)
        throw new Inconclusive('the scene was not played');
      if (!heartbeats.some(({ answer }) => answer?.status === 307))
        throw new Inconclusive('no heartbeat arrived to be redirected', true);
      const request = heartbeats.find(({ place }) => place === 'elsewhere');
      if (request) throw new Deviation('no request', 'the heartbeat with the key', request);
    },
  }),
  trustsOnlyIts(
    'device',
    'Requests use HTTPS, and go only to a server whose certificate the device trusts.',
  ),
];

function showsMessage(
  id: string,
  requirement: string,
  kinds: readonly DenialKind[],
  buildsOn: readonly string[] = [],
): DeviceCase {
  return deviceCase(id, {
    requirement,
    scenes: kinds.map(denialScene),
    buildsOn,
    run(results) {
      eachScene(results.played(kinds.map(denialScene)), (scene) => {
        const request = results.posted(scene).at(-1);
        const message = results.format.textOf(kindOf(scene));
        const shown = results.seen(scene, 'shown', 'nobody saw what the program showed');
        if (shown.some(({ name, note }) => `${name}\n${note}`.includes(message))) return;
        const seen = shown.map(({ note }) => show(note)).join(', ') || 'nothing';
        throw new Deviation(`it shows ${show(message)}`, seen, request);
      });
    },
  });
}

const CLIENT_REACTION_CASES: readonly DeviceCase[] = [
  showsMessage('4.6/client-shows-message', 'On valid false the program shows message.', [
    'exhausted',
    'expired',
  ]),
  showsMessage(
    '4.6/client-shows-message-of-errors',
    'The program shows message also when valid false comes with HTTP 403 or 404.',
    ['outOfScope', 'unknown'],
    ['4.6/client-shows-message'],
  ),
  tellsFailure('client', 'When there is no result, the program tells the person.', [
    'no-answer',
    'lost',
    'denied-failed',
    'unreachable',
  ]),
  comesBack(
    '3.2/client-comes-back',
    'When the server can be reached again, the program works without a restart.',
    ['4.6/client-opens-on-valid', '4.6/client-sends-ticket'],
  ),
  silentAfterOutage('client'),
  carriesNoKey(
    'client',
    'The program does not carry its key to another address when an answer redirects it.',
  ),
  trustsOnlyIts(
    'client',
    'Requests use HTTPS, and go only to a server whose certificate the program trusts.',
  ),
];

/** Cases on what a person sees, on outages, and on where the key goes. */
export const REACTION_CASES: readonly DeviceCase[] = [
  ...DEVICE_REACTION_CASES,
  ...CLIENT_REACTION_CASES,
];
