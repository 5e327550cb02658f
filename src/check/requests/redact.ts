import { hasProxies, proxyFor } from '../../kit/proxies.ts';
import type { RequestSpec } from '../facts/exchange.ts';
import { joinUrl } from './connection.ts';

/** This many characters of a key in a row are hidden; a short key is hidden only as a whole. */
const PART_CHARACTERS = 12;
const WHOLE_BELOW_CHARACTERS = 16;
/** What the keys of a service begin with, as `tscn_api_`: no secret. */
const KIND = /^[a-z]{2,8}_[a-z]{2,8}_(?=.{16})/i;
/** Codes of tickets have long parts in common: only a whole one is hidden. */
const TICKET = '$TICKET';
/** Every sixth place of a text is looked up: 11 characters in a row have such a piece in them. */
const PIECE_CHARACTERS = 6;
const ESCAPE =
  /%(?:25)*([\da-f]{2})|&#x([\da-f]{1,8});?|\\x([\da-f]{2})|\\u([\da-f]{4})|&#(\d{1,9});?|\\(["\\/])|&(amp|lt|gt|quot|apos);/gi;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text that shows a secret. Of its characters between `from` and `to`, `shown` in a row are hidden. */
interface Spelling {
  readonly text: string;
  readonly lower: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly shown: number;
}

type Piece = { text: string; label?: string };
type Found = { label: string; start: number; end: number; weight: number };

/** Replaces each secret, and each long part of a key, by its shell variable, in everything that leaves the run. */
export class Redactor {
  readonly #known = new Set<string>();
  /** Where pieces are in spellings, by the length of the pieces. */
  readonly #pieces = new Map<number, Map<string, [Spelling, number][]>>();

  /** @param label the shell expression to print instead: `$REST_KEY` */
  add(secret: string, label: string): void {
    if (this.#known.has(secret)) return;
    this.#known.add(secret);
    for (const spelling of spellingsOf(secret, label)) {
      const { lower, from, to, shown } = spelling;
      const width = shown < 2 * PIECE_CHARACTERS - 1 ? 1 : PIECE_CHARACTERS;
      const pieces = this.#pieces.get(width) ?? new Map<string, [Spelling, number][]>();
      this.#pieces.set(width, pieces);
      for (let at = from; at < to - shown + width; at += 1) {
        const piece = lower.slice(at, at + width);
        const places = pieces.get(piece);
        if (places) places.push([spelling, at]);
        else pieces.set(piece, [[spelling, at]]);
      }
    }
  }

  /** `text` without a secret in it, in any letter case or encoding, forwards or backwards. */
  redact(text: string): string {
    return this.segments(text)
      .map(({ text: plain, label }) => label ?? plain)
      .join('');
  }

  /** The text in pieces: plain ones, and labels in place of a secret. */
  segments(text: string): Piece[] {
    return this.#split(text, PIECE_CHARACTERS).flatMap((piece) =>
      piece.label === undefined ? this.#split(piece.text, 1) : piece,
    );
  }

  #split(text: string, width: number): Piece[] {
    const known = this.#pieces.get(width);
    if (!known) return [{ text }];
    const { plain, places } = decode(text);
    const lower = lowerCase(plain);
    const pieces: Piece[] = [];
    let end = 0;
    for (let at = 0; at < lower.length; at += width) {
      if (at + width <= end) continue;
      const candidates = known.get(lower.slice(at, at + width));
      const best = candidates && longest(candidates, at, plain, lower);
      if (!best) continue;
      const start = Math.max(best.start, end);
      if (start > end) pieces.push({ text: text.slice(places[end], places[start]) });
      end = best.end;
      pieces.push({ text: text.slice(places[start], places[end]), label: best.label });
    }
    if (end < plain.length) pieces.push({ text: text.slice(places[end]) });
    return pieces;
  }
}

/** Longest first: a whole key must not be printed as its cut form and one letter. */
function longest(
  candidates: readonly [Spelling, number][],
  at: number,
  plain: string,
  lower: string,
): Found | undefined {
  let best: Found | undefined;
  for (const [spelling, place] of candidates) {
    const found = foundAt(at - place, place, spelling, plain, lower);
    if (found && found.weight > (best?.weight ?? 0)) best = found;
  }
  return best;
}

