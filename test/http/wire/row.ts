import { CODES, KEYS } from '../../support/fixed-world.ts';

/** Bytes as text: one character each, so that any byte can be written down. */
export type Latin1 = string;

/** A request, and the answers that the specification and the docs allow for it, by their names in support/answers.ts. */
export interface Row {
  /** What is odd about it, in a few words. */
  readonly says: string;
  readonly bytes: Latin1;
  /** Several names: any of them will do. */
  readonly expect: string | readonly string[];
}

export const CODE = CODES.fresh;
export const GOOD = `{"ticketCode":"${CODE}"}`;
/** The code as a controller sends it. */
export const CARD = btoa(CODE);
export const API_KEY = `x-api-key: ${KEYS.api}`;
export const JSON_TYPE = 'Content-Type: application/json';

const TARGETS = {
  validate: '/scan/validate',
  consume: '/scan/consume',
  'hw-validate': `/scan/hw/validate?key=${KEYS.hw}`,
  'hw-consume': `/scan/hw/consume?key=${KEYS.hw}`,
  heartbeat: `/scan/hw/heartbeat?key=${KEYS.hw}`,
} as const;
export type Endpoint = keyof typeof TARGETS;

/** A whole request to an address. */
export function post(
  target: string,
  headers: readonly string[],
  body: Latin1,
  first = `POST ${target} HTTP/1.1`,
): Latin1 {
  const lines = [first, 'Host: gate', ...headers, `Content-Length: ${body.length}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** A whole request with a good key. */
export function send(to: Endpoint, body: Latin1): Latin1 {
  return post(TARGETS[to], to.startsWith('h') ? [JSON_TYPE] : [API_KEY, JSON_TYPE], body);
}

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string): Latin1 => Buffer.from(text).toString('latin1');

/** The bytes of a JSON text with this value. */
export const json = (value: unknown): Latin1 => utf8(JSON.stringify(value));

/** Printable form of a byte or text for the description of a row. */
export const named = (text: string): string => JSON.stringify(text).slice(1, -1).slice(0, 40);
