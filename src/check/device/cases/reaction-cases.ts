import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { show } from '../../facts/json.ts';
import type { SessionKind } from '../../law/symptom-kinds.ts';
import type { DenialKind, Format } from '../formats/format.ts';
import { FULL_NAME, FULL_NOTE } from '../scenes/scene.ts';
import { denialScene } from '../scenes/scenes.ts';
import type { SubjectKind } from '../session-record.ts';
import { type DeviceCase, deviceCase, eachScene } from './device-case.ts';
import { only } from './request-cases.ts';
import type { SessionResults } from './session-results.ts';

const OPEN_MS_OFF_MAX = 400;
/** Section 7.3: at least 3 s are advised. */
const ADVISED_WAIT_MS = 3000;
const NO_TEXT = 'this model has no such text of the server on a display';

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
  fields: readonly SessionKind[] = [],
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
  throw new Deviation(`the display shows ${show(text)}`, observed, request, { cause, fields });
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
    if (note !== '') mustShow(results, scene, { note }, ['the text of a denial']);
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

const DEVICE_REACTION_CASES: readonly DeviceCase[] = [
  deviceCase('4.6/device-opens-once', {
    level: 'observed',
    requirement: 'One admission opens the door once.',
    scenes: ['granted', 'relay-in', 'relay-out'],
    run: mustOpenOnce,
  }),
  deviceCase('7.3/device-shows-note', {
    states: ['the text of a denial'],
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
];

function showsMessage(id: string, requirement: string, kinds: readonly DenialKind[]): DeviceCase {
  return deviceCase(id, {
    requirement,
    scenes: kinds.map(denialScene),
    states: ['the text of a denial'],
    run(results) {
      eachScene(results.played(kinds.map(denialScene)), (scene) => {
        const request = results.posted(scene).at(-1);
        const message = results.format.textOf(kindOf(scene));
        const shown = results.seen(scene, 'shown', 'nobody saw what the program showed');
        if (shown.some(({ name, note }) => `${name}\n${note}`.includes(message))) return;
        const seen = shown.map(({ note }) => show(note)).join(', ') || 'nothing';
        throw new Deviation(`it shows ${show(message)}`, seen, request, {
          fields: ['the text of a denial'],
        });
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
  ),
  tellsFailure('client', 'When there is no result, the program tells the person.', [
    'no-answer',
    'lost',
    'denied-failed',
    'unreachable',
  ]),
];

/** Cases on what a person sees. */
export const REACTION_CASES: readonly DeviceCase[] = [
  ...DEVICE_REACTION_CASES,
  ...CLIENT_REACTION_CASES,
];
