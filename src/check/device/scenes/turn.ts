import type { Format, GrantFacts } from '../formats/format.ts';
import type { DeviceSettings } from '../settings.ts';
import type { Presentation, Stage } from '../stage.ts';
import type { Answer } from '../wire/answer.ts';
import type { SeenRequest } from '../wire/seen-request.ts';
import type { Scene } from './scene.ts';
import { NAME, NOTE } from './texts.ts';

/** A card that is presented once, and how the server answers. */
interface Turn extends Pick<Presentation, 'hint' | 'isLong'> {
  /** The name of its observation. */
  readonly id: string;
  /** What the display should show. */
  readonly text?: (stage: Stage) => Presentation['text'];
  /** Only the door, when left out. */
  readonly wants?: Presentation['wants'];
  /** Changes the usual admission; that one, when left out. */
  readonly answer?: (good: Answer, asked: Asked) => Answer;
  readonly atLeastMs?: (settings: DeviceSettings) => number;
  /** The card of this earlier turn, as soon as it may be posted again. */
  readonly again?: string;
}

/** A request, and how many of the same turn came before it. */
interface Asked {
  readonly stage: Stage;
  readonly format: Format;
  readonly request: SeenRequest;
  readonly index: number;
}

/** The scene whose card a device may know afterwards. */
export const KNOWN_CARD = 'granted';

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

/** Plays a turn. */
export async function take(stage: Stage, turn: Turn): Promise<void> {
  const { id, hint, isLong, wants = ['door'], answer = (good) => good } = turn;
  const again = turn.again === undefined ? undefined : stage.codeOf(turn.again);
  if (again !== undefined) await untilItMayBePostedAgain(stage, again);
  await stage.present(id, {
    hint,
    wants,
    text: turn.text?.(stage),
    isLong,
    again,
    atLeastMs: turn.atLeastMs?.(stage.settings),
    answer: (format, request, index) =>
      answer(granted(stage, format, request), { stage, format, request, index }),
  });
}

/** A scene of one turn. */
export function sceneOf(turn: Turn & Omit<Scene, 'play' | 'leaves'>): Scene {
  const { id, kind, obstacle } = turn;
  return {
    id,
    ...(kind && { kind }),
    ...(obstacle && { obstacle }),
    ...(turn.again !== undefined && { after: [turn.again] }),
    play: (stage) => take(stage, turn),
  };
}

/** Waits until the anti-repeat time of the device is over for this card. */
export async function untilItMayBePostedAgain(stage: Stage, code: string): Promise<void> {
  const times = Object.values(stage.record.observations)
    .filter((one) => one.code === code)
    .map(({ presentedAtMs }) => presentedAtMs);
  const nextMs = Math.max(0, ...times) + stage.settings.antiRepeatMs;
  await stage.pause(Math.max(0, nextMs - stage.now()) + 50);
}
