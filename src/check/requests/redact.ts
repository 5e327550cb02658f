import { joinUrl } from './connection.ts';
import type { RequestSpec } from './exchange.ts';

/** Replaces each secret by its shell variable, in everything that leaves the run. */
export class Redactor {
  /** By the spelling in lower case, and by the spelling as it is: a key in another letter case is another key. */
  readonly #labels = new Map<string, string>();
  readonly #exact = new Map<string, string>();
  #pattern: RegExp | undefined;

  /** @param label the shell expression to print instead: `$REST_KEY` */
  add(secret: string, label: string): void {
    for (const spelling of spellingsOf(secret)) {
      const known = spelling.toLowerCase();
      if (!this.#exact.has(spelling)) this.#exact.set(spelling, label);
      if (!this.#labels.has(known)) this.#labels.set(known, label);
    }
    this.#pattern = undefined;
  }

  /** `text` without a secret in it, in any letter case or encoding. */
  redact(text: string): string {
    return this.segments(text)
      .map(({ text: plain, label }) => label ?? plain)
      .join('');
  }

  /** The text in pieces: plain ones, and labels in place of a secret. */
  segments(text: string): { text: string; label?: string }[] {
    const pattern = this.#compiled();
    if (!pattern) return [{ text }];
    const pieces: { text: string; label?: string }[] = [];
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
      const label = this.#exact.get(match[0]) ?? this.#labels.get(match[0].toLowerCase()) ?? '$KEY';
      pieces.push({ text: match[0], label });
      end = match.index + match[0].length;
    }
    if (end < text.length) pieces.push({ text: text.slice(end) });
    return pieces;
  }

  /** Longest first: a whole key must not be printed as its cut form and one letter. */
  #compiled(): RegExp | undefined {
    if (this.#labels.size === 0) return undefined;
    this.#pattern ??= new RegExp(
      [...this.#labels.keys()]
        .sort((a, b) => b.length - a.length)
        .map((secret) => secret.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
        .join('|'),
      'gi',
    );
    return this.#pattern;
  }
}

function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/={1,2}$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

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
