import { type Clock, isoTime } from '../../core/clock.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { decodeUtf8 } from '../../kit/utf8.ts';
import { explainRefusedKey } from '../../service/explain/explain.ts';
import type { Endpoint, ServedEndpoint, ServedExchange } from '../../service/http/exchange.ts';
import { type ScanContent, scanContentOf } from '../../service/http/scan-content.ts';
import type { Store } from '../../service/stores/store.ts';
import type { RecordedExchange } from '../controls.ts';
import { CapturedAnswer } from '../faults/captured-answer.ts';
import { barredBy, delayed, deliver } from '../faults/delivery.ts';
import type { FaultBook } from '../faults/fault-book.ts';
import { type ExchangeContext, exchangeContext } from './exchange-context.ts';
import type { ExchangeLog } from './exchange-log.ts';
import { redact, redactText } from './redact.ts';
import { keyOfValue, whyRefused } from './refused-key.ts';

/** What an endpoint on stage needs. */
export interface Stage {
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: FaultBook;
  readonly exchanges: ExchangeLog;
  /** Aborted when everything begins anew: what a fault holds back is then broken off. */
  readonly curtain: () => AbortSignal;
}

/**
 * An endpoint with faults around it, and a record of each exchange, which is there before the answer is.
 * @param path of the endpoint, for example `/scan/consume`
 */
export function stagedEndpoint(path: string, endpoint: Endpoint, stage: Stage): ServedEndpoint {
  const perform = onStage(path, endpoint, stage);
  return (exchange) =>
    perform(exchange).catch(() => {
      // The store could not be read: nothing is known, and the client must not take silence for an answer to wait for.
      exchange.response.destroy();
    });
}

function onStage(path: string, endpoint: Endpoint, stage: Stage): ServedEndpoint {
  return async (exchange) => {
    const curtain = stage.curtain();
    const [at, startedMs] = [stage.clock.now(), performance.now()];
    const content = scanContentOf(path, exchange);
    const key = await keyOfValue(stage.store, content.keyValue);
    const ticketId = ticketIdIn(content);
    const hits = stage.faults.draw({ endpoint: path, keyId: key?.id ?? null, ticketId });
    const context: ExchangeContext = {
      ticketCode: content.ticketCode,
      hits,
      curtain,
      explanation: null,
    };
    const answer = await answered(endpoint, exchange, context);
    if (curtain.aborted) {
      exchange.response.destroy();
      return;
    }
    stage.exchanges.add({
      at: isoTime(at) ?? '',
      endpoint: path,
      key: key ? { id: key.id, name: key.name } : null,
      request: requestIn(exchange),
      device: deviceIn(content),
      ticketId,
      answer: answer ? { status: answer.status, body: redact(answer.text) } : null,
      explanation: answer ? (context.explanation ?? refusalOf(content, key)) : null,
      faults: hits.map(({ id, effect }) => ({ id, effect })),
      durationMs: Math.round((performance.now() - startedMs) * 1000) / 1000,
    });
    deliver(answer, exchange.response, hits, curtain);
  };
}

/** The service's answer, still in hand; undefined when a fault keeps the request from being decided. */
async function answered(
  endpoint: Endpoint,
  exchange: ServedExchange,
  context: ExchangeContext,
): Promise<CapturedAnswer | undefined> {
  const { hits, curtain } = context;
  if (!(await delayed(hits, 'before', curtain)) || barredBy(hits)) return undefined;
  const response = new CapturedAnswer();
  await exchangeContext.run(context, () => endpoint({ ...exchange, response }));
  await delayed(hits, 'after', curtain);
  return response;
}

/** Why the key was refused; null when it was not. */
function refusalOf(
  content: ScanContent,
  key: ApiKeyRecord | undefined,
): RecordedExchange['explanation'] {
  const wanted = content.device ? 'hardware' : 'api';
  if (key?.active && key.type === wanted) return null;
  return explainRefusedKey(whyRefused(content.keyValue, key, wanted));
}

function deviceIn({ device }: ScanContent): RecordedExchange['device'] {
  if (!device) return null;
  const { model, serial, reader } = device;
  return { model, serial: redacted(serial), reader: redacted(reader) };
}

/** Whatever a client sends may be a key in the wrong place. */
function redacted(text: string | string[] | null | undefined): string | null {
  return typeof text === 'string' ? redactText(text) : null;
}

function ticketIdIn({ ticketCode }: ScanContent): string | null {
  return (ticketCode && splitTicketCode(ticketCode)?.ticketId) || null;
}

function requestIn({ request, body }: ServedExchange): RecordedExchange['request'] {
  const text = typeof body === 'string' ? undefined : decodeUtf8(body);
  return {
    contentType: redacted(request.headers['content-type']),
    idempotencyKey: redacted(request.headers['idempotency-key']),
    body: text === undefined ? null : redact(text),
  };
}
