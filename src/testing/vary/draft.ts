import type { IncomingMessage } from 'node:http';
import { COMPACT, type JsonStyle } from './write-json.ts';

export type Members = Readonly<Record<string, unknown>>;
export type Headers = Readonly<Record<string, string | number | readonly string[]>>;

/** An answer of the service as variations change it before it is sent. */
export interface Draft {
  readonly status: number;
  readonly reasonPhrase: string | undefined;
  /** Without those that frame the body. */
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
  /** Before the first byte. */
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
