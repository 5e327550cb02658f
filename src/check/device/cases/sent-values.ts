import {
  changesAround,
  type ReaderChange,
  readingsOf as readingsBefore,
} from '../../../kit/reader-texts.ts';
import { Inconclusive } from '../../cases/case.ts';
import { Deviation } from '../../facts/failures.ts';
import { show } from '../../facts/json.ts';
import type { SeenRequest } from '../http.ts';
import { sessionCodes } from '../session-record.ts';
import type { SessionResults } from './session-results.ts';

/** The length of the longest code of a session. */
const LONG_CODE_CHARACTERS = sessionCodes('').at(-1)?.length ?? 0;
const LONG = 'closed';
const LINE_END = /(\r\n|\r|\n)$/;

/** The codes that arrived, with the code that was presented; the longest alone, or all others. */
function sentCodes(results: SessionResults, isLong: boolean) {
  const names = Object.keys(results.record.presentations).filter(
    (name) => (name === LONG) === isLong,
  );
  return names.flatMap((name) =>
    results.posts(name).flatMap((request) => {
      const { code: sent, raw } = results.format.read(request) ?? {};
      const { code } = results.presentation(name);
      return sent === undefined ? [] : [{ code, sent, raw, request }];
    }),
  );
}

/**
 * @param takesLineEnd whether one line end after the code is right: servers take it off what devices send
 * @throws Deviation when a code arrived otherwise than it was presented
 */
export function mustSendWholeCodes(
  results: SessionResults,
  takesLineEnd: boolean,
  isLong = false,
): void {
  results.posted('granted');
  const all = sentCodes(results, isLong);
  if (all.length === 0 && !isLong) throw new Inconclusive('no code could be read');
  const wrong = all.find(
    ({ code, sent }) => sent !== code && !(takesLineEnd && sent.replace(LINE_END, '') === code),
  );
  if (!wrong) return;
  const { code, sent, raw, request } = wrong;
  if (raw === code)
    throw new Deviation(show(Buffer.from(code).toString('base64')), show(raw), request, {
      cause: 'Card is not Base64: it is the code itself.',
      fields: ['the code'],
    });
  throw new Deviation(show(code), show(sent), request, {
    cause: changeOf(code, sent),
    fields: ['the code'],
  });
}

/** What a case needs that judges the longest code alone, which also has to arrive. @param takesLineEnd as above */
export function longCodeRow(takesLineEnd: boolean) {
  return {
    scenes: [LONG],
    requirement: `A code of ${LONG_CODE_CHARACTERS} characters, as long as one with an Ed25519 signature gets, is sent whole.`,
    run(results: SessionResults) {
      results.posted('granted');
      if (results.posts(LONG).length === 0)
        throw new Deviation(
          `a request with the code of ${LONG_CODE_CHARACTERS} characters`,
          'none arrived, though shorter codes did',
          undefined,
          { fields: ['the code'] },
        );
      mustSendWholeCodes(results, takesLineEnd, true);
    },
  } as const;
}

/** @throws Deviation when a code is followed by a line end, and by nothing else that is wrong */
export function mustSendNoLineEnd(results: SessionResults): void {
  const found = sentCodes(results, false).find(
    ({ code, sent }) => sent !== code && sent.replace(LINE_END, '') === code,
  );
  if (!found) return;
  const [end = ''] = LINE_END.exec(found.sent) ?? [];
  const name = { '\r\n': 'CR LF', '\r': 'CR', '\n': 'LF' }[end];
  throw new Deviation('the code and nothing else', `${name} behind the code`, found.request, {
    cause: 'The reader ends each code with a line end. Servers take one off; a suffix can be set.',
  });
}

/** How a code was changed on its way, where two texts show it. */
export function changeOf(code: string, sent: string): string | undefined {
  if (sent === Buffer.from(code).toString('base64')) return 'Base64 was encoded twice.';
  if (sent === '') return undefined;
  if (sent.toLowerCase() === code.toLowerCase()) return 'Capitals were changed.';
  if (code.startsWith(sent)) return `It was cut to ${sent.length} of ${code.length} characters.`;
  if (code.includes(sent)) return `Only a part of the code was sent: ${show(sent)}.`;
  if (sent.replace(LINE_END, '') === code) return 'A line end stands behind the code.';
  if (sent === `${code}${code}`) return 'The code was sent twice.';
  if (sent.includes(code) && changesAround(sent, code).includes('several'))
    return 'Two codes were sent as one: the reader must pause between them, and not read on its own.';
  if (sent.startsWith(code))
    return `${show(sent.slice(code.length))} stands behind the code: of an earlier one, or a suffix.`;
  if (sent.endsWith(code)) return `${show(sent.slice(0, -code.length))} stands before the code.`;
  return replacedIn(code, sent) ?? readerChangeOf(code, sent);
}

/** Several changes at once, and keyboard layouts that also move digits and signs. */
function readerChangeOf(code: string, sent: string): string | undefined {
  for (const { text, changes } of readingsBefore(sent)) {
    if (!text.includes(code)) continue;
    const all = [...new Set([...changes, ...changesAround(text, code)])];
    return `The reader changed it: ${all.map((change) => IN_WORDS[change]).join(', ')}.`;
  }
  return undefined;
}

