import type { Action } from '../core/decision.ts';
import { messageOf } from '../core/errors.ts';
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../core/limits.ts';
import { REST_PATHS } from '../core/scan-paths.ts';
import type { ScanAnswer } from '../scan/scan-service.ts';
import type { HttpDeps } from './deps.ts';
import { type Endpoint, type Exchange, send } from './exchange.ts';
import { readObject, readText } from './read-json.ts';
import { scanResultText, statusOf } from './scan-result.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const FORBIDDEN = '{"message":"Forbidden"}';
const TOO_MANY_REQUESTS = '{"message":"Too Many Requests"}';
const SERVER_ERROR = '{"message":"Internal Server Error"}';
const RETRY_CONFLICT =
  '{"message":"This Idempotency-Key was used with another body within the last 24 hours"}';
const BAD_IDEMPOTENCY_KEY =
  '{"message":"Idempotency-Key must have 1 to 255 visible ASCII characters"}';

/** Sections 4.1 and 4.2. Reads the wire, asks the service, writes the wire; decides nothing. */
export function restEndpoints(deps: HttpDeps): [path: string, endpoint: Endpoint][] {
  return [
    [REST_PATHS.validate, (exchange) => answerScan(deps, 'validate', exchange)],
    [REST_PATHS.consume, (exchange) => answerScan(deps, 'consume', exchange)],
  ];
}

async function answerScan(deps: HttpDeps, action: Action, exchange: Exchange): Promise<void> {
  const { headers } = exchange.request;
  try {
    const value = headers['x-api-key'];
    const found = typeof value === 'string' ? deps.service.findKey(value, 'api') : undefined;
    const key = found instanceof Promise ? await found : found;
    if (!key) return send(exchange, 401, JSON_TYPE, FORBIDDEN);
    const retryName = action === 'consume' ? headers['idempotency-key'] : undefined;
    if (retryName !== undefined && !isRetryName(retryName)) {
      return send(exchange, 422, JSON_TYPE, BAD_IDEMPOTENCY_KEY);
    }
    const { body } = exchange;
    const ticketCode = body && readTicketCode(body, headers['content-type']);
    const retry = retryName !== undefined && body ? { name: retryName, body } : undefined;
    sendAnswer(exchange, await deps.service.scan({ key, action, ticketCode, retry }));
  } catch (error) {
    deps.log.error({ action, error: messageOf(error) }, 'the outcome of a scan is unknown');
    send(exchange, 500, JSON_TYPE, SERVER_ERROR);
  }
}

function sendAnswer(exchange: Exchange, answer: ScanAnswer): void {
  switch (answer.kind) {
    case 'decided':
      send(exchange, statusOf(answer.decision), JSON_TYPE, scanResultText(answer.decision));
      break;
    case 'key_refused':
      send(exchange, 401, JSON_TYPE, FORBIDDEN);
      break;
    case 'too_many_requests':
      send(exchange, 429, JSON_TYPE, TOO_MANY_REQUESTS, {
        'retry-after': answer.retryAfterSeconds,
      });
      break;
    case 'retry_conflict':
      send(exchange, 422, JSON_TYPE, RETRY_CONFLICT);
      break;
  }
}

/** The code, if the body is usable at all (ADR 0004 lists what is not). */
export function readTicketCode(
  body: Uint8Array,
  contentType: string | undefined,
): string | undefined {
  if (!isJson(contentType)) return undefined;
  const text = readText(body);
  const ticketCode = text && readObject(text, ['ticketCode'])?.['ticketCode'];
  return typeof ticketCode === 'string' && ticketCode !== '' ? ticketCode : undefined;
}

/**
 * Space and tab only: `\s` would take a no-break space, which is a letter in a header. Between two things that must be there
 * stand blanks once, so that a long row of them is read once.
 */
const JSON_CONTENT_TYPE =
  /^application\/json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-8"?[ \t]*(?:;[ \t]*)?)?)?$/i;

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType !== undefined && JSON_CONTENT_TYPE.test(contentType);
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

function isRetryName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= IDEMPOTENCY_KEY_CHARACTERS_MAX &&
    VISIBLE_ASCII.test(value)
  );
}
