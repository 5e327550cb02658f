import { AsyncLocalStorage } from 'node:async_hooks';
import type { Explanation } from '../../features/explain/explanation.ts';
import type { Hit } from '../faults/fault-book.ts';

/** What goes on around one exchange: what was read in it, what is to go wrong, and why it is answered as it is. */
export interface ExchangeContext {
  readonly ticketCode: string | undefined;
  readonly hits: readonly Hit[];
  /** Aborted when the service was reset: this exchange may then change nothing more. */
  readonly curtain: AbortSignal;
  explanation: Explanation | null;
}

/** Of the exchange that the running code works for. */
export const exchangeContext = new AsyncLocalStorage<ExchangeContext>();
