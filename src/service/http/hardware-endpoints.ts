import type { Operation } from '../../core/decision.ts';
import { messageOf } from '../../core/errors.ts';
import type { Refusal } from '../../core/scan-batch.ts';
import { addressOfRequest, type TrustedProxies } from '../../kit/client-address.ts';
import { type DetectedScan, detectScan } from '../devices/detect.ts';
import { deny, deviceAnswer } from '../devices/device-answer.ts';
import type { DeviceAnswer, DeviceBody } from '../devices/device-model.ts';
import { contactFrom, heartbeatAnswer } from '../devices/heartbeat.ts';
import type { KeyAccess } from '../scan/key-cache.ts';
import type { HttpDeps } from './deps.ts';
import { type Endpoint, type Exchange, send } from './exchange.ts';
import { readObject, readText } from './read-json.ts';
import { rememberSerial } from './request-log.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH } from './scan-paths.ts';
import { statusOf } from './scan-result.ts';

/** Members that carry the code: said twice, they could mean two tickets. */
const CODE_MEMBERS = ['Card', 'identifier_number'];

/** Sections 4.3 to 4.5: every answer, also a refusal, is in the device's own format (section 7.3). */
export function hardwareEndpoints(deps: HttpDeps): [path: string, endpoint: Endpoint][] {
  const scan = (operation: Operation) => (exchange: Exchange) =>
    answerScan(new DeviceExchange(deps, exchange), deps, operation);
  return [
    [HARDWARE_PATHS.validate, scan('validate')],
    [HARDWARE_PATHS.consume, scan('consume')],
    [HEARTBEAT_PATH, (exchange) => answerHeartbeat(new DeviceExchange(deps, exchange), deps)],
  ];
}

const UNREADABLE: DeviceBody = { text: undefined, json: undefined };

/** A body as the device models look at it. */
export function readDeviceBody(bytes: Uint8Array): DeviceBody {
  const text = readText(bytes);
  const json = text === undefined ? undefined : readObject(text, CODE_MEMBERS);
  return { text, json: typeof json === 'string' ? undefined : json };
}

/** An exchange in the format of the model that sent the body. */
class DeviceExchange {
  /** Undefined when there is none that could be read. */
  readonly body: DeviceBody | undefined;
  readonly query: URLSearchParams;
  readonly detected: DetectedScan;
  readonly #exchange: Exchange;
  readonly #always200: boolean;
  readonly #isTrustedProxy: TrustedProxies | undefined;

  constructor(deps: HttpDeps, exchange: Exchange) {
    const { body } = exchange;
    this.body = typeof body === 'string' ? undefined : readDeviceBody(body);
    // A question mark in front would be taken for the one that begins the query, and is a letter of a name here.
    this.query = new URLSearchParams(`&${exchange.query}`);
    this.detected = detectScan(this.body ?? UNREADABLE);
    this.#exchange = exchange;
    this.#always200 = deps.hardwareAlways200;
    this.#isTrustedProxy = deps.isTrustedProxy;
    if (deps.log.isLevelEnabled('debug')) rememberSerial(exchange.request, this.#serial);
  }

  get address(): string {
    return addressOfRequest(this.#exchange.request, this.#isTrustedProxy);
  }

  /** Of the card that was read or, in a heartbeat, of the device. */
  get #serial(): string | null {
    const { serial } = this.detected.scan;
    if (serial || !this.body) return serial;
    return contactFrom(this.body, '').serial || null;
  }

  answer(status: number, answer: DeviceAnswer, headers?: Readonly<Record<string, number>>): void {
    const { model } = this.detected;
    this.answerText(status, model.contentType, model.answer(answer), headers);
  }

  answerText(
    status: number,
    contentType: string,
    text: string,
    headers?: Readonly<Record<string, number>>,
  ): void {
    const { refusals, request } = this.#exchange;
    if (this.#always200) refusals?.note(status, request);
    send(this.#exchange, this.#always200 ? 200 : status, contentType, text, headers);
  }

  /** Everything but a decision: the key, a limit. */
  refuse(refusal: Refusal): void {
    const { refusals, request } = this.#exchange;
    refusals?.count(refusal, request, this.#serial);
    if ('retryAfterSeconds' in refusal) {
      const headers = { 'retry-after': refusal.retryAfterSeconds };
      this.answer(429, deny('too_many_requests'), headers);
    } else {
      this.answer(401, deny('key_refused'));
    }
  }
}

async function answerScan(
  exchange: DeviceExchange,
  deps: HttpDeps,
  operation: Operation,
): Promise<void> {
  try {
    const key = await findKey(deps, exchange);
    if (!key) return exchange.refuse({ kind: 'key_refused' });
    const { ticketCode, ...said } = exchange.detected.scan;
    const device = { ...said, model: exchange.detected.model.id };
    const answer = await deps.service.scan({ key, operation, ticketCode, device });
    if (answer.kind !== 'decided') return exchange.refuse(answer);
    const { decision } = answer;
    // A ticket that does not exist is a decision for a device, not a missing page.
    const status = decision.status === 'not_found' ? 200 : statusOf(decision);
    // Looked up again: the batch may have shown that somebody changed the key in the meantime.
    const { door } = (await findKey(deps, exchange)) ?? key;
    exchange.answer(status, deviceAnswer(decision, device.reader, door));
  } catch (error) {
    deps.log.error(
      { action: operation, error: messageOf(error) },
      'the outcome of a scan is unknown',
    );
    exchange.answer(500, deny('server_error'));
  }
}

async function answerHeartbeat(exchange: DeviceExchange, deps: HttpDeps): Promise<void> {
  try {
    const key = await findKey(deps, exchange);
    if (!key) return exchange.refuse({ kind: 'key_refused' });
    const { body } = exchange;
    const contact = body ? contactFrom(body, exchange.address) : null;
    const answer = await deps.service.heartbeat(key, contact);
    if (answer.kind !== 'alive') return exchange.refuse(answer);
    if (!body) return exchange.answer(400, deny('missing_ticket_code'));
    const text = heartbeatAnswer(body, exchange.query);
    exchange.answerText(200, 'application/json; charset=utf-8', text);
  } catch (error) {
    deps.log.error({ error: messageOf(error) }, 'a heartbeat could not be recorded');
    exchange.answer(500, deny('server_error'));
  }
}

/** Section 5: the key is the query's `key`. Given twice, it is refused. */
async function findKey(deps: HttpDeps, { query }: DeviceExchange): Promise<KeyAccess | undefined> {
  const [value, ...others] = query.getAll('key');
  if (value === undefined || others.length > 0) return undefined;
  return deps.service.findKey(value, 'hardware');
}
