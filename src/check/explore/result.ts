import type { TicketKind } from '../target/target.ts';
import type { Coverage } from './coverage.ts';
import type { SavedHistory } from './histories/history-file.ts';
import type { Rule } from './model/violation.ts';

/** What an exploration may send and spend at most, known before the first request. */
export interface ExploreStart {
  readonly seed: number;
  /** Requests at most, to find a fault and to shrink it. */
  readonly requests: number;
  /** Their share of the 500,000 that a key may send in a month (section 8), in percent. */
  readonly monthPercent: number;
  /** Uses at most. */
  readonly uses: number;
  readonly byKind: readonly {
    readonly kind: TicketKind;
    readonly tickets: number;
    readonly uses: number;
  }[];
}

/** A fault, as short as it could be made. */
export interface Failure {
  readonly rule: Rule;
  /** Of the specification. */
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** `fully`: no step can be left out. `not fully`: perhaps one can. `not again`: it came up once and never again. */
  readonly shrunk: 'fully' | 'not fully' | 'not again';
  /** What ended the shrinking early; null when nothing did. */
  readonly reason: string | null;
  readonly cameBack: { readonly times: number; readonly tries: number };
  readonly steps: number;
  /** A line for each step, with the answers. */
  readonly story: readonly string[];
  /** What `replay` runs again. */
  readonly history: SavedHistory;
}

/** What an exploration found. */
export interface ExploreResult {
  readonly target: string;
  readonly verdict: 'nothing-found' | 'deviates' | 'stopped';
  readonly seed: number;
  readonly durationMs: number;
  readonly requests: { readonly find: number; readonly shrink: number };
  /** Uses that the service granted. */
  readonly usesGranted: number;
  /** Answers that said that a rate limit was exceeded; each was waited for. */
  readonly limited: number;
  readonly coverage: Coverage;
  readonly notes: readonly string[];
  readonly failure: Failure | null;
}
