import type { Format } from '../formats/format.ts';
import type { SubjectKind } from '../formats/formats.ts';
import type { Stage } from '../stage.ts';

/** A part of a session: what the server does, what is presented, and what is looked at. Cases judge what it leaves. */
export interface Scene {
  readonly id: string;
  /** The names of what is seen in it, where it is not its id alone. */
  readonly leaves?: readonly string[];
  /** Only for one kind; both without it. */
  readonly kind?: SubjectKind;
  /** Scenes whose traces it uses. */
  readonly after?: readonly string[];
  /** Why it cannot be played with this format and witness; undefined when it can. */
  readonly obstacle?: (format: Format, stage: Stage) => string | undefined;
  play(stage: Stage): Promise<void>;
}
