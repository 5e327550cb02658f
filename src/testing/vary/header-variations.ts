import type { Draft, Headers } from './draft.ts';
import { ofAny, pick, type Variation } from './variation.ts';

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
