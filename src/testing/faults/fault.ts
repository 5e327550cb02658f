export const FAULT_EFFECTS = [
  'delay',
  'too-many-requests',
  'server-error',
  'hang',
  'reset',
  'truncated-body',
  'malformed-body',
  'lost-answer',
] as const;
/**
 * `delay` answers late. `too-many-requests` is a 429, `server-error` a 500, each in the caller's own format. `hang` never
 * answers, `reset` breaks the connection. `truncated-body` ends in the middle, `malformed-body` is whole but no JSON.
 * `lost-answer` decides (a use is taken) and then breaks the connection.
 */
export type FaultEffect = (typeof FAULT_EFFECTS)[number];

/** Milliseconds, or a log-normal distribution around its median. */
type FaultDelay = number | { readonly medianMs: number; readonly sigma: number };

/** Which requests go wrong, and how. What is left out matches everything. */
export interface FaultRule {
  readonly effect: FaultEffect;
  /** Only for `delay`. */
  readonly delay?: FaultDelay | undefined;
  /** For `delay`, `server-error`, `hang` and `reset`: before anything is decided (the default), or after. */
  readonly when?: 'before' | 'after' | undefined;
  /** Paths such as `/scan/consume`. */
  readonly endpoint?: string | readonly string[] | undefined;
  /** A key's value, id or unique name. */
  readonly key?: string | undefined;
  /** A ticket's code or id. */
  readonly ticket?: string | undefined;
  /** The fault ends after this number of hits; without it, it stays. */
  readonly times?: number | undefined;
  /** From 0 to 1; 1 by default. */
  readonly probability?: number | undefined;
  /** Makes chance and log-normal delays repeatable; drawn, and returned, when it is left out. */
  readonly seed?: number | undefined;
}

/** A fault that is in force. */
export interface Fault {
  readonly id: string;
  readonly effect: FaultEffect;
  readonly when: 'before' | 'after';
  readonly delay: FaultDelay | null;
  /** Empty for all. */
  readonly endpoints: readonly string[];
  readonly keyId: string | null;
  readonly ticketId: string | null;
  /** How often it may still hit; null for always. */
  readonly timesLeft: number | null;
  readonly probability: number;
  readonly seed: number;
  readonly hits: number;
}
