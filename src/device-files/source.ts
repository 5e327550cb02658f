import { type JsonPath, jsonTextsAt } from '../kit/json-text.ts';
import { decodeUtf8, withoutLineEnd } from '../kit/text.ts';
import type { FileCondition, FileSource, Step } from './schema.ts';
import { xmlValues } from './xml.ts';

/** A request of a device, or an answer to it, as far as a device file looks at it. */
export interface Message {
  /** The body; undefined when it is not UTF-8. */
  readonly text: string | undefined;
  /** True when the body is a JSON object that may be read. */
  readonly isJson: boolean;
  /** The part after the question mark. */
  readonly query?: string;
  /** The headers by their lower-case names. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  readonly status?: number;
}

/** A place in a message. `value` is undefined when it is an object, a list or null, or when the message has the place twice. */
interface Found {
  readonly value: string | undefined;
}

type Reader = (message: Message) => Found | undefined;

/** Reads one place of a message. Made once for each device file. */
export class Source {
  readonly #read: Reader;
  readonly #steps: readonly Step[];

  constructor(source: FileSource) {
    this.#read = readerOf(source);
    this.#steps = source.decode ?? [];
  }

  /** The decoded text; undefined when it is not there, said twice, or cannot be decoded. */
  valueIn(message: Message): string | undefined {
    let value = this.#read(message)?.value;
    for (const step of this.#steps) {
      if (value === undefined) return undefined;
      value = decoded(value, step);
    }
    return value;
  }

  /** True when the place has any value. */
  isIn(message: Message): boolean {
    return this.#read(message) !== undefined;
  }
}

/** Whether a message meets the conditions of a file. */
export class Condition {
  readonly #source: Source;
  readonly #texts: ReadonlySet<string> | undefined;

  constructor({ equals, ...source }: FileCondition) {
    this.#source = new Source(source);
    this.#texts = equals === undefined ? undefined : new Set([equals].flat().map(String));
  }

  holds(message: Message): boolean {
    if (!this.#texts) return this.#source.isIn(message);
    const value = this.#source.valueIn(message);
    return value !== undefined && this.#texts.has(value);
  }
}

/** @throws Error with what is wrong with a path */
function readerOf(source: FileSource): Reader {
  const { json, xml, form, query, header, status } = source;
  if (json !== undefined) return inJson(parseJsonPath(json));
  if (xml !== undefined) return ({ text }) => inXml(text, xml);
  if (form !== undefined) return ({ text }) => inPairs(text, form);
  if (query !== undefined) return (message) => inPairs(message.query, query);
  if (header !== undefined) return ({ headers }) => inHeaders(headers, header.toLowerCase());
  if (status) return (message) => ({ value: message.status?.toString() });
  return ({ text }) => (text === undefined ? undefined : { value: text });
}

function inJson(path: JsonPath): Reader {
  return ({ text, isJson }) => {
    if (!isJson || text === undefined) return undefined;
    const [first, ...others] = jsonTextsAt(text, path);
    if (first === undefined) return undefined;
    return { value: others.length > 0 ? undefined : scalarOf(first) };
  };
}

function inXml(text: string | undefined, path: string): Found | undefined {
  const found =
    text === undefined ? [] : (xmlValues(text) ?? []).filter((one) => one.path === path);
  return oneOf(found.map(({ value }) => value));
}

/** A value that is said twice is none. */
function oneOf([first, ...others]: readonly string[]): Found | undefined {
  if (first === undefined) return undefined;
  return { value: others.length > 0 ? undefined : first };
}

/** A number in its own digits. */
function scalarOf(json: string): string | undefined {
  if (json.startsWith('"')) return JSON.parse(json) as string;
  return json.startsWith('{') || json.startsWith('[') || json === 'null' ? undefined : json;
}

function inPairs(pairs: string | undefined, name: string): Found | undefined {
  if (pairs === undefined) return undefined;
  // URLSearchParams drops a question mark at the beginning; after an ampersand it stays part of the name.
  return oneOf(new URLSearchParams(`&${pairs}`).getAll(name));
}

function inHeaders(headers: Message['headers'], name: string): Found | undefined {
  const value = headers?.[name];
  if (value === undefined) return undefined;
  return { value: typeof value === 'string' ? value : undefined };
}

const DECODERS: Readonly<Record<Extract<Step, string>, (text: string) => string | undefined>> = {
  base64: (text) => fromBase64(text.replaceAll('-', '+').replaceAll('_', '/')),
  base64url: (text) => (/[+/]/.test(text) ? undefined : DECODERS.base64(text)),
  hex: (text) =>
    /^(?:[0-9a-f]{2})*$/i.test(text) ? decodeUtf8(Buffer.from(text, 'hex')) : undefined,
  percent: fromPercent,
  trim: (text) => text.trim(),
  'trim-line-end': withoutLineEnd,
};

function decoded(text: string, step: Step): string | undefined {
  if (typeof step === 'string') return DECODERS[step](text);
  if ('before' in step) {
    const at = text.indexOf(step.before);
    return at === -1 ? text : text.slice(0, at);
  }
  const at = text.indexOf(step.after);
  return at === -1 ? undefined : text.slice(at + step.after.length);
}

/** Decodes Base64 with or without padding, and refuses anything else. */
function fromBase64(text: string): string | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? decodeUtf8(Buffer.from(text, 'base64')) : undefined;
}

function fromPercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `media.data`, `items[0].id`. @throws Error that says what is wrong */
export function parseJsonPath(text: string): JsonPath {
  return text.split('.').flatMap((part) => {
    const [name = '', ...indices] = part.split('[');
    const isNamed = name !== '' && !name.includes(']');
    const numbers = indices.map((one) =>
      one.endsWith(']') ? Number(one.slice(0, -1)) : Number.NaN,
    );
    const areIndices =
      indices.every((one) => one.length > 1) && numbers.every(Number.isSafeInteger);
    if (!isNamed || !areIndices) {
      throw new Error(`"${text}" is not a path such as media.data or items[0].id`);
    }
    return [name, ...numbers];
  });
}
