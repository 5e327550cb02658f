import type { Format } from '../formats/format.ts';
import type { SubjectKind } from '../formats/formats.ts';
import type { Stage } from '../stage.ts';

/** A part of a session: what the server does, what is presented, and what is looked at. Cases judge what it leaves. */
export interface Scene {
  readonly id: string;
  /** The names of its observations; its id when left out. */
  readonly leaves?: readonly string[];
  /** The only kind that it is for; both when left out. */
  readonly kind?: SubjectKind;
  /** Earlier scenes that it builds on. */
  readonly after?: readonly string[];
  /** Why the scene cannot be played with this format and witness; undefined when it can. */
  readonly obstacle?: (format: Format, stage: Stage) => string | undefined;
  play(stage: Stage): Promise<void>;
}
