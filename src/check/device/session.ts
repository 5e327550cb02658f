import type { SeenRequest } from './wire/seen-request.ts';
import type { Sight } from './witness.ts';

/** One presentation, with the requests that it caused and what was seen. */
export interface Observation {
  readonly code: string;
  readonly presentedAtMs: number;
  readonly sight: Sight;
}

/**
 * Everything that a session saw. It is plain JSON, so that a session can be interrupted and resumed, and the cases are judged from it alone.
 */
export interface SessionRecord {
  readonly version: 1;
  /** The setup, so that nothing has to be typed again. */
  readonly key: string;
  /** 0 until the server listens. */
  port: number;
  readonly kind: 'device' | 'client';
  model: string | undefined;
  /** Scenes that are over. */
  readonly played: string[];
  /** Scenes that could not be played, and why. */
  readonly omitted: Record<string, string>;
  readonly observations: Record<string, Observation>;
  /** Every request of the session, in the order of their arrival. */
  readonly requests: SeenRequest[];
  /** Moments, in milliseconds since the session began. */
  readonly marks: Record<string, number>;
  /** When the door opened although nothing was presented; older records do not have it. */
  strayOpenings?: number[];
  /** When the door opened once more after it had closed, in the same presentation. */
  reopenings?: number[];
  /** What a person said of the time between the presentations. */
  betweenScenes?: { readonly when: string; readonly opened?: boolean | undefined }[];
  /** What arrived and was not HTTP. */
  readonly broken: string[];
  elapsedMs: number;
}

/** The record of a session that begins. */
export function newRecord(kind: 'device' | 'client', key: string): SessionRecord {
  return {
    version: 1,
    key,
    port: 0,
    kind,
    model: undefined,
    played: [],
    omitted: {},
    observations: {},
    requests: [],
    marks: {},
    broken: [],
    elapsedMs: 0,
  };
}
