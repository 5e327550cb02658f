import type { Arrival, FileModel, FileRead } from '../../../device-files/file-model.ts';
import type { DeviceFile, FileRequest } from '../../../device-files/schema.ts';
import type { Message } from '../../../device-files/source.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import { pathOf, type SeenRequest } from '../http.ts';
import { HEART_PATH } from './models.ts';

/** What a device file makes of a request. */
export interface Known {
  readonly kind: FileRequest['kind'];
  /** Undefined when the request went to the right place and cannot be read. */
  readonly read: FileRead | undefined;
  /** Whether it went where the file says, with the method of the file. */
  readonly isAddressed: boolean;
}

const CARD_URL = /^\/scan\/hw\/(consume|validate)$/;
const DEVICE_URL = /^\/devices\/([^/]*)(\/.*)?$/;

/** A request as device files look at it. */
export function messageIn({ body, headers, target }: SeenRequest): Message {
  const names = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    names.set(lower, [...(names.get(lower) ?? []), value]);
  }
  const mark = target.indexOf('?');
  return {
    text: body,
    isJson: isRecord(parsedJson(body)),
    query: mark === -1 ? '' : target.slice(mark + 1),
    headers: Object.fromEntries([...names].map(([name, values]) => [name, oneOf(values)])),
  };
}

/** Node keeps a header that was sent twice as a list, where the file may not read it. */
function oneOf(values: readonly string[]): string | string[] {
  const [first = '', ...others] = values;
  return others.length === 0 ? first : [...values];
}

/** The key in the path of a request below the Device URL; undefined elsewhere. */
export function keyInPath(request: SeenRequest): string | undefined {
  return DEVICE_URL.exec(pathOf(request))?.[1];
}

/** Recognizes the requests of a device file, also those that were sent to a wrong place. */
export class FileRequests {
  readonly #file: DeviceFile;
  readonly #model: FileModel;
  /** Cards and heartbeats are counted many times in a session. */
  readonly #known = new WeakMap<SeenRequest, { readonly known: Known | undefined }>();

  constructor(file: DeviceFile, model: FileModel) {
    this.#file = file;
    this.#model = model;
  }

  /** Undefined for a request that the file does not describe. */
  know(request: SeenRequest): Known | undefined {
    const before = this.#known.get(request);
    if (before) return before.known;
    const known = this.#find(request);
    this.#known.set(request, { known });
    return known;
  }

  #find(request: SeenRequest): Known | undefined {
    const message = messageIn(request);
    const arrival = arrivalOf(request);
    const read = arrival && this.#model.read(message, arrival);
    if (read) return { kind: read.kind, read, isAddressed: true };
    const { requests } = this.#file;
    const near = requests.filter((one) => isNear(one, request));
    return (
      this.#readAsIf(near, message) ??
      this.#readAsIf(requests.filter(isScan), message, hasCode) ??
      near.map(({ kind }) => ({ kind, read: undefined, isAddressed: isAt(near, arrival) }))[0]
    );
  }

  /** What the request says, if it had been sent to the place of one of these. */
  #readAsIf(
    requests: readonly FileRequest[],
    message: Message,
    isGood: (read: FileRead) => boolean = () => true,
  ): Known | undefined {
    for (const request of requests) {
      const read = this.#model.read(message, placeOf(request));
      if (read?.kind === request.kind && isGood(read))
        return { kind: read.kind, read, isAddressed: false };
    }
    return undefined;
  }
}

const isScan = ({ kind }: FileRequest): boolean => kind === 'scan';
const hasCode = (read: FileRead): boolean =>
  read.kind === 'scan' && read.scan.ticketCode !== undefined;

function arrivalOf(request: SeenRequest): Arrival | undefined {
  const path = pathOf(request);
  const { method } = request;
  if (CARD_URL.test(path)) return method === 'POST' ? { at: 'card' } : undefined;
  if (path === HEART_PATH) return method === 'POST' ? { at: 'heart' } : undefined;
  const own = DEVICE_URL.exec(path)?.[2];
  return own === undefined ? undefined : { at: 'path', method, path: own };
}

function placeOf({ kind, method = 'POST', path }: FileRequest): Arrival {
  if (path !== undefined) return { at: 'path', method, path };
  return { at: kind === 'heartbeat' ? 'heart' : 'card' };
}

/** The right path, perhaps with a prefix, with any method. */
function isNear({ kind, path }: FileRequest, request: SeenRequest): boolean {
  const sent = pathOf(request);
  if (path !== undefined) return sent.endsWith(path);
  return kind === 'heartbeat' ? sent.endsWith('/heartbeat') : /\/(consume|validate)$/.test(sent);
}

function isAt(requests: readonly FileRequest[], arrival: Arrival | undefined): boolean {
  if (!arrival) return false;
  return requests.some((one) => JSON.stringify(placeOf(one)) === JSON.stringify(arrival));
}
