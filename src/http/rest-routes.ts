import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '../core/decision.ts';
import { messageOf } from '../core/errors.ts';
import { IDEMPOTENCY_KEY_CHARACTERS_MAX } from '../core/limits.ts';
import type { ScanAnswer } from '../scan/scan-service.ts';
import type { HttpDeps } from './deps.ts';
import { acceptAnyContentType, bodyOf, isUnusableBody } from './raw-body.ts';
import { readObject, readText } from './read-json.ts';
import { REST_PATHS } from './scan-paths.ts';
import { statusOf, toScanResult } from './scan-result.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const FORBIDDEN = '{"message":"Forbidden"}';
const TOO_MANY_REQUESTS = '{"message":"Too Many Requests"}';
const SERVER_ERROR = '{"message":"Internal Server Error"}';
const RETRY_CONFLICT =
  '{"message":"This Idempotency-Key was used with another body within the last 24 hours"}';
const BAD_IDEMPOTENCY_KEY =
  '{"message":"Idempotency-Key must have 1 to 255 visible ASCII characters"}';

/** Sections 4.1 and 4.2. Reads the wire, asks the service, writes the wire; decides nothing. */
export function restRoutes(app: FastifyInstance, deps: HttpDeps, done: () => void): void {
  acceptAnyContentType(app);
  for (const action of ['validate', 'consume'] as const) {
    const answer = (request: FastifyRequest, reply: FastifyReply, body: Uint8Array | undefined) =>
      answerScan(deps, action, request, reply, body);
    app.post(REST_PATHS[action], {
      handler: (request, reply) => answer(request, reply, bodyOf(request)),
      errorHandler: (error, request, reply) => {
        if (!isUnusableBody(error)) throw error;
        // What is left of the body is still on its way: where the next request begins is unknown.
        reply.header('connection', 'close');
        return answer(request, reply, undefined);
      },
    });
  }
  done();
}

async function answerScan(
  deps: HttpDeps,
  action: Action,
  request: FastifyRequest,
  reply: FastifyReply,
  body: Uint8Array | undefined,
): Promise<FastifyReply> {
  reply.header('content-type', JSON_TYPE).header('cache-control', 'no-store');
  try {
    const value = request.headers['x-api-key'];
    const found = typeof value === 'string' ? deps.service.findKey(value, 'api') : undefined;
    const key = found instanceof Promise ? await found : found;
    if (!key) return reply.code(401).send(FORBIDDEN);
    const ticketCode = body && readTicketCode(body, request.sentContentType);
    const retryName = action === 'consume' ? request.headers['idempotency-key'] : undefined;
    if (retryName !== undefined && !isRetryName(retryName)) {
      return reply.code(422).send(BAD_IDEMPOTENCY_KEY);
    }
    const retry = retryName !== undefined && body ? { name: retryName, body } : undefined;
    const answer = await deps.service.scan({ key, action, ticketCode, ...(retry && { retry }) });
    return sendAnswer(reply, answer);
  } catch (error) {
    deps.log.error({ action, error: messageOf(error) }, 'the outcome of a scan is unknown');
    return reply.code(500).send(SERVER_ERROR);
  }
}

function sendAnswer(reply: FastifyReply, answer: ScanAnswer): FastifyReply {
  switch (answer.kind) {
    case 'decided':
      return reply
        .code(statusOf(answer.decision))
        .send(JSON.stringify(toScanResult(answer.decision)));
    case 'key_refused':
      return reply.code(401).send(FORBIDDEN);
    case 'too_many_requests':
      return reply
        .code(429)
        .header('retry-after', answer.retryAfterSeconds)
        .send(TOO_MANY_REQUESTS);
    case 'retry_conflict':
      return reply.code(422).send(RETRY_CONFLICT);
  }
}

/** The code, if the body is usable at all (ADR 0004 lists what is not). */
function readTicketCode(body: Uint8Array, contentType: string | undefined): string | undefined {
  if (!isJson(contentType)) return undefined;
  const text = readText(body);
  const ticketCode = text && readObject(text, ['ticketCode'])?.['ticketCode'];
  return typeof ticketCode === 'string' && ticketCode !== '' ? ticketCode : undefined;
}

const JSON_CONTENT_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

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
