import type { Draft } from './draft.ts';
import { ofAny, type Variation } from './variation.ts';
import type { JsonStyle } from './write-json.ts';

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
