import type { Draft, Headers, JsonStyle } from './draft.ts';
import { ofAny, pick, type Variation } from './variation.ts';

const SLOW_MS = { min: 100, max: 1000 };

/** Differences in how a body is written and how it goes over the wire. */
export const WIRE_VARIATIONS = [
  ofAny('spaced-json', 'spaces, tabs and line ends in the JSON', (draft) =>
    inStyle(draft, { spaced: true }),
  ),
  ofAny('escaped-json', '`\\u00fc` and `\\/` in names and values of the JSON', (draft) =>
    inStyle(draft, { escaped: true }),
  ),
  ofAny('number-notation', '`10.0` or `1e+1` for the number 10', (draft) => {
    const hasNumbers = Object.values(draft.members ?? {}).some((one) => typeof one === 'number');
    return hasNumbers ? inStyle(draft, { otherNumbers: true }) : undefined;
  }),
  {
    name: 'compressed',
    meaning: 'gzip, where the request accepts it',
    vary(draft, _random, { headers }) {
      if (
        !/\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding'] ?? ''))
      ) {
        return undefined;
      }
      const added = { 'content-encoding': 'gzip', vary: 'accept-encoding' };
      return { ...draft, compressed: true, headers: { ...draft.headers, ...added } };
    },
  },
  ofAny('chunked', 'the body in chunks, which may end inside of a character', (draft) =>
    framed(draft, 'chunked'),
  ),
  ofAny('in-pieces', 'the body piece by piece, a few milliseconds apart', (draft) =>
    framed(draft, 'pieces'),
  ),
  ofAny('until-close', 'no length: the body ends with the connection', (draft) =>
    draft.connection === 'keep' ? framed(draft, 'until-close') : undefined,
  ),
  ofAny('connection-close', '`connection: close` with the answer', (draft) =>
    closing(draft, 'close'),
  ),
  ofAny('connection-dropped', 'the connection closed after the answer, unannounced', (draft) =>
    closing(draft, 'drop'),
  ),
  ofAny('slow', 'the answer 0.1 to 1 second later', (draft, random) => ({
    ...draft,
    delayMs: Math.round(SLOW_MS.min + random() * (SLOW_MS.max - SLOW_MS.min)),
  })),
  {
    name: 'interim-answer',
    meaning: 'an interim answer with status 102 before the answer: a client must read on',
    vary: (draft, _random, { httpVersionMinor }) =>
      httpVersionMinor >= 1 ? { ...draft, interim: true } : undefined,
  },
] as const satisfies readonly Variation[];

function inStyle(draft: Draft, style: Partial<JsonStyle>): Draft | undefined {
  return draft.members && { ...draft, style: { ...draft.style, ...style } };
}

function framed(draft: Draft, framing: Draft['framing']): Draft | undefined {
  return draft.framing === 'length' ? { ...draft, framing } : undefined;
}

function closing(draft: Draft, connection: Draft['connection']): Draft | undefined {
  const isFree = draft.connection === 'keep' && draft.framing !== 'until-close';
  return isFree ? { ...draft, connection } : undefined;
}

const JSON_TYPES = [
  'application/json',
  'application/json;charset=utf-8',
  'Application/JSON; Charset="UTF-8"',
] as const;
/** What a controller's answer is called is not said. */
const DEVICE_TYPES = ['text/plain', 'text/html; charset=utf-8', 'text/json'] as const;
const CASES = [
  (name: string) => name.toUpperCase(),
  (name: string) => name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase()),
] as const;
const MORE_HEADERS: Headers = {
  'x-request-id': '7f3c9a52-0000-4000-8000-1c2d3e4f5a6b',
  'set-cookie': ['lb=gate-2; Path=/; HttpOnly', 'seen=1'],
  via: '1.1 gateway.example',
  'x-amz-apigw-id': 'QeTUzGJ3joEFBA=',
  'x-cache': 'Miss from cloudfront',
  link: `<https://example.org/${'a'.repeat(900)}>; rel="help"`,
};

/** Differences in the status line and the headers. */
export const HEADER_VARIATIONS = [
  ofAny('more-headers', 'headers that proxies add: cookies, `via`, a long `link`', (draft) =>
    withHeaders(draft, MORE_HEADERS),
  ),
  ofAny('fewer-headers', 'no `date` and no `cache-control`', (draft) => ({
    ...without(draft, 'cache-control'),
    hasDate: false,
  })),
  ofAny('header-case', 'names of headers in other letter case', (draft, random) => ({
    ...draft,
    headerName: pick(CASES, random),
  })),
  ofAny('content-type', 'another way to write the content type', (draft, random) => {
    if (!draft.members) return undefined;
    const isDevice = draft.members['AcsRes'] !== undefined;
    return withHeaders(draft, {
      'content-type': pick(isDevice ? DEVICE_TYPES : JSON_TYPES, random),
    });
  }),
  ofAny('reason-phrase', 'another text behind the status, or none', (draft, random) => ({
    ...draft,
    reasonPhrase: pick(['', 'See body', 'Whatever'], random),
  })),
  ofAny('retry-after', '429 without `retry-after`, or with a date in it', (draft, random) => {
    const seconds = draft.headers['retry-after'];
    if (draft.status !== 429 || typeof seconds !== 'number') return undefined;
    if (random() < 0.5) return without(draft, 'retry-after');
    // A date has whole seconds: rounded up, so that nobody comes back too early.
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + seconds * 1000);
    return withHeaders(draft, { 'retry-after': at.toUTCString() });
  }),
] as const satisfies readonly Variation[];

function withHeaders(draft: Draft, headers: Headers): Draft {
  return { ...draft, headers: { ...draft.headers, ...headers } };
}

function without(draft: Draft, name: string): Draft {
  const { [name]: _, ...headers } = draft.headers;
  return { ...draft, headers };
}
