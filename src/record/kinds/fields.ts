import type { FileSource } from '../../device-files/schema.ts';
import { xmlValues } from '../../device-files/xml.ts';
import { contentOf, headersOf, requestLine } from '../../kit/http1.ts';
import type { StoredMessage } from '../recording.ts';
import { deviceBody } from '../request-body.ts';
import { loadBytes } from '../stored-bytes.ts';

/** One value that a request carries. */
export interface Field {
  readonly place: 'query' | 'header' | 'JSON' | 'XML' | 'form' | 'text' | 'bytes';
  /** Inner ones as `access.lock` or `items[0]`; empty when the whole body is one value. */
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array' | 'bytes';
  readonly value: string;
}

/** Headers of every HTTP client: they are not specific to the device. */
const USUAL_HEADER =
  /^(host|connection|keep-alive|content-(length|type|encoding)|transfer-encoding|accept(-.*)?|expect|date|pragma|cache-control|te)$/i;
const DEPTH_MAX = 8;
const FIELDS_MAX = 100;
const SHOWN_BYTES_MAX = 24;

/** All values of the request, field by field, in their order. */
export function fieldsOf(request: StoredMessage): Field[] {
  const { head } = request;
  const content = contentOf(head, loadBytes(request.body));
  const target = requestLine(head)?.target ?? '';
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const headers = headersOf(head).filter(([name]) => !USUAL_HEADER.test(name));
  return [
    ...pairs('query', query.split('&')),
    ...headers.map(([name, value]) => text('header', name, value)),
    ...bodyFields(content),
  ].slice(0, FIELDS_MAX);
}

/** The values in a body. */
export function bodyFields(content: Buffer): Field[] {
  if (content.length === 0) return [];
  const { text: said, json } = deviceBody(content);
  if (said === undefined) {
    const value = content.toString('hex', 0, SHOWN_BYTES_MAX);
    return [{ place: 'bytes', name: '', type: 'bytes', value }];
  }
  if (json) return jsonFields(json, '', 0);
  const inXml = xmlValues(said);
  if (inXml) return inXml.map(({ path, value }) => text('XML', path, value));
  const form = said.trim().split(/&+|\r?\n/);
  const isForm = form.every((one) => /^[\w.-]{1,64}\s*[=:]/.test(one));
  return isForm ? pairs('form', form) : [text('text', '', said)];
}

function jsonFields(value: object, path: string, depth: number): Field[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const name = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (typeof inner === 'object' && inner !== null && depth < DEPTH_MAX) {
      const fields = jsonFields(inner, name, depth + 1);
      if (fields.length > 0) return fields;
    }
    return [{ place: 'JSON', name, type: typeOf(inner), value: shown(inner) } as const];
  });
}

function typeOf(value: unknown): Field['type'] {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as Field['type']);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pairs(place: Field['place'], parts: readonly string[]): Field[] {
  return parts.flatMap((part) => {
    const at = part.search(/[=:]/);
    if (at === -1) return part === '' ? [] : [text(place, '', part)];
    const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    return [text(place, unescaped(name), unescaped(value))];
  });
}

function text(place: Field['place'], name: string, value: string): Field {
  return { place, name, type: 'string', value };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A place as device files name it; undefined for bytes that are no text. */
export function sourceOf({ place, name }: Pick<Field, 'place' | 'name'>): FileSource | undefined {
  switch (place) {
    case 'JSON':
      return { json: name };
    case 'XML':
      return { xml: name };
    case 'text':
      return { text: true };
    case 'bytes':
      return undefined;
    default:
      return { [place]: name };
  }
}