const IN_WORDS: Readonly<Record<ReaderChange, string>> = {
  base64: 'encoded as Base64',
  hex: 'encoded as hexadecimal digits',
  entities: 'written as in HTML',
  bounce: 'with each letter twice',
  signs: 'with other dashes, blanks or look-alike letters',
  percent: 'percent-encoded',
  blanks: 'with blanks or invisible characters',
  layout: 'typed on another keyboard layout',
  case: 'with caps lock',
  symbology: 'with the kind of the code (AIM identifier) before it',
  url: 'inside an address',
  twice: 'sent twice',
  several: 'together with another code',
  prefix: 'with a prefix',
  suffix: 'with a suffix',
};

/** A reader that types as a keyboard replaces characters, each always by the same. */
function replacedIn(code: string, sent: string): string | undefined {
  const [from, to] = [[...code], [...sent]];
  if (from.length !== to.length) return undefined;
  const replaced = new Map<string, string>();
  for (const [index, sign] of from.entries()) {
    const other = to[index] ?? '';
    if ((replaced.get(sign) ?? other) !== other) return undefined;
    replaced.set(sign, other);
  }
  const pairs = [...replaced].filter(([sign, other]) => sign !== other);
  const isSwapped = replaced.get('y') === 'z' || replaced.get('z') === 'y';
  if (pairs.length > from.length / 3) return undefined;
  const shown = pairs.map(([sign, other]) => `${other} in place of ${sign}`).join(', ');
  return isSwapped ? 'y and z are swapped: keyboard layout.' : `${shown}: keyboard layout.`;
}

/** The length of a piece of a random key that no other text contains by chance. */
const PIECE_CHARACTERS = 9;
/** The common prefix of all keys is ignored. */
const KIND = /^tscn_[a-z]+_/;
const BASE64 = /[A-Za-z0-9+/_-]{8,}/g;
const HEX = /(?:[0-9a-f]{2}){8,}/gi;

/** The only place where a request may have the key. */
type KeyPlace = 'query' | 'header';

/** @throws Deviation when a request of the session has the key in another place, too; what a device file describes is only warned of */
export function mustNotHideKey({ sent, record, format }: SessionResults, allowed: KeyPlace): void {
  for (const request of sent) {
    const place = hiddenKey(request, record.key, allowed);
    if (place === undefined) continue;
    const expected = `the key in ${allowed === 'query' ? 'the parameter key' : 'x-api-key'} only`;
    const level = format.file ? 'observed' : 'stated';
    throw new Deviation(expected, `also ${place}`, request, { level, fields: ['the key'] });
  }
}

/**
 * Where else a request has the API key, or a piece of it: plain, in another letter case, backwards, percent-encoded, in Base64 or in hex.
 * @returns `in the body`, `in the header cookie`; undefined when it is nowhere else
 */
function hiddenKey(request: SeenRequest, key: string, allowed: KeyPlace): string | undefined {
  const pieces = piecesOf(key);
  const has = (text: string): boolean => {
    const readings = readingsOf(text).map((one) => one.toLowerCase());
    return pieces.some((piece) => readings.some((one) => one.includes(piece)));
  };
  if (has(request.body)) return 'in the body';
  const header = request.headers.find(
    ([name, value]) => !(allowed === 'header' && name.toLowerCase() === 'x-api-key') && has(value),
  );
  if (header) return `in the header ${header[0].toLowerCase()}`;
  const target = allowed === 'query' ? withoutKeyParameter(request) : request.target;
  return has(target) ? 'in another part of the URL' : undefined;
}

/** In lower case, forwards and backwards. */
function piecesOf(key: string): string[] {
  const secret = key.replace(KIND, '').toLowerCase();
  if (secret.length < PIECE_CHARACTERS) return [key.toLowerCase()];
  const backwards = [...secret].reverse().join('');
  return [secret, backwards].flatMap((text) =>
    Array.from({ length: text.length - PIECE_CHARACTERS + 1 }, (_none, at) =>
      text.slice(at, at + PIECE_CHARACTERS),
    ),
  );
}

function readingsOf(text: string): string[] {
  const plain = [text, percentDecoded(text)];
  const decoded = plain.flatMap((one) => [
    ...(one.match(BASE64) ?? []).map((piece) => Buffer.from(piece, 'base64').toString('latin1')),
    ...(one.match(HEX) ?? []).map((piece) => Buffer.from(piece, 'hex').toString('latin1')),
  ]);
  return [...plain, ...decoded];
}

function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Without the place where the key belongs: the parameter `key`, or what follows /devices/. */
function withoutKeyParameter({ target }: SeenRequest): string {
  const [inPath] = /^(?:https?:\/\/[^/?]*)?\/devices\/[^/?]*/.exec(target) ?? [];
  if (inPath !== undefined) return target.slice(inPath.length);
  return target
    .split(/[?&]/)
    .filter((part) => !part.startsWith('key='))
    .join('&');
}
