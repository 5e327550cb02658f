import type { Format, GrantFacts } from '../formats/format.ts';
import type { Answer, SeenRequest } from '../http.ts';
import type { Session, Turn } from '../session.ts';
import type { DeviceSettings, SubjectKind } from '../session-record.ts';

/** Section 8: exactly the 16 bytes that a display holds, with umlauts. */
export const FULL_NAME = 'Jürgen Größer';
/** Section 8: exactly 32 bytes. */
export const FULL_NOTE = 'Ticket gültig (1/10) Viel Spaß';
/** Section 7.3. */
const NOTE = 'Ticket gültig (1/10)';
const NAME = 'Mehrfachkarte';

/** What a person is told of the card of the first scene, when it comes again. */
export const AGAIN = 'The card of the first step once more.';
/** The scene whose card a device may know afterwards. */
export const KNOWN_CARD = 'granted';
export const NO_JSON = 'this model is not answered with JSON';
export const MAY_ADMIT = 'the device file does not say that this is no admission';

/** A part of a session: what the server does, what is presented, and what is looked at. Cases judge what it leaves. */
export interface Scene {
  readonly id: string;
  /** The names of its presentations; its id when left out. */
  readonly leaves?: readonly string[] | undefined;
  /** The only kind that it is for; both when left out. */
  readonly kind?: SubjectKind | undefined;
  /** Earlier scenes that it builds on. */
  readonly after?: readonly string[] | undefined;
  /** Why the scene cannot be played with this format and observer; undefined when it can. */
  readonly skipReason?: ((session: Session) => string | undefined) | undefined;
  play(session: Session): Promise<void>;
}

/** A request, and how many of the same turn came before it. */
interface Asked {
  readonly session: Session;
  readonly format: Format;
  readonly request: SeenRequest;
  readonly index: number;
}

/** How a card is presented, and how the server answers. */
export interface TurnRow extends Pick<Turn, 'isLong' | 'again'> {
  /** What the display should show. */
  readonly text?: (session: Session) => Turn['text'];
  /** Only the door, when left out. */
  readonly wants?: Turn['wants'];
  /** How the admission differs from the usual one. */
  readonly grant?: Partial<GrantFacts>;
  /** Changes the admission. */
  readonly answer?: (good: Answer, asked: Asked) => Answer;
  /** How the answer is sent: at once and whole, when left out. */
  readonly delivery?: Answer['delivery'] | ((settings: DeviceSettings) => Answer['delivery']);
  readonly holdMs?: (settings: DeviceSettings) => number;
}

/** An admission as usual. */
export function granted(
  { format, settings }: Session,
  request: SeenRequest,
  facts: Partial<GrantFacts> = {},
): Answer {
  const [seconds] = settings.openSeconds;
  return format.grant({ name: NAME, note: NOTE, relay: 0, seconds, ...facts }, request);
}

/** Presents a card. */
export async function take(
  session: Session,
  id: string,
  hint: string,
  row: TurnRow = {},
): Promise<void> {
  const { wants = ['door'], again, isLong, grant, answer = (good) => good, delivery } = row;
  const sent = typeof delivery === 'function' ? delivery(session.settings) : delivery;
  await session.present(id, {
    hint,
    wants,
    again,
    isLong,
    text: row.text?.(session),
    holdMs: row.holdMs?.(session.settings),
    answer(request, index) {
      const good = granted(session, request, grant);
      const given = answer(good, { session, format: session.format, request, index });
      return sent === undefined ? given : { ...given, delivery: sent };
    },
  });
}

/** A scene of one card. */
export function scene(
  id: string,
  hint: string,
  { kind, skipReason, ...row }: TurnRow & Pick<Scene, 'kind' | 'skipReason'> = {},
): Scene {
  const { again } = row;
  return {
    id,
    kind,
    skipReason,
    ...(again === undefined ? {} : { after: [again] }),
    play: (session) => take(session, id, hint, row),
  };
}

/** The names of the presentations of a scene. */
export function leavesOf({ id, leaves = [id] }: Scene): readonly string[] {
  return leaves;
}
