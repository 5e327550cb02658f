import { isRecord, parsedJson } from '../../facts/json.ts';
import { type Format, type GrantFacts, NO_REQUEST } from '../formats/format.ts';
import type { Presentation, Stage } from '../stage.ts';
import type { Answer, Delivery } from '../wire/answer.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import type { Shown, Want } from '../witness.ts';
import type { Scene } from './scene.ts';
import { FULL_NAME, FULL_NOTE, NAME, NOTE } from './texts.ts';

/** From the end of a connection until every device has heard of it. */
const CLOSED_MS = 200;
const NO_RELAY = 'this model is not told which relay to switch, nor for how long';
const NO_JSON = 'this model is not answered with JSON';

/** An admission as usual. */
export function granted(
  stage: Stage,
  format: Format,
  request: SeenRequest,
  facts: Partial<GrantFacts> = {},
): Answer {
  const seconds = stage.settings.openSeconds[0];
  return format.grant({ name: NAME, note: NOTE, relay: 0, seconds, ...facts }, request);
}

/** Presents a card and admits it, with an answer that comes in this way. */
function admission(id: string, hint: string, delivery: (stage: Stage) => Delivery): Scene {
  return {
    id,
    play: (stage) =>
      stage.present(id, {
        hint,
        wants: ['door'],
        answer: (format, request) => ({
          ...granted(stage, format, request),
          delivery: delivery(stage),
        }),
      }),
  };
}

/** Presents the card of the first scene, which was admitted there, as soon as it may be posted again. */
export async function presentKnown(
  stage: Stage,
  name: string,
  presentation: Omit<Presentation, 'again'>,
): Promise<void> {
  const code = stage.codeOf('granted');
  const times = Object.values(stage.record.observations)
    .filter((one) => one.code === code)
    .map(({ presentedAtMs }) => presentedAtMs);
  const nextMs = Math.max(0, ...times) + stage.settings.antiRepeatMs;
  await stage.pause(Math.max(0, nextMs - stage.now()) + 50);
  await stage.present(name, { ...presentation, again: code });
}

function timed(id: string, relay: 0 | 1, which: 0 | 1): Scene {
  return {
    id,
    kind: 'device',
    obstacle: ({ features }) => (features.relay || features.seconds ? undefined : NO_RELAY),
    play: (stage) =>
      stage.present(id, {
        hint: `The server admits; relay ${relay === 0 ? 'IN' : 'OUT'} for ${stage.settings.openSeconds[which]} seconds.`,
        wants: ['door', ...wantsOf(stage.format)],
        answer: (format, request) =>
          granted(stage, format, request, { relay, seconds: stage.settings.openSeconds[which] }),
      }),
  };
}

function wantsOf({ features }: Format): Want[] {
  return [
    ...(features.relay ? (['relay'] as const) : []),
    ...(features.seconds ? (['seconds'] as const) : []),
  ];
}

/** A new text of the same JSON: other order, other spaces, every letter beyond ASCII escaped, one member more. */
function rewritten(answer: Answer): Answer {
  try {
    const members = Object.entries(JSON.parse(answer.body) as object).reverse();
    const text = JSON.stringify(Object.fromEntries([['Extra', 'x'], ...members]), null, 2);
    const body = text.replaceAll(
      /[^\n\x20-\x7e]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return { ...answer, body };
  } catch {
    return answer;
  }
}

/** The longest texts of a grant, as far as its answer has them. */
function fullText({ shown, features }: Format): Shown {
  const { name, note } = shown({ name: FULL_NAME, note: FULL_NOTE });
  return { name: features.name ? name : '', note: features.note ? note : '' };
}

/** Scenes in which the ticket is admitted. */
export const GRANT_SCENES: readonly Scene[] = [
  {
    id: 'granted',
    play: (stage) =>
      stage.present('granted', {
        hint: 'The server admits the ticket.',
        wants: ['door', 'display'],
        text: fullText(stage.format),
        answer: (format, request) =>
          granted(stage, format, request, { name: FULL_NAME, note: FULL_NOTE }),
      }),
  },
  {
    id: 'again',
    after: ['granted'],
    play: (stage) =>
      presentKnown(stage, 'again', {
        hint: 'The same card once more. The server admits it.',
        wants: ['door'],
        answer: (format, request) => granted(stage, format, request),
      }),
  },
  timed('relay-in', 0, 0),
  timed('relay-out', 1, 1),
  admission('slow', 'The answer comes slowly, in pieces.', ({ settings }) => ({
    kind: 'slow',
    ms: settings.waitTimeMs / 3,
  })),
  admission('chunked', 'The server admits, with a chunked answer.', () => ({ kind: 'chunked' })),
  {
    id: 'rewritten',
    obstacle: (format, stage) =>
      isRecord(parsedJson(granted(stage, format, NO_REQUEST).body)) ? undefined : NO_JSON,
    play: (stage) =>
      stage.present('rewritten', {
        hint: 'The server admits, with the members of its answer in another order.',
        wants: ['door', 'display'],
        text: fullText(stage.format),
        answer: (format, request) =>
          rewritten(granted(stage, format, request, { name: FULL_NAME, note: FULL_NOTE })),
      }),
  },
  {
    id: 'closed',
    leaves: ['closed', 'after-closed'],
    async play(stage) {
      await stage.present('closed', {
        hint: 'The server admits, and closes the connection afterwards.',
        wants: ['door'],
        answer: (format, request) => ({
          ...granted(stage, format, request),
          delivery: { kind: 'closed' },
        }),
      });
      stage.server.breakConnections();
      // A card that is posted while the connection ends may be lost with every device.
      await stage.pause(CLOSED_MS);
      await stage.present('after-closed', {
        hint: 'The server had closed the connection. It admits.',
        wants: ['door'],
        answer: (format, request) => granted(stage, format, request),
      });
    },
  },
];
