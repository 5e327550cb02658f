import { pathOf, requestLine, statusOf } from '../../kit/http1.ts';
import type { StoredExchange } from '../recording.ts';
import type { ExchangeLine } from './show-kinds.ts';

/** The output line of an exchange, without keys and codes. */
export function exchangeLine(exchange: StoredExchange): ExchangeLine {
  const { number, model, request, response, durationMs, failure } = exchange;
  const { method = '?', target = '?' } = requestLine(request.head) ?? {};
  return {
    number,
    model,
    method,
    path: pathOf(target),
    status: response ? statusOf(response.head) : null,
    ms: Math.round(durationMs),
    ...(failure === undefined ? {} : { failure }),
  };
}
