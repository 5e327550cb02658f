import { type Arrival, FileModel, type FileRead } from '../../device-files/file-model.ts';
import type { DeviceFile, FileRequest, FileSource } from '../../device-files/schema.ts';
import { type HttpHead, pathOf, requestLine } from '../../kit/http1.ts';
import { type Field, sourceOf } from '../kinds/fields.ts';
import type { StoredMessage } from '../recording.ts';
import { type Received, received, receivedFrom } from './received.ts';

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
