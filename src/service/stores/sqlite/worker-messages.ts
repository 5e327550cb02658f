import type { Explanation } from '../../../core/error-reasons.ts';
import type { ErrorCode } from '../../../core/errors.ts';
import type { StoreMethod } from '../forwarding-store.ts';
import type { FormatOptions } from '../store-format.ts';

/** What the thread is started with. */
export interface OpenedBy {
  readonly path: string;
  readonly options: FormatOptions;
}

/**
 * Between a store and the thread that owns its database; sent as JSON text, which costs a third of what a structured
 * clone of the same small objects does.
 */
export interface Call {
  readonly id: number;
  readonly method: StoreMethod;
  readonly args: readonly unknown[];
}

export interface Reply {
  /** Of the call; 0 reports that the database is open, or why it is not. */
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}

/** An error's class does not cross threads; this does. */
export interface Failure extends Explanation {
  /** Null for a fault that is not ours. */
  readonly code: ErrorCode | null;
  readonly message: string;
}
