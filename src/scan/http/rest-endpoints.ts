import type { BodyIssue, Operation } from '../../core/decision.ts';
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../../core/limits.ts';
import { machineZone } from '../../core/machine-zone.ts';
import type { Language, Refusal, ScanAnswer } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { ClientRetry } from '../scan-service.ts';
import {
  type Endpoint,
  type Exchange,
  type HttpDeps,
  logFailedScan,
  type RequestBody,
  reportUnreadable,
  send,
} from './exchange.ts';
import { readObject, readText, textIssue } from './request-body.ts';
import { REST_PATHS } from './scan-paths.ts';
import { type LastUsed, preferredLanguage, scanResultText, statusOf } from './scan-result.ts';

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

async function answerScan(deps: HttpDeps, operation: Operation, exchange: Exchange): Promise<void> {
  const { headers } = exchange.request;
  const sinceMs = performance.now();
  try {
    const value = headers['x-api-key'];
    const found =
      typeof value === 'string' ? deps.service.findKey(value, 'api', sinceMs) : undefined;
    const key = found instanceof Promise ? await found : found;
    if (!key) return sendAnswer(exchange, { kind: 'key_refused' });
    const retry = operation === 'consume' ? retryOf(exchange) : undefined;
    const read = readTicketCode(exchange.body, headers['content-type']);
    const answer = await deps.service.scan({ key, operation, ...read, retry, sinceMs });
    const isUsedUp = answer.kind === 'decided' && answer.decision.status === 'exhausted';
    // A retry gets the same text again, so it names no gate and no time zone: both may change until then.
    if (!isUsedUp || retry) return sendAnswer(exchange, answer);
    const lastUsed = await lastUsedOf(answer.decision.ticket, deps, String(value));
    sendAnswer(exchange, answer, lastUsed);
  } catch (error) {
    logFailedScan(deps, operation, error);
    send(exchange, 500, JSON_TYPE, SERVER_ERROR);
  }
}

/** The key is looked up again, because the batch may have shown that the time zone was changed. */
async function lastUsedOf(
  ticket: Ticket,
  { service, lastGate }: HttpDeps,
  value: string,
): Promise<LastUsed> {
  // It is decided by now: a database that fails just then only takes the gate's time zone from the message.
  const found = Promise.resolve(service.findKey(value, 'api')).catch(() => undefined);
  const [key, gate] = await Promise.all([found, lastGate?.(ticket)]);
  return { timeZone: key?.timeZone ?? machineZone(), gate };
}

function sendAnswer(exchange: Exchange, answer: ScanAnswer, lastUsed?: LastUsed): void {
  switch (answer.kind) {
    case 'decided': {
      const { decision } = answer;
      const status = statusOf(decision);
      if (status === 403) exchange.refusals?.report(status, exchange.request);
      if (status === 400)
        reportUnreadable(exchange, 'fault' in decision ? decision.fault : undefined);
      const language = decision.language ?? languageOf(exchange);
      send(exchange, status, JSON_TYPE, scanResultText(decision, language, lastUsed));
      break;
    }
    case 'key_refused':
      refuse(exchange, answer, 401, FORBIDDEN);
      break;
    case 'limited':
    case 'quota_exceeded':
      refuse(exchange, answer, 429, TOO_MANY_REQUESTS, {
        'retry-after': answer.retryAfterSeconds,
      });
      break;
    case 'retry_conflict':
      refuse(exchange, answer, 422, RETRY_CONFLICT);
      break;
    case 'bad_retry_name':
      refuse(exchange, answer, 422, BAD_IDEMPOTENCY_KEY);
      break;
    case 'too_few_uses':
      throw new Error('a scan with a key took several uses');
  }
}

function refuse(
  exchange: Exchange,
  refusal: Refusal,
  status: 401 | 422 | 429,
  text: string,
  headers?: Readonly<Record<string, number>>,
): void {
  exchange.refusals?.report(status, exchange.request, { refusal, serial: null });
  send(exchange, status, JSON_TYPE, text, headers);
}

function languageOf({ request }: Exchange): Language {
  return preferredLanguage(request.headers['accept-language']);
}

function retryOf(exchange: Exchange): ClientRetry | 'bad_name' | undefined {
  const name = exchange.request.headers['idempotency-key'];
  if (name === undefined) return undefined;
  if (!isRetryName(name)) return 'bad_name';
  const { body } = exchange;
  // The body of a broken request is unknown, so the client may repeat it under the same name.
  if (body === 'broken_http') return undefined;
  return {
    name,
    body: body === 'too_long' ? undefined : body,
    language: languageOf(exchange),
  };
}

/** What a body holds: a code, or what makes it unusable. */
interface CodeRead {
  readonly ticketCode: string | undefined;
  readonly issue?: BodyIssue;
}

/** Reads the code (ADR 0065 lists what makes a body unusable). */
export function readTicketCode(body: RequestBody, contentType: string | undefined): CodeRead {
  if (!isJson(contentType)) return unusable('not_json_type');
  if (typeof body === 'string') return unusable(body);
  const text = readText(body);
  if (text === undefined) return unusable(textIssue(body));
  const object = readObject(text, ['ticketCode']);
  if (typeof object === 'string') return unusable(object);
  const ticketCode = object['ticketCode'];
  if (ticketCode === undefined) return unusable('no_code');
  if (typeof ticketCode !== 'string') return unusable('code_not_text');
  return ticketCode === '' ? unusable('code_empty') : { ticketCode };
}

function unusable(issue: BodyIssue): CodeRead {
  return { ticketCode: undefined, issue };
}

/**
 * Space and tab only: `\s` matches a no-break space, which is a letter in a header. Blanks are matched in one place between
 * two required parts, so that a long row of them is read once.
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
