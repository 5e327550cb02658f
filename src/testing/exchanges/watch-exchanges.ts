import type { RecordedExchange } from '../controls.ts';
import { EXCHANGES_KEPT, type ExchangeLog } from './exchange-log.ts';

/**
 * Every exchange from this call on, until `signal` or until the reader stops. A reader that falls behind loses the
 * oldest: what waits for it is bounded.
 */
export function watchExchanges(
  log: ExchangeLog,
  signal: AbortSignal,
): AsyncIterable<RecordedExchange> {
  const waiting: RecordedExchange[] = [];
  let wake = () => {};
  const stopListening = log.listen((exchange) => {
    waiting.push(exchange);
    if (waiting.length > EXCHANGES_KEPT) waiting.shift();
    wake();
  });
  let stopped = false;
  const stop = () => {
    stopped = true;
    stopListening();
    wake();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    async *[Symbol.asyncIterator]() {
      try {
        while (waiting.length > 0 || !stopped) {
          const next = waiting.shift();
          if (next) yield next;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        stop();
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
