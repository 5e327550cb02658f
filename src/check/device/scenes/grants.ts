import { isRecord, parsedJson } from '../../facts/json.ts';
import { type Format, NO_REQUEST } from '../formats/format.ts';
import type { Stage } from '../stage.ts';
import type { Answer } from '../wire/answer.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import { pathOf } from '../wire/seen-request.ts';
import type { Shown, Want } from '../witness.ts';
import { withMembers } from './members.ts';
import type { Scene } from './scene.ts';
import { FULL_NAME, FULL_NOTE } from './texts.ts';
import { granted, sceneOf, take } from './turn.ts';

/** From the end of a connection until every device has heard of it. */
const CLOSED_MS = 200;
/** Section 2.4: the uses of a permanent card. */
const PERMANENT_USES = 9999;
const NO_RELAY = 'this model is not told which relay to switch, nor for how long';
const NO_JSON = 'this model is not answered with JSON';
const FULL = { name: FULL_NAME, note: FULL_NOTE } as const;

function timed(id: string, relay: 0 | 1, which: 0 | 1): Scene {
  return {
    id,
    kind: 'device',
    obstacle: ({ features }) => (features.relay || features.seconds ? undefined : NO_RELAY),
    play(stage) {
      const seconds = stage.settings.openSeconds[which];
      return take(stage, {
        id,
        hint: `The server admits; relay ${relay === 0 ? 'IN' : 'OUT'} for ${seconds} seconds.`,
        wants: ['door', ...wantsOf(stage.format)],
        answer: (_good, { format, request }) => granted(stage, format, request, { relay, seconds }),
      });
    },
  };
}

function wantsOf({ features }: Format): Want[] {
  return [
    ...(features.relay ? (['relay'] as const) : []),
    ...(features.seconds ? (['seconds'] as const) : []),
  ];
}

/** A new text of the same JSON: other order, other spaces, every letter beyond ASCII escaped, one member more, and a charset. */
function rewritten(answer: Answer): Answer {
  const before = parsedJson(answer.body);
  if (!isRecord(before)) return answer;
  const members = Object.entries(before).reverse();
  const text = JSON.stringify(Object.fromEntries([['Extra', 'x'], ...members]), null, 2);
  const body = text.replaceAll(
    /[^\n\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { ...answer, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

/**
 * Section 2.3 and 2.4: what most tickets are. A single one, at its only use, valid between two times and without a holder; a device gets
 * no Name.
 */
function ofPlainTicket(answer: Answer, request: SeenRequest): Answer {
  const before = parsedJson(answer.body);
  if (isRecord(before) && 'AcsRes' in before) return withMembers(answer, { Name: undefined });
  if (!isRecord(before) || !('valid' in before)) return answer;
  const used = pathOf(request).endsWith('/consume') ? 1 : 0;
  return withMembers(answer, {
    ticketType: 'single',
    usesAllowed: 1,
    usesConsumed: used,
    usesRemaining: 1 - used,
    holder: undefined,
    validFrom: '2020-01-01T00:00:00.000Z',
    validUntil: '2099-01-01T00:00:00.000Z',
  });
}

/** An admission at this use, with the number of allowed uses. */
export function ofUses(
  used: number,
  allowed: number,
  stage: Stage,
  format: Format,
  request: SeenRequest,
): Answer {
  const note = `Ticket gültig (${used}/${allowed})`;
  return granted(stage, format, request, { used, allowed, note });
}

/** The longest texts that the answer to a grant may have. */
function fullText({ shown, features }: Format): Shown {
  const { name, note } = shown({ name: FULL_NAME, note: FULL_NOTE });
  return { name: features.name ? name : '', note: features.note ? note : '' };
}

/** Scenes in which the ticket is admitted. */
export const GRANT_SCENES: readonly Scene[] = [
  sceneOf({
    id: 'granted',
    hint: 'The server admits the ticket.',
    wants: ['door', 'display'],
    text: ({ format }) => fullText(format),
    answer: (_good, { stage, format, request }) => granted(stage, format, request, FULL),
  }),
  sceneOf({
    id: 'again',
    again: 'granted',
    hint: 'The same card once more. The server admits it.',
    answer: (_good, { stage, format, request }) => ofUses(2, 10, stage, format, request),
  }),
  timed('relay-in', 0, 0),
  timed('relay-out', 1, 1),
  sceneOf({
    id: 'slow',
    hint: 'The answer comes slowly, in pieces.',
    answer: (good, { stage }) => ({
      ...good,
      delivery: { kind: 'slow', ms: stage.settings.waitTimeMs / 3 },
    }),
  }),
  sceneOf({
    id: 'chunked',
    hint: 'The server admits, with a chunked answer.',
    answer: (good) => ({ ...good, delivery: { kind: 'chunked' } }),
  }),
  sceneOf({
    id: 'rewritten',
    obstacle: (format, stage) =>
      isRecord(parsedJson(granted(stage, format, NO_REQUEST).body)) ? undefined : NO_JSON,
    hint: 'The server admits, with the members of its answer in another order.',
    wants: ['door', 'display'],
    text: ({ format }) => fullText(format),
    answer: (_good, { stage, format, request }) => rewritten(granted(stage, format, request, FULL)),
  }),
  {
    id: 'closed',
    leaves: ['closed', 'after-closed'],
    async play(stage) {
      await take(stage, {
        id: 'closed',
        isLong: true,
        hint: 'A long code. The server admits without a name, and closes the connection afterwards.',
        answer: (good, { request }) => ({
          ...ofPlainTicket(good, request),
          delivery: { kind: 'closed' },
        }),
      });
      stage.server.breakConnections();
      // A card that is posted while the connection ends may be lost with every device.
      await stage.pause(CLOSED_MS);
      await take(stage, {
        id: 'after-closed',
        hint: 'The server had closed the connection. It admits.',
        answer: (_good, { stage, format, request }) =>
          ofUses(1, PERMANENT_USES, stage, format, request),
      });
    },
  },
];
