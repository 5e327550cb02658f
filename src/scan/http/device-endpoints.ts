import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../../core/decision.ts';
import { messageOf } from '../../core/errors.ts';
import type { Arrival, FileModel, FileRead } from '../../device-files/file-model.ts';
import type { Message } from '../../device-files/source.ts';
import { detectScan, recogniseScan } from '../devices/detect.ts';
import { denialIn } from '../devices/device-answer.ts';
import type { DeviceFiles, ReadByFile } from '../devices/device-files.ts';
import type { DeviceBody } from '../devices/device-model.ts';
import { contactFrom, heartbeatAnswer } from '../devices/heartbeat.ts';
import type { KeyAccess } from '../key-cache.ts';
import { DeviceFileChanged } from '../scan-service.ts';
import {
  aliveByFile,
  DeviceExchange,
  fileAnswerer,
  messageIn,
  modelAnswerer,
  NO_MESSAGE,
  scanIn,
} from './device-exchange.ts';
import type { Endpoint, Exchange, HttpDeps, RefusalReporter } from './exchange.ts';
import { logFailedScan, send } from './exchange.ts';
import { readObject, readRequest, readText } from './request-body.ts';
import {
  DEVICES_PREFIX,
  HARDWARE_PATHS,
  HEARTBEAT_PATH,
  keyInPath,
  splitTarget,
} from './scan-paths.ts';

/** Members that carry the code: sent twice, they could name two tickets. */
const CODE_MEMBERS = ['Card', 'identifier_number'];

/** Sections 4.3 to 4.5: every answer, also a refusal, is in the device's own format (section 7.3). */
export function hardwareEndpoints(deps: HttpDeps): [path: string, endpoint: Endpoint][] {
  const scan = (operation: Operation) => (exchange: Exchange) =>
    answerScan(deps, exchange, operation);
  return [
    [HARDWARE_PATHS.validate, scan('validate')],
    [HARDWARE_PATHS.consume, scan('consume')],
    [HEARTBEAT_PATH, (exchange) => answerHeartbeat(deps, exchange)],
  ];
}

/** The body of a request when it cannot be read. */
export const NO_BODY: DeviceBody = { text: undefined, json: undefined };

/** A body as the device models look at it. */
export function readDeviceBody(bytes: Uint8Array): DeviceBody {
  const text = readText(bytes);
  const json = text === undefined ? undefined : readObject(text, CODE_MEMBERS);
  return { text, json: typeof json === 'string' ? undefined : json };
}

/** A request to one of the three endpoints. */
class HardwareRequest {
  /** Undefined when the body cannot be read. */
  readonly body: DeviceBody | undefined;
  readonly query: URLSearchParams;
  /** The way to answer it. */
  readonly device: DeviceExchange;
  readonly #deps: HttpDeps;
  readonly #exchange: Exchange;
  readonly #at: 'card' | 'heart';
  #message: Message | undefined;

  constructor(deps: HttpDeps, exchange: Exchange, at: 'card' | 'heart') {
    const { body } = exchange;
    this.body = typeof body === 'string' ? undefined : readDeviceBody(body);
    // URLSearchParams drops a question mark at the beginning; after an ampersand it stays part of the name.
    this.query = new URLSearchParams(`&${exchange.query}`);
    this.#deps = deps;
    this.#exchange = exchange;
    this.#at = at;
    const { model, scan } = detectScan(this.body ?? NO_BODY);
    const serial = scan.serial || this.#heartSerial();
    const answerer = modelAnswerer(model, scan, deps.hardwareAlways200);
    this.device = new DeviceExchange(deps, exchange, { scan, answerer, serial });
  }

  /** Section 5: the key is the query's `key`. Given twice, it is refused. */
  async findKey(): Promise<KeyAccess | undefined> {
    const [value, ...others] = this.query.getAll('key');
    if (value === undefined || others.length > 0) return undefined;
    return this.#deps.service.findKey(value, 'hardware', this.device.sinceMs);
  }

  /** The device file of the key is tried before the known models. */
  askFile({ device }: KeyAccess): ReadByFile | undefined {
    const model = device === undefined ? undefined : this.#deps.deviceFiles?.named(device);
    if (!model) return undefined;
    const read = model.read(this.#asMessage(), { at: this.#at });
    if (!read) {
      this.#denyAs(model);
      return undefined;
    }
    this.#answerAs(model, read);
    return { model, read };
  }

  /** A refused key has no file: a body that no model reads is answered by a file that reads it. */
  refuseKey(): void {
    const { deviceFiles } = this.#deps;
    if (deviceFiles && !this.#isOfModel()) {
      const found = deviceFiles.denierAt(this.#asMessage(), { at: this.#at });
      if (found?.read) this.#answerAs(found.model, found.read);
    }
    this.device.refuse({ kind: 'key_refused' });
  }

  /** A body that neither the key's file nor a known model reads is more likely from the file's device than from a controller. */
  #denyAs(model: FileModel): void {
    if (this.#at === 'card' && model.isAskedAt({ at: 'card' }) && !this.#isOfModel()) {
      this.#answerAs(model, undefined);
    }
  }

  #isOfModel(): boolean {
    return this.body !== undefined && recogniseScan(this.body) !== undefined;
  }

  #answerAs(model: FileModel, read: FileRead | undefined): void {
    const scan = scanIn(read);
    const answerer = fileAnswerer(model, scan, this.#asMessage());
    this.device.readAs({ scan, answerer });
  }

  /** Made once, and only if a file may read it. */
  #asMessage(): Message {
    this.#message ??= messageIn(this.#exchange);
    return this.#message;
  }

  /** The serial of a heartbeat. */
  #heartSerial(): string | null {
    return (this.body && contactFrom(this.body, '').serial) || null;
  }
}

