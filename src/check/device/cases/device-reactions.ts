import { show } from '../../facts/json.ts';
import type { DenialKind, Format } from '../formats/format.ts';
import { denialScene } from '../scenes/refusals.ts';
import { FULL_NAME, FULL_NOTE } from '../scenes/texts.ts';
import type { DeviceCase } from './device-case.ts';
import {
  ADMITTED,
  admitsNobody,
  asksEachTime,
  lastBefore,
  mustNotOpenByItself,
  mustStayShut,
  opens,
  opensEachTime,
  staysShut,
  stillOpens,
} from './door.ts';
import { type Facts, known, NotShown, SubjectDeviation } from './facts.ts';

const DEVICE = { level: 'stated', kind: 'device', endpoint: 'hw/consume' } as const;
const OPEN_MS_OFF_MAX = 400;

const NO_TEXT = 'this model has no such text of the server on a display';

function onlyWithName({ features }: Format): string | undefined {
  return features.name ? undefined : NO_TEXT;
}

/** A device file defines what its admissions contain. */
function onlyWithControllerAnswer({ features }: Format): string | undefined {
  return features.controllerFields ? undefined : 'this model has no answer without a name';
}

function onlyWithNote({ features }: Format): string | undefined {
  return features.note ? undefined : NO_TEXT;
}

function onlyWithText(format: Format): string | undefined {
  return onlyWithName(format) && onlyWithNote(format);
}

function onlyWithNoteOf(kinds: readonly DenialKind[]): NonNullable<DeviceCase['obstacle']> {
  return ({ textOf }) => (kinds.some((kind) => textOf(kind) !== '') ? undefined : NO_TEXT);
}

function onlyWithRelay({ features }: Format): string | undefined {
  return features.relay ? undefined : 'this model is not told which relay to switch';
}

function onlyWithSeconds({ features }: Format): string | undefined {
  return features.seconds ? undefined : 'this model is not told for how long to open';
}

const fullText = ({ format }: Facts) => format.shown({ name: FULL_NAME, note: FULL_NOTE });
const WITH_NOTE = ['exhausted', 'forged', 'notYetValid'] as const;
const ERRORS_WITH_NOTE = ['unknown', 'outOfScope'] as const;
const ALTERED = [
  'denied-with-time',
  'odd-decision',
  'longer-decision',
  'nested-decision',
  'no-decision',
  'true-decision',
] as const;

/**
 * The scenes that show what a device takes for an admission. A device that is set to open without an answer may treat an
 * answer without a decision as missing; the device of a file may do so with every decision that the file does not define.
 */
function decisionsOf({ settings, format }: Facts): string[] {
  if (settings.failMode === 'secure') return [...ALTERED];
  return format.file ? ['denied-with-time'] : ALTERED.filter((scene) => scene !== 'no-decision');
}

function mustShow(facts: Facts, scene: string, text: { name?: string; note?: string }): void {
  const { posts, shown } = { posts: facts.posted(scene), shown: facts.seen(scene).sight.shown };
  const all = known(shown, 'nobody saw what the display showed');
  const fits = all.some(
    ({ name, note }) =>
      (text.name === undefined || name === text.name) &&
      (text.note === undefined || note === text.note),
  );
  if (fits) return;
  const seen = all.filter(({ name, note }) => `${name}${note}` !== '');
  const observed = seen.length === 0 ? 'an empty display' : seen.map((one) => show(one)).join(', ');
  throw new SubjectDeviation(`the display shows ${show(text)}`, observed, posts.at(-1));
}

/** The notes of these denials, where they have one. */
function mustShowNotes(facts: Facts, kinds: readonly DenialKind[]): void {
  for (const kind of kinds) {
    const note = facts.format.textOf(kind);
    if (note !== '') mustShow(facts, denialScene(kind), { note });
  }
}

function mustOpenRelay(facts: Facts, scene: string, relay: string): void {
  if (!facts.opened(scene)) throw new NotShown('the door did not open');
  const seen = facts.format.relayOf(
    known(facts.seen(scene).sight.relay, 'nobody saw which relay came on'),
  );
  if (seen === relay) return;
  throw new SubjectDeviation(`relay ${relay}`, `relay ${seen}`, facts.posts(scene).at(-1));
}

