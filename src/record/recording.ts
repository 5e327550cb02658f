import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { TicketscanError } from '../core/errors.ts';
import { fileFailure } from '../kit/failures.ts';
import { makeFolder } from '../kit/files.ts';
import type { HttpHead } from '../kit/http1.ts';
import { jsonRecord, parsedJson } from '../kit/json-text.ts';
import { decodeUtf8 } from '../kit/text.ts';
import type { DeviceBody } from '../scan/devices/device-model.ts';

/** Version of the format. A reader accepts this version, and refuses a later one by name. */
export const RECORDING_VERSION = 1;

/** The first line of a recording. */
export interface RecordingHeader {
  readonly ticketscan: 'recording';
  readonly version: number;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** Base URL of the service, without anything secret. */
  readonly upstream: string;
  /** Whether ticket codes are real or replaced by others of the same length and kind. */
  readonly codes: 'real' | 'pseudonyms';
}

/** Bytes: as text where they are UTF-8, so that people can read them, else as Base64. */
export type StoredBytes = { readonly text: string } | { readonly base64: string };

/** One message as it was on the wire; only keys, and ticket codes on request, are replaced. */
export interface StoredMessage {
  /** One character for each byte, with all line ends; empty when there was no readable head. */
  readonly head: HttpHead;
  /** The body as framed on the wire: chunks with their sizes. */
  readonly body: StoredBytes;
  /** False when a part is missing: only a complete request can be sent again. */
  readonly whole: boolean;
  /** Why it is incomplete, or how it was changed. */
  readonly note?: string;
}

/** One line of a recording after the first: a request and its outcome. */
export interface StoredExchange {
  /** Counts from 1 in the order in which the requests began. */
  readonly number: number;
  /** Counts from 1; exchanges with the same number came over the same connection. */
  readonly connection: number;
  /** Milliseconds from the start of the recording to the beginning of the request. */
  readonly atMs: number;
  /** The milliseconds from the beginning of the request to the end of the response. */
  readonly durationMs: number;
  /** A device model, `rest`, or `unknown`. */
  readonly model: string;
  readonly request: StoredMessage;
  /** Null when none came. */
  readonly response: StoredMessage | null;
  /** Why the response is missing or incomplete. */
  readonly failure?: string;
  /** The placeholders for keys in this exchange, such as `‹key-1›`. */
  readonly keys: readonly string[];
}

/** A recording that was read back. */
export interface Recording {
  readonly header: RecordingHeader;
  /** The exchanges, in the order in which the requests began. */
  readonly exchanges: readonly StoredExchange[];
  /** True when the last line is torn: the machine stopped while it was written. */
  readonly isTorn: boolean;
}

/**
 * Reads a recording.
 * @param name of the file, for messages
 * @throws TicketscanError `usage` that says which line is wrong
 */
export function parseRecording(text: string, name: string): Recording {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  const header = readHeader(parsedJson(lines[0] ?? torn), name);
  const exchanges = lines.slice(1).map((line, index) => {
    const value = parsedJson(line);
    if (isExchange(value)) return value;
    throw new TicketscanError(
      'usage',
      `${name}:${index + 2}: this line is not an exchange of a recording. Remove it, or record again.`,
    );
  });
  exchanges.sort((one, other) => one.number - other.number);
  return { header, exchanges, isTorn: torn !== '' };
}

function readHeader(value: unknown, name: string): RecordingHeader {
  const header = value as Partial<RecordingHeader> | undefined;
  if (typeof header === 'object' && header?.ticketscan === 'recording') {
    if (header.version === RECORDING_VERSION) return header as RecordingHeader;
    throw new TicketscanError(
      'usage',
      `${name} is a recording of version ${header.version}; this program reads version ${RECORDING_VERSION}. Use a newer ticketscan.`,
    );
  }
  const hint =
    typeof value === 'object' && value !== null && 'event' in value
      ? ` It looks like the events of a simulated session (ticketscan simulate --json).`
      : ' ticketscan record creates one.';
  throw new TicketscanError('usage', `${name} is not a recording of requests.${hint}`);
}

const Bytes = z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })]);
const Message = z.object({ head: z.string(), body: Bytes, whole: z.boolean() });
/** Extracted packets are named after the model: a recording from somebody else must not name another folder. */
const Exchange = z.object({
  number: z.number(),
  connection: z.number(),
  atMs: z.number(),
  model: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  request: Message,
  response: Message.nullable(),
  keys: z.array(z.string()),
});

function isExchange(value: unknown): value is StoredExchange {
  return Exchange.safeParse(value).success;
}

/** Bytes as they are kept in a recording. */
export function storeBytes(bytes: Buffer): StoredBytes {
  const text = decodeUtf8(bytes);
  return text === undefined ? { base64: bytes.toString('base64') } : { text };
}

/** The very bytes that were stored. */
export function loadBytes(stored: StoredBytes): Buffer {
  return 'text' in stored ? Buffer.from(stored.text) : Buffer.from(stored.base64, 'base64');
}

/**
 * A file of whole lines: each line is written in one piece as soon as it is known, so that the file has no half line
 * whenever the program is stopped. Only the owner may read it.
 */
export class LineFile {
  readonly #path: string;
  readonly #file: number;

  /** @throws TicketscanError `usage` when the file exists or cannot be made */
  constructor(path: string) {
    this.#path = path;
    try {
      makeFolder(dirname(path));
      this.#file = openSync(path, 'wx', 0o600);
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
      throw new TicketscanError(
        'usage',
        exists
          ? `${path} already exists: a recording is never overwritten. Choose another file with --out.`
          : `${path} cannot be created: ${fileFailure(error)}. Choose another file with --out.`,
      );
    }
  }

  /** @throws TicketscanError `store_unavailable` when it cannot be written; no part of the line stays then */
  append(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    const before = fstatSync(this.#file).size;
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, null, null);
    } catch (error) {
      ftruncateSync(this.#file, before);
      throw new TicketscanError(
        'store_unavailable',
        `${this.#path} cannot be written: ${fileFailure(error)}.`,
      );
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Closes and removes the file. */
  discard(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}

/** A body in the form that device models read. */
export function deviceBody(content: Buffer): DeviceBody {
  const text = decodeUtf8(content);
  return { text, json: text === undefined ? undefined : jsonRecord(text) };
}
