import type { Level } from './level.ts';
import type { Scan } from './scan.ts';
import type { KeyName, TicketKind } from './target.ts';

/** `scan` cases run in parallel; `review` cases look at every answer of the run; `rate-limits` cases run last, alone. */
type Phase = 'scan' | 'review' | 'rate-limits';

/** How many tickets of each kind, or uses of them. */
export type TicketCounts = Readonly<Partial<Record<TicketKind, number>>>;

/** What a case or a sample wants from the target before it can run. */
export interface Needs {
  readonly keys?: readonly KeyName[];
  readonly tickets?: TicketCounts;
  /**
   * The uses that a right server takes, at most. Given (even empty) for everything that sends a real ticket to a
   * consume endpoint: such a case runs only with consent, on tickets that no other case gets.
   */
  readonly uses?: TicketCounts;
}

/** One requirement of the specification, as it can be seen from outside. */
export interface CheckCase extends Needs {
  /** A name bound to a section, never a position: `4.2/consume-registers-one-use`. */
  readonly id: string;
  readonly level: Level;
  readonly phase?: Phase;
  /** The requirement in one sentence. */
  readonly requirement: string;
  /** What usually is wrong in a server that fails this. */
  readonly cause: string;
  /** Shared answers that it judges; fetched once a run. */
  readonly samples?: readonly string[];
  /**
   * Throws a Deviation when the requirement is not kept. A text that it returns is what was seen, and makes a case
   * that is not `stated` an observation.
   */
  run(scan: Scan): Promise<Seen>;
}

/** What a case that kept its requirement says; `Unknown` when it could not tell. */
// biome-ignore lint/suspicious/noConfusingVoidType: a case that has nothing to say just ends.
export type Seen = string | NotApplicable | void;

/** The case cannot tell on this target: it is skipped with this reason. */
export class NotApplicable {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The section of the specification that a case or sample belongs to: what stands before the slash of its id. */
export function sectionOf(id: string): string {
  return id.slice(0, id.indexOf('/'));
}
