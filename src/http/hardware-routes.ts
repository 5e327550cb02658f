import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Action } from '../core/decision.ts';
import { messageOf } from '../core/errors.ts';
import { type DetectedScan, detectScan } from '../devices/detect.ts';
import { deny, deviceAnswer } from '../devices/device-answer.ts';
import type { DeviceAnswer, DeviceBody, DeviceModel } from '../devices/device-model.ts';
import { contactFrom, heartbeatAnswer } from '../devices/heartbeat.ts';
import type { KeyAccess } from '../scan/key-cache.ts';
import type { ScanAnswer } from '../scan/scan-service.ts';
import type { HttpDeps } from './deps.ts';
import { acceptAnyContentType, bodyOf, isUnusableBody } from './raw-body.ts';
import { readObject, readText } from './read-json.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH } from './scan-paths.ts';
import { statusOf } from './scan-result.ts';

/** Members that carry the code: said twice, they could mean two tickets. */
const CODE_MEMBERS = ['Card', 'identifier_number'];

/** Sections 4.3 to 4.5: every answer, also a refusal, is in the device's own format (section 7.3). */
export function hardwareRoutes(app: FastifyInstance, deps: HttpDeps, done: () => void): void {
  acceptAnyContentType(app);
  for (const action of ['validate', 'consume'] as const) {
    post(app, HARDWARE_PATHS[action], (request, reply, body) =>
      answerScan(new DeviceReply(deps, reply, body), deps, action, request),
    );
  }
  post(app, HEARTBEAT_PATH, (request, reply, body) =>
    answerHeartbeat(new DeviceReply(deps, reply, body), deps, request),
  );
  done();
}

type Answer = (
  request: FastifyRequest,
  reply: FastifyReply,
  body: DeviceBody | undefined,
) => Promise<FastifyReply>;

function post(app: FastifyInstance, path: string, answer: Answer): void {
  app.post(path, {
    handler: (request, reply) => answer(request, reply, readBody(bodyOf(request))),
    errorHandler: (error, request, reply) => {
      if (!isUnusableBody(error)) throw error;
      reply.header('connection', 'close');
      return answer(request, reply, undefined);
    },
  });
}

function readBody(bytes: Uint8Array): DeviceBody {
  const text = readText(bytes);
  return { text, json: text === undefined ? undefined : readObject(text, CODE_MEMBERS) };
}

const NOTHING: DeviceBody = { text: undefined, json: undefined };

/** Writes answers in the format of the model that sent the body. */
class DeviceReply {
  /** Undefined when the body never arrived whole. */
  readonly body: DeviceBody | undefined;
  readonly detected: DetectedScan;
  readonly #reply: FastifyReply;
  readonly #always200: boolean;

  constructor(deps: HttpDeps, reply: FastifyReply, body: DeviceBody | undefined) {
    this.body = body;
    this.detected = detectScan(body ?? NOTHING);
    this.#reply = reply.header('cache-control', 'no-store');
    this.#always200 = deps.hardwareAlways200;
  }

  send(status: number, answer: DeviceAnswer): FastifyReply {
    const model: DeviceModel = this.detected.model;
    return this.sendText(status, model.contentType, model.answer(answer));
  }

  sendText(status: number, contentType: string, text: string): FastifyReply {
    return this.#reply
      .code(this.#always200 ? 200 : status)
      .header('content-type', contentType)
      .send(text);
  }

  /** Everything but a decision: the key, a limit. */
  refuse(answer: Exclude<ScanAnswer, { kind: 'decided' }>): FastifyReply {
    if (answer.kind !== 'too_many_requests') return this.send(401, deny('key_refused'));
    this.#reply.header('retry-after', answer.retryAfterSeconds);
    return this.send(429, deny('too_many_requests'));
  }
}

async function answerScan(
  reply: DeviceReply,
  deps: HttpDeps,
  action: Action,
  request: FastifyRequest,
): Promise<FastifyReply> {
  try {
    const key = await findKey(deps, request);
    if (!key) return reply.refuse({ kind: 'key_refused' });
    const { ticketCode, serial, reader } = reply.detected.scan;
    const device = { serial, reader };
    const answer = await deps.service.scan({ key, action, ticketCode, device });
    if (answer.kind !== 'decided') return reply.refuse(answer);
    const { decision } = answer;
    // A ticket that does not exist is a decision for a device, not a missing page.
    const status = decision.status === 'not_found' ? 200 : statusOf(decision);
    return reply.send(status, deviceAnswer(decision, reader, key.door));
  } catch (error) {
    deps.log.error({ action, error: messageOf(error) }, 'the outcome of a scan is unknown');
    return reply.send(500, deny('server_error'));
  }
}

async function answerHeartbeat(
  reply: DeviceReply,
  deps: HttpDeps,
  request: FastifyRequest,
): Promise<FastifyReply> {
  try {
    const key = await findKey(deps, request);
    if (!key) return reply.refuse({ kind: 'key_refused' });
    if (!reply.body) return reply.send(400, deny('missing_ticket_code'));
    const refusal = await deps.service.heartbeat(key, contactFrom(reply.body, request.ip));
    if (refusal && refusal.kind !== 'decided') return reply.refuse(refusal);
    const text = heartbeatAnswer(reply.body, request.query as Record<string, unknown>);
    return reply.sendText(200, 'application/json; charset=utf-8', text);
  } catch (error) {
    deps.log.error({ error: messageOf(error) }, 'a heartbeat could not be recorded');
    return reply.send(500, deny('server_error'));
  }
}

/** Section 5: the key is the query's `key`. Given twice it is an array, and refused. */
async function findKey(deps: HttpDeps, request: FastifyRequest): Promise<KeyAccess | undefined> {
  const value = (request.query as Record<string, unknown>)['key'];
  return typeof value === 'string' ? deps.service.findKey(value, 'hardware') : undefined;
}