function mustOpenFor(facts: Facts, scene: string, seconds: number): void {
  if (!facts.opened(scene)) throw new NotShown('the door did not open');
  const openMs = known(facts.seen(scene).sight.openMs, 'nobody saw how long the door was open');
  const off = Math.max(OPEN_MS_OFF_MAX, facts.settings.reactionMs * 0.7);
  if (Math.abs(openMs - 1000 * seconds) <= off) return;
  throw new SubjectDeviation(
    `the relay is on for ${seconds} s`,
    `${(openMs / 1000).toFixed(1)} s`,
    facts.posts(scene).at(-1),
  );
}

function mustOpenOnce(facts: Facts): void {
  const { reopenings = [], observations } = facts.record;
  const [again] = reopenings;
  if (again === undefined) {
    facts.opened('granted');
    return;
  }
  const [name = ''] = lastBefore(observations, again) ?? [];
  throw new SubjectDeviation(
    'one opening',
    `it closed and opened again in the presentation "${name}"`,
    facts.posts(name).at(-1),
  );
}

/** Cases on what a device does with an answer. */
export const DEVICE_REACTION_CASES: readonly DeviceCase[] = [
  opensEachTime({
    id: '4.6/device-opens-on-grant',
    kind: 'device',
    scenes: ADMITTED,
    requirement: 'On an admission the door opens.',
    cause:
      'The relay is not wired, the body of the answer is not read, or a member is looked for in another letter case.',
  }),
  {
    ...DEVICE,
    id: '4.6/device-opens-on-1-only',
    judgesOpeningsBetween: true,
    scenes: ALTERED,
    requirement: 'The door opens on the documented admission only, whatever else the answer says.',
    cause:
      'The firmware looks at Time or ActIndex, or takes everything that is not "0" for an admission.',
    inParts: true,
    judge(facts) {
      mustNotOpenByItself(facts);
      for (const scene of facts.played(decisionsOf(facts))) mustStayShut(facts, scene);
    },
  },
  staysShut({
    id: '7.3/device-shut-on-denial',
    kind: 'device',
    scenes: ['exhausted', 'forged', 'expired', 'notYetValid'].map((kind) => `denied-${kind}`),
    requirement: 'On a denial the door stays shut.',
    cause: 'The firmware looks at the HTTP status 200 in place of the decision in the body.',
  }),
  asksEachTime({
    id: '4.6/device-asks-each-time',
    kind: 'device',
    scenes: ['known-denied'],
    requirement: 'A card that was admitted before, and is denied now, does not open the door.',
    cause:
      'The device keeps the cards that were admitted, and opens for them whatever is answered.',
  }),
  stillOpens({
    id: '4.6/device-admits-after-denial',
    kind: 'device',
    scenes: ['denied-notYetValid', 'admitted-later'],
    opening: ['admitted-later'],
    requirement: 'A card that was denied before, and is admitted now, opens the door.',
    cause: 'The device keeps the cards that were denied, and does not ask for them again.',
  }),
  {
    ...DEVICE,
    id: '4.6/device-opens-once',
    level: 'observed',
    scenes: ['granted', 'relay-in', 'relay-out'],
    requirement: 'One admission opens the door once.',
    cause:
      'The relay is switched once more, by a repeated event or by two outputs: a turnstile lets two persons in.',
    judge: mustOpenOnce,
  },
  ...(
    [
      ['7.1/device-shut-on-400', 'unreadable', '400'],
      ['5/device-shut-on-401', 'refusedKey', '401'],
      ['5/device-shut-on-403', 'outOfScope', '403'],
      ['7.1/device-shut-on-404', 'unknown', '404'],
      ['8/device-shut-on-429', 'limited', '429'],
      ['7.1/device-shut-on-500', 'failed', '500'],
    ] as const
  ).map(([id, kind, status]) =>
    staysShut({
      id,
      kind: 'device',
      scenes: [denialScene(kind)],
      requirement: `On HTTP ${status} with a denial in the body the door stays shut.`,
      cause: 'The firmware treats an HTTP error as no answer, and opens without one.',
    }),
  ),
  admitsNobody({
    id: '7.1/device-shut-on-500-grant',
    kind: 'device',
    level: 'observed',
    scenes: ['failed-grant', 'unavailable-grant', 'refused-grant'],
    requirement: 'HTTP 500, 503 or 403 is no admission, even if the body says so.',
    cause: 'The firmware does not look at the HTTP status.',
  }),
  {
    ...DEVICE,
    id: '7.3/device-shows-note',
    scenes: WITH_NOTE.map(denialScene),
    requirement: 'On a denial the display shows Note, with its umlauts.',
    cause: 'The display shows a text of its own, or reads the UTF-8 of the answer as Latin-1.',
    obstacle: onlyWithNoteOf(WITH_NOTE),
    judge: (facts) => mustShowNotes(facts, WITH_NOTE),
  },
  {
    ...DEVICE,
    id: '7.3/device-shows-note-of-errors',
    scenes: ['unknown', 'outOfScope', 'failed'].map((kind) => `denied-${kind}`),
    requirement: 'The display shows Note also when the denial comes with HTTP 403, 404 or 500.',
    cause:
      'The firmware does not read the body of an HTTP error. A server can be set to answer 200 always.',
    obstacle: onlyWithNoteOf(ERRORS_WITH_NOTE),
    judge: (facts) => mustShowNotes(facts, ERRORS_WITH_NOTE),
  },
  {
    ...DEVICE,
    id: '2.4/device-shows-name',
    scenes: ['granted'],
    requirement: 'On an admission the display shows Name, up to 16 bytes, with its umlauts.',
    cause: 'The display counts letters of one byte, cuts too early, or reads UTF-8 as Latin-1.',
    obstacle: onlyWithName,
    judge: (facts) => mustShow(facts, 'granted', { name: fullText(facts).name }),
  },
  {
    ...DEVICE,
    id: '2.4/device-shows-full-note',
    scenes: ['granted'],
    requirement: 'On an admission the display shows Note, up to 32 bytes, with its umlauts.',
    cause: 'The display counts letters of one byte, cuts too early, or reads UTF-8 as Latin-1.',
    obstacle: onlyWithNote,
    judge: (facts) => mustShow(facts, 'granted', { note: fullText(facts).note }),
  },
  {
    ...DEVICE,
    id: '2.4/device-relay-in',
    scenes: ['relay-in'],
    requirement: 'ActIndex "0" switches relay IN.',
    cause: 'The relays are swapped in the wiring, or ActIndex is ignored.',
    obstacle: onlyWithRelay,
    judge: (facts) => mustOpenRelay(facts, 'relay-in', 'IN'),
  },
  {
    ...DEVICE,
    id: '2.4/device-relay-out',
    scenes: ['relay-out'],
    requirement: 'ActIndex "1" switches relay OUT.',
    cause: 'The relays are swapped in the wiring, or ActIndex is ignored.',
    obstacle: onlyWithRelay,
    judge: (facts) => mustOpenRelay(facts, 'relay-out', 'OUT'),
  },
  {
    ...DEVICE,
    id: '2.4/device-open-time',
    scenes: ['relay-in', 'relay-out'],
    requirement: 'The relay stays on for the seconds in Time.',
    cause: 'The controller uses its own setting, or reads Time as tenths of a second.',
    obstacle: onlyWithSeconds,
    judge(facts) {
      mustOpenFor(facts, 'relay-in', facts.settings.openSeconds[0]);
      mustOpenFor(facts, 'relay-out', facts.settings.openSeconds[1]);
    },
  },
  opens({
    id: '2.4/device-opens-without-name',
    kind: 'device',
    level: 'observed',
    scenes: ['closed'],
    requirement: 'An admission without Name, as tickets without a holder get it, opens the door.',
    cause: 'The firmware takes an answer without Name for a broken one.',
    obstacle: onlyWithControllerAnswer,
  }),
  opens({
    id: '4.3/device-any-json',
    kind: 'device',
    level: 'observed',
    scenes: ['rewritten'],
    requirement:
      'The order of members, spaces, escapes and further members of an answer do not matter.',
    cause: 'The firmware searches the text of the answer and does not read JSON.',
  }),
  {
    ...DEVICE,
    id: '2.4/device-escaped-text',
    level: 'observed',
    scenes: ['rewritten'],
    requirement: 'Text that comes with JSON escapes (\\u00fc) is shown as letters.',
    cause: 'The firmware does not decode JSON escapes.',
    obstacle: onlyWithText,
    judge(facts) {
      if (!facts.opened('rewritten')) throw new NotShown('the answer was not understood');
      const { name, note } = fullText(facts);
      const { features } = facts.format;
      mustShow(facts, 'rewritten', {
        ...(features.name ? { name } : {}),
        ...(features.note ? { note } : {}),
      });
    },
  },
  opens({
    id: '4.3/device-chunked-answer',
    kind: 'device',
    level: 'observed',
    scenes: ['chunked'],
    requirement: 'A chunked answer is read like any other.',
    cause:
      'The firmware waits for a Content-Length. A proxy in front of the server may send chunks.',
  }),
];
