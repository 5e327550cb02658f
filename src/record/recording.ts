import { TicketscanError } from '../core/errors.ts';
import type { HttpHead } from '../kit/http1.ts';

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
  /** As framed on the wire: chunks with their sizes. */
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
  /** From there to the end of the response, in milliseconds. */
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
  /** In the order in which the requests began. */
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
  const header = readHeader(parsedLine(lines[0] ?? torn), name);
  const exchanges = lines.slice(1).map((line, index) => {
    const value = parsedLine(line);
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

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Extracted packets are named after it: a recording from somebody else must not name another folder. */
const MODEL = /^[a-z][a-z0-9-]{0,63}$/;

function isExchange(value: unknown): value is StoredExchange {
  if (typeof value !== 'object' || value === null) return false;
  const { model, request, response, keys } = value as Partial<StoredExchange>;
  return (
    hasPlaceAndTime(value) &&
    typeof model === 'string' &&
    MODEL.test(model) &&
    isMessage(request) &&
    (response === null || isMessage(response)) &&
    Array.isArray(keys) &&
    keys.every((label) => typeof label === 'string')
  );
}

function hasPlaceAndTime({ number, connection, atMs }: Partial<StoredExchange>): boolean {
  return [number, connection, atMs].every((one) => typeof one === 'number');
}

function isMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { head, body, whole } = value as Partial<StoredMessage>;
  if (typeof head !== 'string' || typeof whole !== 'boolean') return false;
  if (typeof body !== 'object' || body === null) return false;
  return 'text' in body ? typeof body.text === 'string' : typeof body.base64 === 'string';
}
