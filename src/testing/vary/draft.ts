import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { newestAnswer } from '../../scan/http/connections.ts';

export type Members = Readonly<Record<string, unknown>>;
export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

/** An answer of the service as variations change it before it is sent. */
export interface Draft {
  readonly status: number;
  readonly reasonPhrase: string | undefined;
  /** The headers without those that frame the body. */
  readonly headers: Headers;
  /** How a name of a header is written. */
  readonly headerName: (name: string) => string;
  readonly hasDate: boolean;
  /** Undefined for a body that is no plain JSON object: it is sent as it is. */
  readonly members: Members | undefined;
  readonly text: string;
  readonly style: JsonStyle;
  /** How the client knows where the body ends, and in which pieces it arrives. */
  readonly framing: 'length' | 'pieces' | 'chunked' | 'until-close';
  readonly compressed: boolean;
  /** What becomes of the connection after the answer. `drop` closes it without a word. */
  readonly connection: 'keep' | 'close' | 'drop';
  /** The wait before the first byte. */
  readonly delayMs: number;
  /** An answer with status 102 comes first. */
  readonly interim: boolean;
}

/** What a service answered. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The facts of a request on which an answer may depend. */
export type Asked = Pick<IncomingMessage, 'url' | 'headers' | 'httpVersionMinor'>;

/** The answer as the service would send it. */
export function draftOf({ status, headers, text }: PlainAnswer): Draft {
  const { 'content-length': _, ...others } = headers;
  return {
    status,
    reasonPhrase: undefined,
    headers: others,
    headerName: (name) => name,
    hasDate: true,
    members: membersOf(text),
    text,
    style: COMPACT,
    framing: 'length',
    compressed: false,
    connection: 'keep',
    delayMs: 0,
    interim: false,
  };
}

/** Undefined where writing the object again would change what it says, such as the digits of a large number. */
function membersOf(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && JSON.stringify(value) === text ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

const PIECES = 5;
const PIECE_MS = 4;

/** Sends the answer as its draft says. @param random 0 to below 1, for what is left open */
export function sendDraft(draft: Draft, response: ServerResponse, random: () => number): void {
  // A client that went away meanwhile.
  response.on('error', () => {});
  const body = bodyOf(draft, random);
  if (draft.delayMs > 0) setTimeout(write, draft.delayMs, draft, body, response);
  else write(draft, body, response);
}

function bodyOf(draft: Draft, random: () => number): Buffer {
  const { members, text, style } = draft;
  const bytes = Buffer.from(members ? writeJson(members, style, random) : text);
  return draft.compressed ? gzipSync(bytes) : bytes;
}

function write(planned: Draft, body: Buffer, response: ServerResponse): void {
  if (response.destroyed) return;
  const draft = isNewest(response) ? planned : keptOpen(planned);
  const { framing, interim, status, reasonPhrase } = draft;
  if (draft.connection === 'drop') dropAfter(response);
  // What would come behind it must not be decided: nobody could be told.
  if (isLast(draft)) response.req.socket.pause();
  // Behind an answer that is still to be sent, Node would write it in the wrong place.
  if (interim && response.socket) response.writeProcessing();
  response.sendDate = draft.hasDate;
  if (framing === 'until-close') response.useChunkedEncodingByDefault = false;
  const headers = headersOf(draft, body);
  if (reasonPhrase === undefined) response.writeHead(status, headers);
  else response.writeHead(status, reasonPhrase, headers);
  if (framing === 'length' || framing === 'until-close') response.end(body);
  else void writeInPieces(framing, body, response);
}

function headersOf(draft: Draft, body: Buffer): Record<string, string | number | string[]> {
  const { framing, connection, headerName } = draft;
  const isSized = framing === 'length' || framing === 'pieces';
  const headers = {
    ...(draft.headers as Record<string, string | number | string[]>),
    ...(isSized && { 'content-length': body.length }),
    ...(isLast(draft) && connection !== 'drop' && { connection: 'close' }),
  };
  const named = Object.entries(headers).map(([name, value]) => [headerName(name), value]);
  return Object.fromEntries(named);
}

/** Pieces of any length, which may end inside of a character. */
async function writeInPieces(
  framing: Draft['framing'],
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  const size = Math.max(1, Math.ceil(body.length / PIECES));
  for (let from = 0; from < body.length; from += size) {
    response.write(body.subarray(from, from + size));
    if (framing === 'pieces') await new Promise((later) => setTimeout(later, PIECE_MS));
  }
  response.end();
}

/** False when the client has already asked for more on this connection: those requests are to be answered, too. */
function isNewest(response: ServerResponse): boolean {
  // An answer has its own `socket` only while it is its turn.
  const newest = newestAnswer(response.req.socket);
  return newest === undefined || newest === response;
}

/** True when nothing comes on the connection after this answer. */
function isLast({ connection, framing }: Draft): boolean {
  return connection !== 'keep' || framing === 'until-close';
}

function keptOpen(draft: Draft): Draft {
  const framing = draft.framing === 'until-close' ? 'length' : draft.framing;
  return { ...draft, framing, connection: 'keep' };
}

/** Closes the connection once the whole answer is out. */
function dropAfter(response: ServerResponse): void {
  response.once('finish', () => {
    const { socket } = response.req;
    if (isNewest(response)) socket.destroy();
    else socket.resume();
  });
}

/** How a JSON text is written; what it means is the same. */
export interface JsonStyle {
  /** Spaces, tabs and line ends between tokens, and around the text. */
  readonly spaced: boolean;
  /** `\u00fc` for letters that need no escape, in names and in values. */
  readonly escaped: boolean;
  /** `10.0` and `1e1` for `10`. */
  readonly otherNumbers: boolean;
}

/** The style in which `JSON.stringify` writes. */
const COMPACT: JsonStyle = { spaced: false, escaped: false, otherNumbers: false };

const GAPS = ['', ' ', '\t', '\r\n', '\n    '];
const SOME = 0.3;

/** Writes a value as JSON in that style. @param random 0 to below 1, for what is left open */
function writeJson(value: unknown, style: JsonStyle, random: () => number): string {
  const gap = () => (style.spaced ? (GAPS[Math.floor(random() * GAPS.length)] ?? '') : '');
  const text = (one: string) => (style.escaped ? escaped(one, random) : JSON.stringify(one));
  const list = (begin: string, members: readonly string[], end: string) =>
    `${begin}${gap()}${members.join(`${gap()},${gap()}`)}${gap()}${end}`;
  const write = (one: unknown): string => {
    if (typeof one === 'string') return text(one);
    if (typeof one === 'number' && style.otherNumbers) return otherNumber(one, random);
    if (typeof one !== 'object' || one === null) return JSON.stringify(one);
    if (Array.isArray(one)) return list('[', one.map(write), ']');
    const member = ([name, of]: [string, unknown]) => `${text(name)}${gap()}:${gap()}${write(of)}`;
    return list('{', Object.entries(one).map(member), '}');
  };
  return `${gap()}${write(value)}${gap()}`;
}

/** Every letter beyond ASCII as an escape, and some of the others. */
function escaped(text: string, random: () => number): string {
  const letters = text.split('').map((unit) => {
    if (unit === '/') return '\\/';
    const code = unit.charCodeAt(0);
    if (code < 0x80 && random() >= SOME) return JSON.stringify(unit).slice(1, -1);
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${letters.join('')}"`;
}

function otherNumber(value: number, random: () => number): string {
  if (!Number.isInteger(value)) return String(value);
  return random() < 0.5 ? `${value}.0` : value.toExponential();
}
