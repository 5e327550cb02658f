/**
 * The head of an HTTP message as text, one character for each byte (Latin-1), so that it goes back to the very same
 * bytes: spelling, spaces and line ends are the device's own.
 */
export type HttpHead = string;

const REQUEST_LINE = /^\s*([^\s]+)[ \t]+([^\s]+)(?:[ \t]+HTTP\/\d(?:\.\d)?)?[ \t]*\r?(?:\n|$)/;
const STATUS_LINE = /^\s*HTTP\/\d(?:\.\d)? +(\d{3})/;

export interface RequestLine {
  readonly method: string;
  readonly target: string;
}

/** Undefined when this is not the head of a request. */
export function requestLine(head: HttpHead): RequestLine | undefined {
  const [, method, target] = REQUEST_LINE.exec(head) ?? [];
  return method === undefined || target === undefined ? undefined : { method, target };
}

/** The part before the query or a fragment. */
export function pathOf(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? '';
}

/** The status of a response, 0 when this is none. */
export function statusOf(head: HttpHead): number {
  return Number(STATUS_LINE.exec(head)?.[1] ?? 0);
}

/** Every header in the order of the wire, names as they were spelled. */
export function headersOf(head: HttpHead): (readonly [name: string, value: string])[] {
  const lines = head.trimStart().split(/\r?\n/).slice(1);
  return lines.flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
  });
}

/** The value of the first header of that name, whatever its case. */
export function headerOf(head: HttpHead, name: string): string | undefined {
  return headersOf(head).find(([one]) => one.toLowerCase() === name)?.[1];
}

/** Whether the body comes in chunks, whatever length the head says besides (RFC 9112 6.3). */
export function isChunked(head: HttpHead): boolean {
  return /(^|[,\s])chunked\s*$/i.test(headerOf(head, 'transfer-encoding') ?? '');
}

/** Whether the server keeps the connection open after this response. */
export function staysOpen(head: HttpHead): boolean {
  const connection = headerOf(head, 'connection') ?? '';
  return /^HTTP\/1\.1/.test(head) ? !/close/i.test(connection) : /keep-alive/i.test(connection);
}

/** The head with another value for the header; all other bytes stay. Unchanged when it has no such header. */
export function withHeader(head: HttpHead, name: string, value: string): HttpHead {
  const line = new RegExp(`(\\n${name}[ \\t]*:[ \\t]*)[^\\r\\n]*`, 'i');
  return head.replace(line, (_whole, start: string) => `${start}${value}`);
}

/** The head with another target in its first line; all other bytes stay. */
export function withTarget(head: HttpHead, change: (target: string) => string): HttpHead {
  const target = requestLine(head)?.target;
  if (target === undefined) return head;
  const at = head.indexOf(target, head.search(/\S/) + 1);
  return head.slice(0, at) + change(target) + head.slice(at + target.length);
}
