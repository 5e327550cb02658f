import { type Clock, isoTime } from '../../core/clock.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { explainRefusedKey } from '../../features/explain/explain.ts';
import { decodeUtf8 } from '../../kit/text.ts';
import type {
  Endpoint,
  HttpDeps,
  ServedEndpoint,
  ServedExchange,
} from '../../scan/http/exchange.ts';
import { rememberVariations } from '../../scan/http/request-log.ts';
import { type ScanContent, scanContentOf } from '../../scan/http/scan-endpoints.ts';
import type { Store } from '../../stores/store.ts';
import type { RecordedExchange } from '../controls.ts';
import { barredBy, CapturedAnswer, delayed, deliver, isSpoilt } from '../faults/delivery.ts';
import type { FaultRules, Hit } from '../faults/faults.ts';
import { type Turn, Variations, type VariedAnswer, type VaryOptions } from '../vary/variations.ts';
import { type ExchangeLog, redact, redactText } from './exchange-log.ts';
import {
  type ExchangeContext,
  exchangeContext,
  keyOfValue,
  whyRefused,
} from './observed-service.ts';

/** What an endpoint on stage needs. */
export interface Stage {
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: FaultRules;
  readonly variations: Variations | undefined;
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
    const vary = stage.variations?.next();
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
    const { request, response } = exchange;
    const varied = answer && variedAnswer(answer, request, hits, vary);
    rememberVariations(request, varied?.names ?? []);
    stage.exchanges.add({
      at: isoTime(at) ?? '',
      endpoint: path,
      key: key ? { id: key.id, name: key.name } : null,
      request: requestIn(exchange),
      device: deviceIn(content),
      ticketId,
      ...answerIn(answer, content, key, context),
      faults: hits.map(({ id, effect }) => ({ id, effect })),
      variations: varied?.names ?? [],
      durationMs: Math.round((performance.now() - startedMs) * 1000) / 1000,
    });
    if (varied) varied.send(response);
    else deliver(answer, response, hits, curtain);
  };
}

/** What was answered and why; nothing where a fault kept the request from being decided. */
function answerIn(
  answer: CapturedAnswer | undefined,
  content: ScanContent,
  key: ApiKeyRecord | undefined,
  { explanation }: ExchangeContext,
): Pick<RecordedExchange, 'answer' | 'explanation'> {
  if (!answer) return { answer: null, explanation: null };
  const { status, text } = answer;
  return {
    answer: { status, body: redact(text) },
    explanation: explanation ?? refusalOf(content, key),
  };
}

/** Undefined where answers do not vary, or where a fault spoils this one. */
function variedAnswer(
  answer: CapturedAnswer,
  request: ServedExchange['request'],
  hits: readonly Hit[],
  vary: Turn | undefined,
): VariedAnswer | undefined {
  return isSpoilt(hits) ? undefined : vary?.(answer, request);
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

/** What the HTTP layer is built on, with answers that differ and nothing else for tests. */
export function varied(deps: Omit<HttpDeps, 'testHooks'>, options: VaryOptions): HttpDeps {
  const variations = new Variations(options);
  const around = (_path: string, endpoint: Endpoint) => variedEndpoint(endpoint, variations);
  return { ...deps, testHooks: { around, requestLevel: 'info' } };
}

/** An endpoint whose answers differ as `variations` chooses. */
function variedEndpoint(endpoint: Endpoint, variations: Variations): ServedEndpoint {
  return async (exchange) => {
    const vary = variations.next();
    const answer = new CapturedAnswer();
    await endpoint({ ...exchange, response: answer });
    const { request, response } = exchange;
    const varied = vary(answer, request);
    rememberVariations(request, varied.names);
    varied.send(response);
  };
}
