import type { IncomingMessage, ServerResponse } from 'node:http';
import { messageOf } from '../../core/errors.ts';
import type { Arrival, FileModel, FileRead } from '../../device-files/file-model.ts';
import type { Message } from '../../device-files/source.ts';
import { keptDeviceText } from '../../kit/utf8.ts';
import type { DeviceScan } from '../devices/device-model.ts';
import type { DeviceFiles, ReadByFile } from '../devices/files/device-files.ts';
import { denialIn } from '../devices/files/file-answer.ts';
import type { KeyAccess } from '../scan/key-cache.ts';
import { DeviceFileChanged } from '../scan/scan-service.ts';
import type { HttpDeps } from './deps.ts';
import { DeviceExchange, fileAnswerer } from './device-exchange.ts';
import { type Exchange, readRequest, send } from './exchange.ts';
import { readObject, readText } from './read-json.ts';
import { DEVICES_PREFIX } from './scan-paths.ts';
import type { ScanRefusals } from './scan-refusals.ts';
import { keyInPath } from './sent-keys.ts';

/** A request as device files look at it. */
export function messageIn({ body, query, request: { headers } }: Exchange): Message {
  const text = typeof body === 'string' ? undefined : readText(body);
  const isJson = text !== undefined && typeof readObject(text, []) === 'object';
  return { text, isJson, query, headers };
}

/**
 * Serves the paths of device files below `/devices/KEY` (ADR 0110).
 * @returns a handler that returns false for a path that no file has
 */
export function deviceFileEndpoints(
  deps: HttpDeps,
  files: DeviceFiles,
  refusals: ScanRefusals,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { url = '', method = '' } = request;
    const [path = '', query = ''] = splitOnce(url, '?');
    const own = path.slice(DEVICES_PREFIX.length + keyInPath(path).length);
    const first = files.ofPath(own);
    if (!first) return false;
    const methods = files.methodsAt(own);
    if (!methods.has(method)) {
      const { contentType, text } = denialIn(first, 'missing_ticket_code', NO_MESSAGE);
      send({ response }, 405, contentType, text, { allow: [...methods].join(', ') });
      return true;
    }
    readRequest(request, response, (body) => {
      const exchange = { request, response, query, body, refusals };
      void answer(deps, files, exchange, { first, arrival: { at: 'path', method, path: own } });
    });
    return true;
  };
}

const NO_MESSAGE: Message = { text: undefined, isJson: false };
const UNREADABLE: DeviceScan = { ticketCode: undefined, serial: null, reader: null };

interface Addressed {
  readonly arrival: Arrival;
  /** A file that has the path, until the key is known. */
  readonly first: FileModel;
}

async function answer(
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
    deps.service.findKey(keyInPath(exchange.request.url ?? ''), 'hardware');
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
    await answerRead(deps, device, found, { message, key, findKey });
  } catch (error) {
    if (error instanceof DeviceFileChanged) return answer(deps, files, exchange, addressed);
    deps.log.error({ error: messageOf(error) }, 'the outcome of a request of a device is unknown');
    if (!key) answerUnknown();
    device.deny(500, 'server_error');
  }
}

/** A request whose key was accepted. */
interface KeyedRequest {
  readonly message: Message;
  readonly key: KeyAccess;
  /** Looks the key up again. */
  readonly findKey: () => Promise<KeyAccess | undefined>;
}

async function answerRead(
  deps: HttpDeps,
  device: DeviceExchange,
  found: ReadByFile | undefined,
  request: KeyedRequest,
): Promise<void> {
  const { key, findKey } = request;
  if (!found) await device.decide(key, 'consume', findKey);
  else if (found.read.kind === 'scan') await device.decide(key, found.read.operation, findKey);
  else if (found.read.kind === 'heartbeat') await aliveByFile(deps, device, key, found);
  else await passed(deps, device, found, request);
}

/** The file that denies a request that the key's file does not read: that file itself, where it has the path. */
function denierFor(
  files: DeviceFiles,
  own: FileModel | undefined,
  message: Message,
  arrival: Arrival,
): ReadByFile<FileRead | undefined> | undefined {
  const isOwn = arrival.at === 'path' && own?.isAskedAt(arrival);
  const model = isOwn ? own : (files.denierAt(message, arrival, own)?.model ?? own);
  return model && { model, read: undefined };
}

/** The operation of a request that a file has read, or that no file reads. */
export function scanIn(read: FileRead | undefined): DeviceScan {
  if (!read) return UNREADABLE;
  return read.kind === 'scan' ? read.scan : { ...UNREADABLE, serial: read.serial };
}

/** Records the contact with a device, and answers as its file says. */
export async function aliveByFile(
  deps: HttpDeps,
  device: DeviceExchange,
  key: KeyAccess,
  { model, read }: ReadByFile,
): Promise<void> {
  const serial = keptDeviceText(scanIn(read).serial ?? '');
  const firmware = read.kind === 'heartbeat' ? keptDeviceText(read.firmware) : '';
  const contact = { model: model.id, serial, address: device.address, firmware };
  const answered = await deps.service.heartbeat(key, contact);
  if (answered.kind !== 'alive') return device.refuse(answered);
  device.tell(200, model.answer('heartbeat', {}, NO_MESSAGE));
}

/** A device reports whether the person passed: it is answered, and nothing changes (ADR 0112). */
async function passed(
  deps: HttpDeps,
  device: DeviceExchange,
  { model }: ReadByFile,
  { message, key }: KeyedRequest,
): Promise<void> {
  const answered = await deps.service.heartbeat(key, null);
  if (answered.kind !== 'alive') return device.refuse(answered);
  device.tell(200, model.answer('passage', {}, message));
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
