import type { AllottedTickets, Target, TargetTicket } from '../deployment/target.ts';
import type { Exchange, RequestSpec } from '../facts/exchange.ts';
import type { Deviation } from '../facts/failures.ts';
import type { Level } from '../facts/level.ts';
import type { SpareKeys } from '../key-changes/spare-keys.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import type { HttpsLook } from '../requests/https-look.ts';
import type { Redactor } from '../requests/redact.ts';
import type { Clock } from '../time/clock.ts';

/** Makes a key wrong; `bash` does the same to the variable that has the key. */
export type Spoil = (
  key: string,
  variable: string,
) => { readonly value: string; readonly bash: string };

/** Who sends a request: a case, or the samples that cases share. */
export interface RequestOrigin {
  readonly id: string;
  readonly level: Level;
  /** True for what came after the requirement set of the run. */
  readonly later?: true;
  /** True for what is sent beyond the limits on purpose. */
  readonly unpaced?: true;
}

/** Sends a request over a connection that others shared before. */
export type Send = (spec: RequestSpec) => Promise<Exchange>;

/** What a case may ask of the run as a whole. */
export interface RunServices {
  readonly baseUrl: URL;
  readonly target: Target;
  readonly answers: ExpectedAnswers;
  readonly redactor: Redactor;
  readonly exchanges: readonly Exchange[];
  readonly clock: Clock;
  send(spec: RequestSpec, owner: RequestOrigin): Promise<Exchange>;
  sendTogether(specs: readonly RequestSpec[], owner: RequestOrigin): Promise<Exchange[]>;
  onOneConnection<T>(owner: RequestOrigin, work: (send: Send) => Promise<T>): Promise<T>;
  /** How many requests of one key may leave at once. */
  readonly burst: number;
  /** Resolves after that time, and earlier where the run is stopped. */
  pause(ms: number): Promise<void>;
  sendUnpaced(spec: RequestSpec, owner: RequestOrigin): Promise<Exchange>;
  sample(name: string): Promise<Exchange>;
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
  has(sample: string): boolean;
  /** What validate answered about the ticket of a sample before it was consumed. */
  before(sample: string): Exchange | undefined;
  remember(sample: string, exchange: Exchange): void;
  isGenuine(code: string): boolean;
  ticketsOf(sample: string): Allotment;
  readonly https: HttpsLook;
  readonly spareKeys: SpareKeys;
  /** True for what another case of the run has shown. */
  isExplained(deviation: Deviation): boolean;
  /** @throws UnreachableError when the server is gone or the run was stopped */
  throwIfGone(): void;
}

/** What the plan gives to one owner. */
export interface Allotment {
  readonly tickets: AllottedTickets;
  readonly decoys: readonly TargetTicket[];
  readonly sharedCard: TargetTicket | undefined;
}
