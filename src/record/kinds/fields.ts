import { isIP } from 'node:net';
import { changesSuspected, findingInWords } from '../../core/reader-changes.ts';
import type { FileSource } from '../../device-files/schema.ts';
import { xmlValues } from '../../device-files/xml.ts';
import { contentOf, headersOf, requestLine } from '../../kit/http1.ts';
import { decodeUtf8 } from '../../kit/text.ts';
import { deviceBody, loadBytes, type StoredMessage } from '../recording.ts';

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

/** A guess at the meaning of a value. Undefined when it does not look like that. */
type Guess = (value: string, name: string) => string | undefined;

const PRINTABLE = /^[\x20-\x7e\u00a0-\uffff]+$/;
const TICKET_CODE = /^[A-Za-z0-9]+\.tkt_[a-z0-9]+_[a-z0-9]+\.[A-Za-z0-9_-]+$/;
const EARLIEST_S = Date.UTC(2015) / 1000;
const LATEST_S = Date.UTC(2100) / 1000;

/** The guesses, the most specific first. */
const GUESSES: readonly Guess[] = [
  (value) => (value === '' ? 'empty' : undefined),
  (value) => (/^(?:\w+ )?‹key-\d+›$/.test(value) ? 'the API key' : undefined),
  (value) => (isTicketCode(value) ? 'a ticket code' : changedCode(value)),
  (value) => hidden('Base64', base64Text(value)),
  (value) => hidden('hex', hexText(value)),
  (value) => (/^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value) ? 'a MAC address' : undefined),
  (value) => (isIP(value) ? 'an IP address' : undefined),
  (value) => (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? 'a UUID' : undefined),
  (value) => (/^https?:\/\//.test(value) ? 'an address' : undefined),
  time,
  (value) => (/^(true|false|yes|no|on|off)$/i.test(value) ? 'yes or no' : undefined),
  (value, name) =>
    /crc|check|hash|sign|mac$|digest/i.test(name) && /^[0-9A-Za-z+/=]+$/.test(value)
      ? 'a checksum'
      : undefined,
  (value, name) =>
    /serial|^sn$|device|^dev|imei|^id$|terminal/i.test(name) && value !== ''
      ? 'the serial of the device'
      : undefined,
  (value, name) =>
    /reader|door|gate|lane|port|channel|direction|^lock/i.test(name) && /^-?\d{1,3}$/.test(value)
      ? 'a reader, door or direction'
      : undefined,
  (value, name) =>
    /index|count|seq|num|^no$|counter/i.test(name) && /^\d+$/.test(value) ? 'a counter' : undefined,
  (value, name) =>
    /ver|firmware|^fw/i.test(name) || /^v?\d+\.\d+(\.\d+)+$/i.test(value) ? 'a version' : undefined,
  (value, name) =>
    /card|code|ticket|qr|barcode|uid|credential|identifier_number|scan|result/i.test(name) &&
    PRINTABLE.test(value)
      ? 'what the person presented'
      : undefined,
  (value) => (/^\d{6,20}$/.test(value) ? 'a card number' : undefined),
  (value) => (/^-?\d{1,2}$/.test(value) ? 'a small number: a reader, a state, a type' : undefined),
  (value) => (/^-?\d+(\.\d+)?$/.test(value) ? 'a number' : undefined),
  (value) => (/^[A-Z]{1,6}[0-9]{4}[0-9A-Z]*$/.test(value) ? 'a serial' : undefined),
];

export function isTicketCode(text: string): boolean {
  return TICKET_CODE.test(text);
}

/** The own name of an inner field: `sn` of `media.sn` and of `read.unit@sn`. */
export function lastPartOf(name: string): string {
  return name.split(/[.@]/).at(-1) ?? name;
}

/** Guesses the meaning of a value, in a few words; the device's documentation is authoritative. */
export function looksLike(value: string, name: string): string {
  const own = lastPartOf(name);
  for (const guess of GUESSES) {
    const found = guess(value, own);
    if (found !== undefined) return found;
  }
  return PRINTABLE.test(value) ? 'text' : 'bytes that are not text';
}

/** Base64 is what devices send: that is told elsewhere. */
function changedCode(value: string): string | undefined {
  const finding = changesSuspected(value);
  if (!finding || finding.changes.includes('base64')) return undefined;
  return `a ticket code that the reader changed. ${findingInWords(finding)}`;
}

function hidden(encoding: string, content: string | undefined): string | undefined {
  if (content === undefined) return undefined;
  const what = isTicketCode(content) ? 'a ticket code' : changedCode(content);
  return `${encoding} of ${what ?? `"${content.slice(0, 24)}"`}`;
}

/** Treated as Base64 only if it decodes to readable text: almost any word is valid Base64. */
function base64Text(value: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]{6,}={0,2}$/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const isCanonical = bytes.toString('base64').replace(/={1,2}$/, '') === standard(value);
  return isCanonical && !/^[A-Za-z]+$|^\d+$/.test(value) ? readable(bytes) : undefined;
}

const standard = (value: string) =>
  value
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');

function hexText(value: string): string | undefined {
  return /^(?:[0-9a-f]{2}){4,}$/i.test(value) && /[a-f]/i.test(value)
    ? readable(Buffer.from(value, 'hex'))
    : undefined;
}

function readable(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes);
  return text !== undefined && /^[\x20-\x7e]{3,}$/.test(text) ? text : undefined;
}

function time(value: string, name: string): string | undefined {
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)) return 'a time';
  if (
    /^20\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d/.test(value) &&
    value.length <= 17
  ) {
    return value.length > 14
      ? 'a time in digits, followed by something else (the weekday?)'
      : 'a time in digits';
  }
  const seconds = /^\d{13}$/.test(value) ? Number(value) / 1000 : Number(value);
  const isUnix = /^\d{10}$|^\d{13}$/.test(value) && seconds > EARLIEST_S && seconds < LATEST_S;
  if (isUnix && (/time|date|now|ts|stamp|clock/i.test(name) || value.length === 13)) {
    return `a Unix time in ${value.length === 13 ? 'milliseconds' : 'seconds'}`;
  }
  return undefined;
}
