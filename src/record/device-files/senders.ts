import { type Arrival, FileModel, type FileRead } from '../../device-files/file-model.ts';
import type { DeviceFile, FileRequest, FileSource } from '../../device-files/schema.ts';
import type { Message } from '../../device-files/source.ts';
import {
  contentOf,
  type HttpHead,
  headerOf,
  headersOf,
  pathOf,
  requestLine,
} from '../../kit/http1.ts';
import { decodeUtf8 } from '../../kit/text.ts';
import { recogniseScan } from '../../scan/devices/detect.ts';
import type { DeviceBody } from '../../scan/devices/device-model.ts';
import { type Field, sourceOf } from '../kinds/fields.ts';
import { deviceBody, loadBytes, type StoredExchange, type StoredMessage } from '../recording.ts';

/** Who sent a request, and the ticket code that it presents, as far as that is known. */
export interface Sender {
  /** A device model, `rest` for software, `unknown` for data in an unknown format, `other` for all other requests. */
  readonly model: string;
  readonly ticketCode?: string | undefined;
}

/** Detects the sender from the body alone, as the service does: path and content type may be anything. */
export function identify(head: HttpHead, body: DeviceBody): Sender {
  const scan = recogniseScan(body);
  if (scan) return { model: scan.model.id, ticketCode: scan.scan.ticketCode };
  const line = requestLine(head);
  const path = pathOf(line?.target ?? '');
  if (isRest(head, body, path))
    return { model: 'rest', ticketCode: textIn(body.json?.['ticketCode']) };
  if (isHeartbeat(body, path)) return { model: 'access-controller' };
  const hasQuery = /[?&](?!key=)[^=&?]+=/.test(line?.target ?? '');
  return { model: hasQuery || body.text !== '' ? 'unknown' : 'other' };
}

function isRest(head: HttpHead, body: DeviceBody, path: string): boolean {
  if (typeof body.json?.['ticketCode'] === 'string') return true;
  return headerOf(head, 'x-api-key') !== undefined || /\/scan\/(validate|consume)$/.test(path);
}

function isHeartbeat({ json }: DeviceBody, path: string): boolean {
  if (/\/scan\/hw\/heartbeat$/.test(path)) return true;
  return json !== undefined && 'Key' in json && 'Serial' in json;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A request that a device file reads. */
export interface RecognisedDevice {
  /** The name of the file. */
  readonly model: string;
  readonly read: FileRead;
  readonly file: DeviceFile;
  readonly arrival: Arrival;
}

/** The meaning of a field; undefined where the file says none. */
export type Meaning = (field: Pick<Field, 'place' | 'name'>) => string | undefined;

/** The devices of device files, as a recording recognises them. */
export class FileDevices {
  readonly #models: readonly (readonly [DeviceFile, FileModel])[];

  constructor(files: readonly DeviceFile[]) {
    this.#models = files.map((file) => [file, new FileModel(file)]);
  }

  /** The first file that reads a request; undefined when none does. */
  recognise(head: HttpHead, content: Buffer): RecognisedDevice | undefined {
    return this.#recognise(receivedFrom(head, content));
  }

  /** What the file that reads a request says about its fields; undefined when none reads it. */
  meaningIn(request: StoredMessage): Meaning | undefined {
    const found = this.#recognise(received(request));
    return found && meaningOf(found);
  }

  #recognise(request: Received | undefined): RecognisedDevice | undefined {
    if (!request) return undefined;
    const { message, arrival } = request;
    for (const [file, model] of this.#models) {
      const read = model.read(message, arrival);
      if (read) return { model: file.name, read, file, arrival };
    }
    return undefined;
  }
}

/** The key in `/devices/KEY/…`, as it stands there. */
export function keyInDevicePath(head: HttpHead): string | undefined {
  const path = pathOf(requestLine(head)?.target ?? '');
  return /\/devices\/([^/]+)\/[^/]/.exec(path)?.[1];
}

function meaningOf({ file, read, arrival }: RecognisedDevice): Meaning {
  const path = arrival.at === 'path' ? arrival.path : undefined;
  const meanings = file.requests
    .filter((request) => request.kind === read.kind && request.path === path)
    .flatMap(sourcesIn);
  return (field) => meanings.find(([source]) => isAt(source, field))?.[1];
}

function sourcesIn(request: FileRequest): (readonly [FileSource, string])[] {
  const { serial } = request;
  const named: [FileSource | undefined, string][] = [[serial, 'the serial of the device']];
  if (request.kind === 'scan') {
    named.push([request.code, 'the code'], [request.reader, 'the reader']);
    named.push([request.direction, 'the direction']);
  }
  if (request.kind === 'heartbeat') named.push([request.firmware, 'the firmware']);
  if (request.kind === 'passage') {
    for (const condition of request.turnedBack) named.push([condition, 'whether somebody passed']);
  }
  return named.flatMap(([source, meaning]) => (source ? [[source, meaning] as const] : []));
}

function isAt(source: FileSource, field: Pick<Field, 'place' | 'name'>): boolean {
  const [named] = Object.entries(sourceOf(field) ?? {});
  const [place, name] = named ?? [];
  if (place === 'header') return source.header?.toLowerCase() === String(name).toLowerCase();
  return place !== undefined && source[place as keyof FileSource] === name;
}

/** A recorded request as a device file reads it. */
export interface Received {
  readonly message: Message;
  readonly arrival: Arrival;
  readonly method: string;
}

/** @returns undefined for a request that is incomplete or has no readable head */
export function received(request: StoredMessage): Received | undefined {
  if (!request.whole) return undefined;
  return receivedFrom(request.head, contentOf(request.head, loadBytes(request.body)));
}

/** @param content of the body @returns undefined without a readable head */
function receivedFrom(head: HttpHead, content: Buffer): Received | undefined {
  const line = requestLine(head);
  if (!line) return undefined;
  const { method, target } = line;
  const { text, json } = deviceBody(content);
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const headers = Object.fromEntries(
    headersOf(head).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const message = { text, isJson: json !== undefined, query, headers };
  return { message, arrival: arrivalAt(method, pathOf(target)), method };
}

/** The Card URL and the Heart URL with any base path; else what follows `/devices/KEY`, or the whole path. */
function arrivalAt(method: string, path: string): Arrival {
  if (/\/scan\/hw\/(consume|validate)$/.test(path)) return { at: 'card' };
  if (path.endsWith('/scan/hw/heartbeat')) return { at: 'heart' };
  const [, own = path] = /^.*\/devices\/[^/]+(\/.*)$/.exec(path) ?? [];
  return { at: 'path', method, path: own };
}

/** The body of a recorded answer; undefined when it is not UTF-8. */
export function bodyOf({ head, body }: StoredMessage): string | undefined {
  return decodeUtf8(contentOf(head, loadBytes(body)));
}

/**
 * True for what ticketscan answers to a device that it does not know: it says nothing about the answers that the device wants.
 */
export function isOfTicketscan(status: number, body: string | undefined): boolean {
  if (status === 404 || status === 405) return true;
  const { json } = deviceBody(Buffer.from(body ?? ''));
  return json?.['status'] === 'rejected' || typeof json?.['AcsRes'] === 'string';
}

/** True for what no built-in model reads: requests with unknown data, and those at an address of a device file. */
export function isOfUnknownDevice({ model, request }: StoredExchange): boolean {
  return (
    model === 'unknown' ||
    (model === 'other' && /\/devices\//.test(request.head.split('\n')[0] ?? ''))
  );
}
