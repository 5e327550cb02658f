import { type Alteration, DENIALS, type DenialKind, NO_REQUEST } from '../formats/format.ts';
import type { Answer } from '../wire/answer.ts';
import type { Scene } from './scene.ts';
import { granted, sceneOf } from './turn.ts';

const REASONS: Readonly<Partial<Record<DenialKind, string>>> = {
  exhausted: 'the ticket is used up',
  forged: 'the signature is wrong',
  expired: 'the ticket has expired',
  notYetValid: 'the ticket is not valid yet',
  unknown: 'no such ticket',
  outOfScope: 'another event',
};

function hintOf(kind: DenialKind, status: number): string {
  const reason = REASONS[kind];
  if (reason !== undefined)
    return `The server denies${status === 200 ? '' : ` with HTTP ${status}`}: ${reason}.`;
  if (kind === 'refusedKey') return `The server refuses the key with HTTP ${status}.`;
  return `The server answers HTTP ${status}${kind === 'unreadable' ? '' : ' to each request'}.`;
}

/** The scene of a denial. */
export function denialScene(kind: DenialKind): string {
  return `denied-${kind}`;
}

function denial(kind: DenialKind): Scene {
  const id = denialScene(kind);
  return {
    id,
    play: (stage) => {
      const { format } = stage;
      const note = format.textOf(kind);
      return stage.present(id, {
        hint: hintOf(kind, format.denial(kind, NO_REQUEST).status),
        wants: note === '' ? ['door', 'told'] : ['door', 'display'],
        text: { name: '', note },
        answer: (format, request) => withRetryAfter(format.denial(kind, request)),
      });
    },
  };
}

function withRetryAfter(answer: Answer): Answer {
  if (answer.status !== 429) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

type Obstacle = NonNullable<Scene['obstacle']>;

const MAY_ADMIT = 'the device file does not say that this is no admission';

/** An admission of which one thing is changed, so that it is none. */
function changed(
  id: string,
  hint: string,
  change: (answer: Answer) => Answer,
  obstacle = mayAdmit(change),
): Scene {
  return sceneOf({ id, hint, obstacle, wants: ['door', 'told'], answer: change });
}

/** A right device may open on some answers, because of what its file leaves open. */
function mayAdmit(change: (answer: Answer) => Answer): Obstacle {
  return (format, stage) =>
    format.mayAdmit(change(granted(stage, format, NO_REQUEST))) ? MAY_ADMIT : undefined;
}

/** An admission with another decision. */
function altered(id: string, hint: string, alteration: Alteration): Scene {
  return sceneOf({
    id,
    hint,
    obstacle: (format, stage) =>
      format.altered(granted(stage, format, NO_REQUEST), alteration) ? undefined : MAY_ADMIT,
    wants: ['door', 'told'],
    answer: (good, { format, request }) =>
      format.altered(good, alteration) ?? format.denial('exhausted', request),
  });
}

/** What only a file can say: that an admission has the status of a server error. */
const admitsWithError: Obstacle = (format, stage) =>
  granted(stage, format, NO_REQUEST).status >= 500 ? MAY_ADMIT : undefined;

/** Scenes in which the door must stay shut because of what the answer says. */
export const REFUSAL_SCENES: readonly Scene[] = [
  ...DENIALS.map(denial),
  sceneOf({
    id: 'admitted-later',
    again: denialScene('notYetValid'),
    hint: 'The card that was not valid yet, once more. The server admits it now.',
  }),
  sceneOf({
    id: 'known-denied',
    again: 'granted',
    hint: 'The card of the first step once more. The server denies it now.',
    answer: (_good, { format, request }) => format.denial('exhausted', request),
  }),
  altered(
    'denied-with-time',
    'The server denies, in an answer that names a relay and a time.',
    'denied',
  ),
  altered('no-decision', 'The answer lacks the decision.', 'missing'),
  altered('odd-decision', 'The answer has a decision that nobody knows.', 'odd'),
  altered('longer-decision', 'The decision begins like an admission and is none.', 'longer'),
  altered('nested-decision', 'The decision is a list.', 'nested'),
  changed(
    'failed-grant',
    'The server answers HTTP 500 with an admission in it.',
    (answer) => ({ ...answer, status: 500 }),
    admitsWithError,
  ),
  changed('web-page', 'A web page comes in place of an answer.', () => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>1</title><p>AcsRes "1", "valid": true, granted, code 0000',
  })),
  changed('gateway', 'A proxy answers HTTP 502 with a web page.', () => ({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
  })),
  changed('malformed', 'The JSON of the answer is broken.', (answer) => ({
    ...answer,
    body: answer.body.startsWith('{') ? answer.body.slice(0, -2) : 'code=',
  })),
  changed('empty', 'The answer is empty.', (answer) => ({ ...answer, body: '' })),
];
