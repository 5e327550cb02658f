import type { Level } from '../../cases/level.ts';
import type { Endpoint } from '../../requests/endpoint.ts';
import type { Format } from '../formats/format.ts';
import type { SubjectKind } from '../formats/formats.ts';
import type { Facts } from './facts.ts';

/** One requirement on a device or on client software, as a session shows it. */
export interface DeviceCase {
  /** A name bound to a section: `4.6/device-opens-on-grant`. It never changes. */
  readonly id: string;
  readonly kind: SubjectKind;
  readonly level: Level;
  /** The requirement in one sentence. */
  readonly requirement: string;
  /** What usually is wrong in a device or program that fails this. */
  readonly cause: string;
  /** The scenes that show it. */
  readonly scenes: readonly string[];
  /** Each scene shows a part of the requirement by itself: when one cannot be played, the others still count. */
  readonly inParts?: true;
  readonly endpoint: Endpoint;
  /** The case also judges what happens between the scenes; a person is asked about that. */
  readonly judgesOpeningsBetween?: true;
  /** Why the case does not apply to this format; undefined when it does. */
  readonly obstacle?: (format: Format) => string | undefined;
  /**
   * Throws a SubjectDeviation when the requirement is not met, and NotShown when the session does not show it. A text that it returns is
   * what was seen.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a case that has nothing to say just ends.
  judge(facts: Facts): string | void;
}
