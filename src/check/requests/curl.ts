import type { RequestSpec } from './exchange.ts';
import { joinUrl } from './http-failure.ts';
import type { Redactor } from './redact.ts';

const BODY_CHARACTERS_MAX = 4000;

/** A bash line that sends the request again, with every key as a variable: `-H "x-api-key: $REST_KEY"`. */
export function curlLine(baseUrl: URL, request: RequestSpec, redactor: Redactor): string {
  const parts = ['curl', '-sS', '-i', '-X', request.method ?? 'POST'];
  for (const [name, value] of request.headers ?? []) {
    // curl drops a header without a value unless the name ends with a semicolon
    parts.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`, redactor));
  }
  if (!hasContentType(request) && request.body !== undefined) parts.push('-H', "'content-type:'");
  if (request.isChunked) parts.push('-H', "'transfer-encoding: chunked'");
  parts.push(quote(joinUrl(baseUrl, request), redactor));
  if (request.body === undefined) return parts.join(' ');
  const { body } = request;
  if (body.length > BODY_CHARACTERS_MAX) {
    return `${parts.join(' ')} --data-binary @body  # a body of ${body.length} bytes`;
  }
  if (typeof body === 'string' && isPrintable(body)) {
    return [...parts, '--data-raw', quote(body, redactor)].join(' ');
  }
  const bytes = Buffer.from(body).toString('base64');
  return `base64 -d <<< ${bytes} | ${parts.join(' ')} --data-binary @-`;
}

function hasContentType(request: RequestSpec): boolean {
  return (request.headers ?? []).some(([name]) => name.toLowerCase() === 'content-type');
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Single quotes, or double quotes where a variable has to be filled in. */
function quote(text: string, redactor: Redactor): string {
  const segments = redactor.segments(text);
  if (segments.every(({ label }) => label === undefined)) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  }
  const inner = segments.map((part) => part.label ?? part.text.replace(/[\\"$`]/g, '\\$&'));
  return `"${inner.join('')}"`;
}
