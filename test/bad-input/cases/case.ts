/** Bytes as text: one character each, so that any byte can be written down. */
export type Latin1 = string;

/** Heads that most cases share; `@` is the length of the body. */
export const HEADS = {
  consume:
    'POST /scan/consume HTTP/1.1\r\nHost: gate\r\nx-api-key: ‹api›\r\nContent-Type: application/json\r\nContent-Length: @\r\n\r\n',
  validate:
    'POST /scan/validate HTTP/1.1\r\nHost: gate\r\nx-api-key: ‹api›\r\nContent-Type: application/json\r\nContent-Length: @\r\n\r\n',
  'hw-consume':
    'POST /scan/hw/consume?key=‹hw› HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\nContent-Length: @\r\n\r\n',
  'hw-validate':
    'POST /scan/hw/validate?key=‹hw› HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\nContent-Length: @\r\n\r\n',
  heartbeat:
    'POST /scan/hw/heartbeat?key=‹hw› HTTP/1.1\r\nHost: gate\r\nContent-Type: application/json\r\nContent-Length: @\r\n\r\n',
} as const;
export type HeadName = keyof typeof HEADS;

/** Which documented answer must come. fixtures/bad-input/README.md says what each name means. */
export type Expected = string;

/** One request of the corpus. */
export interface Case {
  /** What is wrong with it, in a few words. */
  readonly says: string;
  /** The head that the body gets; absent when `bytes` are the whole request. */
  readonly to?: HeadName;
  readonly bytes: Latin1;
  /** Several names: any of them will do. */
  readonly expect: Expected | readonly Expected[];
}

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string): Latin1 => Buffer.from(text).toString('latin1');

/** Printable form of a byte or character for the description of a case. */
export function named(text: string): string {
  return JSON.stringify(text).slice(1, -1).slice(0, 40);
}

/** A whole request whose head differs from the usual one in a few lines. */
export function requestOf(
  path: string,
  headers: readonly string[],
  body: Latin1,
  first?: string,
): Latin1 {
  const line = first ?? `POST ${path} HTTP/1.1`;
  const length = `Content-Length: ${body.length}`;
  return `${[line, 'Host: gate', ...headers, length].join('\r\n')}\r\n\r\n${body}`;
}
