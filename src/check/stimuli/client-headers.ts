import type { RequestSpec } from '../facts/exchange.ts';

/** A family of sections 2 and 7: what a client sends besides what the specification asks for. A row is a question on every scan endpoint. */
export interface ClientHeaders {
  /** The variant in reports. */
  readonly name: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** True where HTTP, or a proxy, has a refusal of its own: 406 for a format that nobody makes, 400 for an odd address. */
  readonly mayBeRefused?: true;
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

/** What libraries, browsers, devices and proxies send: nothing of it changes a decision, or a text that the specification fixes. */
export const CLIENT_HEADERS: readonly ClientHeaders[] = [
  { name: 'accept-any', headers: [['accept', '*/*']] },
  { name: 'accept-html-first', headers: [['accept', BROWSER]] },
  { name: 'accept-xml', headers: [['accept', 'application/xml']], mayBeRefused: true },
  { name: 'accept-text', headers: [['accept', 'text/plain']], mayBeRefused: true },
  { name: 'language-german', headers: [['accept-language', 'de-DE,de;q=0.9,en;q=0.8']] },
  { name: 'language-english', headers: [['accept-language', 'en-GB,en;q=0.9']] },
  { name: 'language-french', headers: [['accept-language', 'fr-FR']] },
  { name: 'language-any', headers: [['accept-language', '*']] },
  {
    name: 'language-odd',
    headers: [['accept-language', 'x-klingon;q=1.000, ,;q=']],
    mayBeRefused: true,
  },
  { name: 'encoding-gzip', headers: [['accept-encoding', 'gzip, deflate']] },
  { name: 'encoding-brotli', headers: [['accept-encoding', 'br;q=1.0, gzip;q=0.8']] },
  { name: 'encoding-identity', headers: [['accept-encoding', 'identity']] },
  { name: 'charset-latin-1', headers: [['accept-charset', 'iso-8859-1']] },
  { name: 'cookies', headers: [['cookie', 'lang=en; session=0; theme="dark"']] },
  { name: 'user-agent-of-a-device', headers: [['user-agent', 'ESP8266HTTPClient']] },
  {
    name: 'user-agent-of-a-browser',
    headers: [
      ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
      ['x-requested-with', 'XMLHttpRequest'],
    ],
  },
  {
    name: 'behind-a-proxy',
    headers: [
      ['x-forwarded-for', '203.0.113.7, 198.51.100.2'],
      ['x-forwarded-proto', 'https'],
      ['via', '1.1 gate'],
    ],
  },
  {
    name: 'forwarded-host',
    headers: [['x-forwarded-host', 'gate.example.org']],
    mayBeRefused: true,
  },
  { name: 'request-id', headers: [['x-request-id', 'b7c1a0de-0001']] },
  { name: 'not-modified', headers: [['if-none-match', '*']], mayBeRefused: true },
  { name: 'origin', headers: [['origin', 'https://gate.example.org']], mayBeRefused: true },
];

/**
 * Those that nobody may refuse, in as few requests as name no header twice: where each request takes a use of a ticket, one for each would be
 * many.
 */
export const HEADERS_TOGETHER: readonly ClientHeaders[] = together(
  CLIENT_HEADERS.filter(({ mayBeRefused }) => !mayBeRefused),
);

function together(rows: readonly ClientHeaders[]): ClientHeaders[] {
  const groups: ClientHeaders[] = [];
  for (const { name, headers } of rows) {
    const given = headers.map(([header]) => header);
    const at = groups.findIndex((one) => !one.headers.some(([header]) => given.includes(header)));
    const group = groups[at];
    if (group)
      groups[at] = {
        name: `${group.name}, ${name}`,
        headers: [...group.headers, ...headers],
      };
    else groups.push({ name, headers });
  }
  return groups;
}

/** A family of section 4.1: how libraries write the type of a JSON body. */
export const CONTENT_TYPES = {
  charset: 'application/json; charset=utf-8',
  'charset-in-capitals': 'application/json;charset=UTF-8',
  'charset-in-quotes': 'application/json; charset="utf-8"',
} as const;

/** The request with these headers too. */
export function sentWith({ headers }: ClientHeaders, request: RequestSpec): RequestSpec {
  return { ...request, headers: [...(request.headers ?? []), ...headers] };
}