/** As much of a spelling as is around `place` of it, in a text where it would begin at `shift`. A key in another letter case is another key. */
function foundAt(
  shift: number,
  place: number,
  { text, lower: known, label, from, to, shown }: Spelling,
  plain: string,
  lower: string,
): Found | undefined {
  let first = place;
  while (first > 0 && known[first - 1] === lower[shift + first - 1]) first -= 1;
  let last = place;
  while (last < known.length && known[last] === lower[shift + last]) last += 1;
  if (Math.min(last, to) - Math.max(first, from) < shown) return undefined;
  const [start, end, length] = [shift + first, shift + last, last - first];
  const isExact = text.slice(first, last) === plain.slice(start, end);
  const weight = 4 * length + (length === known.length ? 2 : 0) + (isExact ? 1 : 0);
  return { label, start, end, weight };
}

function spellingsOf(secret: string, label: string): Spelling[] {
  const isWhole = label === TICKET || secret.length < WHOLE_BELOW_CHARACTERS;
  const kind = isWhole ? 0 : (KIND.exec(secret)?.[0].length ?? 0);
  const found = new Map<string, Spelling>();
  const add = (text: string, part: number, from: number, to = text.length) => {
    const shown = isWhole ? text.length : part;
    if (!found.has(text)) found.set(text, { text, lower: lowerCase(text), label, from, to, shown });
  };
  const bytes = Buffer.from(secret);
  for (const text of [secret, bytes.toString('latin1')])
    for (const one of [text, decode(text).plain]) add(one, PART_CHARACTERS, kind);
  add([...secret].reverse().join(''), PART_CHARACTERS, 0, secret.length - kind);
  add(bytes.toString('hex'), 2 * PART_CHARACTERS, 2 * kind);
  // In a longer text its first byte may be the first, second or third of a group of Base64.
  for (const before of isWhole ? [0] : [0, 1, 2]) {
    const cut = Math.ceil((before * 4) / 3);
    const group = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil(((before + kind) * 4) / 3) - cut;
    const base64 = group.toString('base64url').slice(cut);
    for (const text of [base64, base64.replaceAll('-', '+').replaceAll('_', '/')])
      add(text, (PART_CHARACTERS * 5) / 4, from);
  }
  return [...found.values()];
}

/** The text without escapes of addresses, HTML and JSON, and for each of its characters the place in `text`. */
function decode(text: string): { plain: string; places: Uint32Array } {
  const places = new Uint32Array(text.length + 1);
  let plain = '';
  let end = 0;
  const copyUntil = (next: number) => {
    for (let at = end; at <= next; at += 1) places[plain.length + at - end] = at;
    plain += text.slice(end, next);
  };
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, percent, html, byte, unit, decimal, sign, entity = ''] = match;
    copyUntil(match.index);
    const code = decimal ?? `0x${percent ?? html ?? byte ?? unit}`;
    plain += sign ?? ENTITIES[entity.toLowerCase()] ?? String.fromCharCode(Number(code));
    end = match.index + whole.length;
  }
  copyUntil(text.length);
  return { plain, places };
}

/** As long as the text. */
function lowerCase(text: string): string {
  return text.replaceAll('İ', 'I').toLowerCase();
}

const BODY_CHARACTERS_MAX = 4000;

/** A bash line that sends the request again, with every key as a variable: `-H "x-api-key: $REST_KEY"`. */
export function curlLine(baseUrl: URL, request: RequestSpec, redactor: Redactor): string {
  const method = request.method ?? 'POST';
  const parts = ['curl', '-sS', '-i', ...proxyParts(baseUrl), '-X', method];
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
  const bytes = redactor.redact(Buffer.from(body).toString('base64'));
  return `base64 -d <<< ${bytes} | ${parts.join(' ')} --data-binary @-`;
}

/** The same way as the run took, whatever the variables of the shell say. */
function proxyParts(baseUrl: URL): string[] {
  const proxy = proxyFor(baseUrl);
  if (!proxy) return hasProxies() ? ['--noproxy', "'*'"] : [];
  const { url, variable } = proxy;
  const place = url.username === '' ? url.origin : `"$${variable}"`;
  return ['--noproxy', "''", '--proxy', place, '--proxytunnel'];
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
  const inner = segments.map(({ label, text: plain }, at) => {
    if (label === undefined) return plain.replace(/[\\"$`]/g, '\\$&');
    const { text: next = '', label: nextLabel } = segments[at + 1] ?? {};
    // The shell would take letters behind a name for a part of it.
    const isOpen = nextLabel === undefined && /^\w/.test(next);
    return isOpen ? label.replace(/^\$(\w+)$/, `\${$1}`) : label;
  });
  return `"${inner.join('')}"`;
}
