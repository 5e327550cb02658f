import {
  type Alteration,
  DENIALS,
  type DenialKind,
  type GrantFacts,
  NO_REQUEST,
} from '../formats/format.ts';
import type { Answer } from '../wire/answer.ts';
import { ofUses } from './grants.ts';
import type { Scene } from './scene.ts';
import { granted, KNOWN_CARD, sceneOf, untilItMayBePostedAgain } from './turn.ts';

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
    play: async (stage) => {
      const { format } = stage;
      const note = format.textOf(kind);
      const { status } = format.denial(kind, NO_REQUEST);
      const again = status === 200 ? undefined : stage.codeOf(KNOWN_CARD);
      if (again !== undefined) await untilItMayBePostedAgain(stage, again);
      await stage.present(id, {
        hint: `${again === undefined ? '' : 'The card of the first step once more. '}${hintOf(kind, status)}`,
        again,
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

/** An admission with one change that makes it invalid. */
function changed(
  id: string,
  hint: string,
  change: (answer: Answer) => Answer,
  obstacle = mayAdmit(change),
): Scene {
  // A device may open for a card that it knows, and for no other.
  return sceneOf({
    id,
    again: KNOWN_CARD,
    hint: `The card of the first step once more. ${hint}`,
    obstacle,
    wants: ['door', 'told'],
    answer: change,
  });
}

/** A correct device may open on some answers, where its file does not say. */
function mayAdmit(change: (answer: Answer) => Answer): Obstacle {
  return (format, stage) =>
    format.mayAdmit(change(granted(stage, format, NO_REQUEST))) ? MAY_ADMIT : undefined;
}

/** An admission with another decision. */
function altered(
  id: string,
  hint: string,
  alteration: Alteration,
  facts: Partial<GrantFacts> = {},
): Scene {
  return sceneOf({
    id,
    hint,
    obstacle: (format, stage) =>
      format.altered(granted(stage, format, NO_REQUEST), alteration) ? undefined : MAY_ADMIT,
    wants: ['door', 'told'],
    answer: (_good, { stage, format, request }) =>
      format.altered(granted(stage, format, request, facts), alteration) ??
      format.denial('exhausted', request),
  });
}

/** Another status in front of an admission; only a file can say that its admissions have an error's. */
function withStatus(id: string, status: number): Scene {
  return changed(
    id,
    `The server answers HTTP ${status} with an admission in it.`,
    (answer) => ({ ...answer, status }),
    (format, stage) =>
      Math.floor(granted(stage, format, NO_REQUEST).status / 100) === Math.floor(status / 100)
        ? MAY_ADMIT
        : undefined,
  );
}

/** Scenes in which the door must stay shut because of what the answer says. */
export const REFUSAL_SCENES: readonly Scene[] = [
  ...DENIALS.map(denial),
  sceneOf({
    id: 'admitted-later',
    again: denialScene('notYetValid'),
    hint: 'The card that was not valid yet, once more. The server admits it now.',
    answer: (_good, { stage, format, request }) => ofUses(1, 1, stage, format, request),
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
    { relay: 1 },
  ),
  altered('no-decision', 'The answer lacks the decision.', 'missing'),
  altered('odd-decision', 'The answer has a decision that nobody knows.', 'odd'),
  altered('longer-decision', 'The decision begins like an admission and is none.', 'longer'),
  altered('nested-decision', 'The decision is a list.', 'nested'),
  altered('true-decision', 'The decision is true or "yes".', 'true'),
  withStatus('failed-grant', 500),
  withStatus('unavailable-grant', 503),
  withStatus('refused-grant', 403),
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