async function answerScan(deps: HttpDeps, exchange: Exchange, operation: Operation): Promise<void> {
  const request = new HardwareRequest(deps, exchange, 'card');
  const { device } = request;
  try {
    const key = await request.findKey();
    if (!key) return request.refuseKey();
    request.askFile(key);
    await device.decide(key, operation, () => request.findKey());
  } catch (error) {
    if (error instanceof DeviceFileChanged) return answerScan(deps, exchange, operation);
    logFailedScan(deps, operation, error);
    device.deny(500, 'server_error');
  }
}

async function answerHeartbeat(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const request = new HardwareRequest(deps, exchange, 'heart');
  const { device, body } = request;
  try {
    const key = await request.findKey();
    if (!key) return request.refuseKey();
    const file = request.askFile(key);
    if (file?.read.kind === 'heartbeat') return await aliveByFile(deps, device, key, file);
    const contact = body ? contactFrom(body, device.address) : null;
    const answer = await deps.service.heartbeat(key, contact);
    if (answer.kind !== 'alive') return device.refuse(answer);
    if (!body) return device.deny(400, 'missing_ticket_code');
    const text = heartbeatAnswer(body, request.query);
    device.send({ status: 200, contentType: 'application/json; charset=utf-8', text });
  } catch (error) {
    if (error instanceof DeviceFileChanged) return answerHeartbeat(deps, exchange);
    deps.log.error({ error: messageOf(error) }, 'a heartbeat could not be recorded');
    device.deny(500, 'server_error');
  }
}

/**
 * Serves the paths of device files below `/devices/KEY` (ADR 0110).
 * @returns a handler that returns false for a path that no file has
 */
export function deviceFileEndpoints(
  deps: HttpDeps,
  files: DeviceFiles,
  refusals: RefusalReporter,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { url = '', method = '' } = request;
    const [path, query] = splitTarget(url);
    const own = path.slice(DEVICES_PREFIX.length + keyInPath(path).length);
    const first = files.ofPath(own);
    if (!first) return false;
    const methods = files.methodsAt(own);
    if (!methods.has(method)) {
      const { contentType, text } = denialIn(first, 'missing_ticket_code', NO_MESSAGE);
      refusals.refused('wrong_method', request, method);
      send({ response }, 405, contentType, text, { allow: [...methods].join(', ') });
      return true;
    }
    readRequest(request, response, (body) => {
      const exchange = { request, response, query, body, refusals };
      void answerAtPath(deps, files, exchange, {
        first,
        arrival: { at: 'path', method, path: own },
      });
    });
    return true;
  };
}

interface Addressed {
  readonly arrival: Arrival;
  /** A file that has the path, until the key is known. */
  readonly first: FileModel;
}

async function answerAtPath(
  deps: HttpDeps,
  files: DeviceFiles,
  exchange: Exchange,
  addressed: Addressed,
): Promise<void> {
  const { arrival, first } = addressed;
  const message = messageIn(exchange);
  const as = (found: ReadByFile<FileRead | undefined> | undefined) => {
    const scan = scanIn(found?.read);
    return { scan, answerer: fileAnswerer(found?.model ?? first, scan, message) };
  };
  const device = new DeviceExchange(deps, exchange, as(undefined));
  const findKey = async () =>
    deps.service.findKey(keyInPath(exchange.request.url ?? ''), 'hardware', device.sinceMs);
  let key: KeyAccess | undefined;
  // A refused key must not reveal its file: until the key is accepted, the request alone decides which file answers.
  const answerUnknown = () => device.readAs(as(files.denierAt(message, arrival)));
  try {
    key = await findKey();
    if (!key) {
      answerUnknown();
      return device.refuse({ kind: 'key_refused' });
    }
    const own = key.device === undefined ? undefined : files.named(key.device);
    const read = own?.read(message, arrival);
    const found = own && read && { model: own, read };
    device.readAs(as(found ?? denierFor(files, own, message, arrival)));
    await answerByFile(deps, device, found, { message, key, findKey });
  } catch (error) {
    if (error instanceof DeviceFileChanged) return answerAtPath(deps, files, exchange, addressed);
    deps.log.error({ error: messageOf(error) }, 'the outcome of a request of a device is unknown');
    if (!key) answerUnknown();
    device.deny(500, 'server_error');
  }
}

interface KeyedRequest {
  readonly message: Message;
  /** Was accepted. */
  readonly key: KeyAccess;
  /** Looks the key up again. */
  readonly findKey: () => Promise<KeyAccess | undefined>;
}

async function answerByFile(
  deps: HttpDeps,
  device: DeviceExchange,
  found: ReadByFile | undefined,
  { message, key, findKey }: KeyedRequest,
): Promise<void> {
  if (!found) return device.decide(key, 'consume', findKey);
  const { model, read } = found;
  if (read.kind === 'scan') return device.decide(key, read.operation, findKey);
  if (read.kind === 'heartbeat') return aliveByFile(deps, device, key, found);
  // A device reports whether the person passed: it is answered, and nothing changes (ADR 0005).
  const answered = await deps.service.heartbeat(key, null);
  if (answered.kind !== 'alive') return device.refuse(answered);
  device.send(model.answer('passage', {}, message));
}

/** The file that denies a request that the key's file does not read: that file itself, where it has the path. */
function denierFor(
  files: DeviceFiles,
  own: FileModel | undefined,
  message: Message,
  arrival: Arrival,
): ReadByFile<FileRead | undefined> | undefined {
  const model = own?.isAskedAt(arrival)
    ? own
    : (files.denierAt(message, arrival, own)?.model ?? own);
  return model && { model, read: undefined };
}
