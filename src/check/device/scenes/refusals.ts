import { isRecord, parsedJson } from '../../facts/json.ts';
import { DENIALS, type DenialKind } from '../formats/format.ts';
import type { Answer } from '../wire/answer.ts';
import { withMembers } from './members.ts';
import type { Scene } from './scene.ts';
import { sceneOf } from './turn.ts';

const HINTS: Readonly<Record<DenialKind, string>> = {
  exhausted: 'The server denies: the ticket is used up.',
  forged: 'The server denies: the signature is wrong.',
  expired: 'The server denies: the ticket has expired.',
  notYetValid: 'The server denies: the ticket is not valid yet.',
  unknown: 'The server denies with HTTP 404: no such ticket.',
  outOfScope: 'The server denies with HTTP 403: another event.',
  refusedKey: 'The server refuses the key with HTTP 401.',
  unreadable: 'The server answers HTTP 400.',
  limited: 'The server answers HTTP 429 to each request.',
  failed: 'The server answers HTTP 500 to each request.',
};

/** The scene of a denial. */
export function denialScene(kind: DenialKind): string {
  return `denied-${kind}`;
}

function denial(kind: DenialKind): Scene {
  const id = denialScene(kind);
  return {
    id,
    play: (stage) => {
      const note = stage.format.textOf(kind);
      return stage.present(id, {
        hint: HINTS[kind],
        wants: note === '' ? ['door', 'told'] : ['door', 'display'],
        text: { name: '', note },
        answer: (format) => withRetryAfter(format.denial(kind)),
      });
    },
  };
}

function withRetryAfter(answer: Answer): Answer {
  if (answer.status !== 429) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } };
}

/** An admission of which one thing is changed, so that it is none. */
function changed(id: string, hint: string, change: (answer: Answer) => Answer): Scene {
  return sceneOf({ id, hint, wants: ['door', 'told'], answer: change });
}

function yes(answer: Answer, value: unknown): Answer {
  const before = parsedJson(answer.body);
  if (isRecord(before) && 'access' in before)
    return withMembers(answer, { access: { granted: value } });
  if (isRecord(before) && 'valid' in before) return withMembers(answer, { valid: value });
  return withMembers(answer, { AcsRes: value });
}

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
    answer: (_good, { format }) => format.denial('exhausted'),
  }),
  changed(
    'denied-with-time',
    'The server denies, in an answer that names a relay and a time.',
    (answer) => yes(answer, answer.body.includes('AcsRes') ? '0' : false),
  ),
  changed('no-decision', 'The answer lacks the decision.', (answer) => yes(answer, undefined)),
  changed('odd-decision', 'The answer has a decision that nobody knows.', (answer) =>
    yes(answer, answer.body.includes('AcsRes') ? '2' : 1),
  ),
  changed('longer-decision', 'The decision begins like an admission and is none.', (answer) =>
    yes(answer, answer.body.includes('AcsRes') ? '10' : 'true'),
  ),
  changed('nested-decision', 'The decision is a list.', (answer) =>
    yes(answer, [answer.body.includes('AcsRes') ? '1' : true]),
  ),
  changed('failed-grant', 'The server answers HTTP 500 with an admission in it.', (answer) => ({
    ...answer,
    status: 500,
  })),
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
