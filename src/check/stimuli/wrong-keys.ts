/**
 * Families of section 5: what is no key, and where a key does not belong. A row is a question on every endpoint, or on those that it names.
 */
import { hash } from 'node:crypto';
import type { Spoil } from '../cases/run-services.ts';
import {
  ENDPOINTS,
  type Endpoint,
  endpointAt,
  HARDWARE,
  isRest,
  REST,
  type RequestSpec,
} from '../facts/exchange.ts';
import { withKey } from '../requests/scan-request.ts';

/** Makes a request of one without a key. */
export type Placing = (keyless: RequestSpec, key: string) => RequestSpec;

/** A way in which a request lacks its key, or has a wrong one: made of a good key, or without any. */
export interface WrongKey {
  /** The variant in reports. */
  readonly variant: string;
  /** What was sent instead of the key, as the end of a sentence that begins with "where "; left out where the variant says it all. */
  readonly what?: string | undefined;
  /** Where it is wrong; everywhere when left out. */
  readonly endpoints?: readonly Endpoint[];
  /** In its place when left out. */
  readonly place?: Placing;
  /** Whose key is placed: the good one of the endpoint when left out. */
  readonly of?: 'nobody' | 'the-other-type';
  readonly spoil?: Spoil;
  /** Another spelling of the path: what asks for the key may not know it, and what serves it may. */
  readonly path?: (path: string) => string;
  /** True for bytes and headers that a proxy may refuse before the service sees them, with another 4xx. */
  readonly isOdd?: true | undefined;
}

/** A value that nobody chose as a key, in the place of one. */
function value(variant: string, text: string, more: Partial<WrongKey> = {}): WrongKey {
  const what = `the key was ${JSON.stringify(text)}`;
  return { variant, what, of: 'nobody', place: (keyless) => withKey(keyless, text), ...more };
}

/** A parameter of the query that some frameworks read as an operator, an object or an array. */
function operator(variant: string, name: string, text: string): WrongKey {
  return {
    variant,
    what: `the query was "${name}=${text}"`,
    endpoints: HARDWARE,
    of: 'nobody',
    isOdd: true,
    place: (keyless) => ({ ...keyless, query: [[name, text]] }),
  };
}

/** Headers without a key that servers and proxies are known to trust. */
function headers(variant: string, ...pairs: readonly (readonly [string, string])[]): WrongKey {
  const shown = pairs.map(([name, text]) => `${name}: ${text}`).join(', ');
  return {
    variant,
    what: `there was no key, and ${shown}`,
    of: 'nobody',
    isOdd: true,
    place: (keyless) => pairs.reduce((made, [name, text]) => withHeader(made, name, text), keyless),
  };
}

/** No key, at another spelling of the path. */
function otherPath(variant: string, path: (path: string) => string): WrongKey {
  return {
    variant,
    what: `there was no key, and the path was written ${path('/scan/validate')}`,
    of: 'nobody',
    isOdd: true,
    path,
    place: (keyless) => ({ ...keyless, path: path(keyless.path) }),
  };
}

/** A good key in a header that is not the one of the specification. */
function inOtherHeader(variant: string, name: string, write = (key: string) => key): WrongKey {
  return {
    variant,
    what: `the key was in the header ${name}`,
    place: (keyless, key) => withHeader(keyless, name, write(key)),
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

const SPOILED: readonly WrongKey[] = [
  {
    variant: 'cut-key',
    spoil: (key, variable) => ({ value: key.slice(0, -1), bash: `\${${variable}%?}` }),
  },
  {
    variant: 'beheaded-key',
    spoil: (key, variable) => ({ value: key.slice(1), bash: `\${${variable}#?}` }),
  },
  {
    variant: 'lower-case-key',
    spoil: (key, variable) => ({ value: key.toLowerCase(), bash: `\${${variable},,}` }),
  },
  {
    variant: 'upper-case-key',
    spoil: (key, variable) => ({ value: key.toUpperCase(), bash: `\${${variable}^^}` }),
  },
  {
    variant: 'middle-letter-key',
    spoil: (key, variable) =>
      withLetter(key, variable, middleOf(key), (letter) => (letter === 'x' ? 'y' : 'x')),
  },
  {
    variant: 'letter-case-key',
    spoil: (key, variable) => withLetter(key, variable, middleLetterOf(key), inOtherCase),
  },
  { variant: 'longer-key', place: (keyless, key) => withKey(keyless, `${key}AA`) },
  { variant: 'bearer-before-the-key', place: (keyless, key) => withKey(keyless, `Bearer ${key}`) },
  // A header has no blanks around its value, and no control characters.
  {
    variant: 'blank-before-the-key',
    endpoints: HARDWARE,
    place: (keyless, key) => withKey(keyless, ` ${key}`),
  },
  {
    variant: 'blank-after-the-key',
    endpoints: HARDWARE,
    place: (keyless, key) => withKey(keyless, `${key} `),
  },
];

const MADE_OF_A_KEY: readonly WrongKey[] = [
  { variant: 'doubled-key', place: (keyless, key) => withKey(keyless, `${key}${key}`) },
  { variant: 'key-and-word', place: (keyless, key) => withKey(keyless, `${key} admin`) },
  { variant: 'word-and-key', place: (keyless, key) => withKey(keyless, `admin ${key}`) },
  {
    variant: 'quoted-key',
    isOdd: true,
    place: (keyless, key) => withKey(keyless, `"${key}"`),
  },
  {
    variant: 'key-and-semicolon',
    isOdd: true,
    place: (keyless, key) => withKey(keyless, `${key};`),
  },
  {
    variant: 'newline-after-the-key',
    endpoints: HARDWARE,
    isOdd: true,
    place: (keyless, key) => withKey(keyless, `${key}\n`),
  },
  {
    variant: 'nul-after-the-key',
    endpoints: HARDWARE,
    isOdd: true,
    place: (keyless, key) => withKey(keyless, `${key}\0abc`),
  },
  {
    variant: 'hash-of-the-key',
    what: 'the key was the SHA-256 of a good one, as a store keeps it',
    spoil: (key, variable) => ({
      value: hash('sha256', key),
      bash: `$(printf %s "$${variable}" | sha256sum | cut -c1-64)`,
    }),
  },
  {
    variant: 'base64-of-the-key',
    what: 'the key was a good one in Base64',
    spoil: (key, variable) => ({
      value: base64(key),
      bash: `$(printf %s "$${variable}" | base64 -w0)`,
    }),
  },
  {
    variant: 'beginning-and-percent',
    what: 'the key was the beginning of a good one and "%", as LIKE reads it',
    isOdd: true,
    spoil: (key, variable) => ({
      value: `${beginningOf(key)}%`,
      bash: `${beginningIn(variable)}%`,
    }),
  },
  {
    variant: 'beginning-and-star',
    what: 'the key was the beginning of a good one and "*"',
    isOdd: true,
    spoil: (key, variable) => ({
      value: `${beginningOf(key)}*`,
      bash: `${beginningIn(variable)}*`,
    }),
  },
  {
    variant: 'beginning-of-the-key',
    what: 'the key was the first half of a good one',
    spoil: (key, variable) => ({ value: beginningOf(key), bash: beginningIn(variable) }),
  },
  {
    variant: 'as-many-underscores',
    what: 'the key was "_" for each letter of a good one, as LIKE reads it',
    place: (keyless, key) => withKey(keyless, '_'.repeat(key.length)),
  },
];

const NONE: readonly WrongKey[] = [
  { variant: 'no-key', of: 'nobody', place: (keyless) => keyless },
  { variant: 'empty-key', of: 'nobody', place: (keyless) => withKey(keyless, '') },
  { variant: 'unknown-key', of: 'nobody' },
];

const VALUES: readonly WrongKey[] = [
  value('percent', '%', { isOdd: true }),
  value('percents', '%%', { isOdd: true }),
  value('encoded-percent', '%25', { isOdd: true }),
  value('underscore', '_'),
  value('star', '*', { isOdd: true }),
  value('question-mark', '?', { isOdd: true }),
  value('expression', '.*', { isOdd: true }),
  value('slash-expression', '/./', { isOdd: true }),
  value('sql-single-quotes', "' OR '1'='1", { isOdd: true }),
  value('sql-double-quotes', '" OR ""="', { isOdd: true }),
  value('sql-comment', "' OR 1=1 -- ", { isOdd: true, endpoints: HARDWARE }),
  value('ldap', '*)(|(key=*', { isOdd: true }),
  value('operator-as-text', '{"$ne":null}', { isOdd: true }),
  value('null', 'null'),
  value('undefined', 'undefined'),
  value('none', 'None'),
  value('true', 'true'),
  value('zero', '0'),
  value('one', '1'),
  value('object', '[object Object]', { isOdd: true }),
  value('constructor', 'constructor'),
  value('proto', '__proto__'),
  value('test', 'test'),
  value('admin', 'admin'),
  value('api-key', '<API_KEY>', { isOdd: true }),
];

const OPERATORS: readonly WrongKey[] = [
  operator('not-equal', 'key[$ne]', 'x'),
  operator('greater', 'key[$gt]', ''),
  operator('any-text', 'key[$regex]', '.*'),
  operator('empty-array', 'key[]', ''),
  operator('array', 'key[]', 'unknown'),
  operator('member', 'key[length]', '1'),
];

const PLACES: readonly WrongKey[] = [
  { variant: 'bearer', place: withBearer },
  { variant: 'cookie', place: inCookie },
  { variant: 'body-key', place: inBody },
  { variant: 'query-key', endpoints: REST, place: inQuery },
  { variant: 'header-key', endpoints: HARDWARE, place: inHeader },
  { variant: 'key-of-the-other-type', of: 'the-other-type' },
  {
    variant: 'key-of-the-other-type-in-its-place',
    of: 'the-other-type',
    place: (keyless, key) =>
      isRest(endpointAt(keyless)) ? { ...keyless, query: [['key', key]] } : inHeader(keyless, key),
  },
];

const OTHER_HEADERS: readonly WrongKey[] = [
  inOtherHeader('basic-user', 'authorization', (key) => `Basic ${base64(`${key}:`)}`),
  inOtherHeader('basic-password', 'authorization', (key) => `Basic ${base64(`api:${key}`)}`),
  inOtherHeader('bare-authorization', 'authorization'),
  inOtherHeader('api-key-scheme', 'authorization', (key) => `ApiKey ${key}`),
  inOtherHeader('token-scheme', 'authorization', (key) => `Token ${key}`),
  inOtherHeader('header-api-key', 'api-key'),
  inOtherHeader('header-apikey', 'apikey'),
  inOtherHeader('header-x-apikey', 'x-apikey'),
  inOtherHeader('header-x-auth-token', 'x-auth-token'),
  inOtherHeader('header-x-access-token', 'x-access-token'),
  inOtherHeader('header-named-key', 'key'),
  inOtherHeader('header-proxy-authorization', 'proxy-authorization', (key) => `Bearer ${key}`),
];

const TRUSTED_HEADERS: readonly WrongKey[] = [
  headers('forwarded-for-loopback', ['x-forwarded-for', '127.0.0.1'], ['x-real-ip', '127.0.0.1']),
  headers('forwarded-loopback', ['forwarded', 'for=127.0.0.1;proto=https;host=localhost']),
  headers('forwarded-host', ['x-forwarded-host', 'localhost'], ['x-forwarded-proto', 'https']),
  headers('original-url', ['x-original-url', '/health'], ['x-rewrite-url', '/health']),
  headers('forwarded-uri', ['x-forwarded-uri', '/health'], ['x-forwarded-path', '/health']),
  headers('override-options', ['x-http-method-override', 'OPTIONS']),
  headers('override-get', ['x-http-method-override', 'GET'], ['x-method-override', 'GET']),
  headers(
    'preflight',
    ['origin', 'https://example.org'],
    ['access-control-request-method', 'POST'],
  ),
  headers('internal', ['x-internal', 'true'], ['x-internal-request', '1']),
  headers('authenticated-user', ['x-authenticated-user', 'admin'], ['remote-user', 'admin']),
  headers('basic-admin', ['authorization', `Basic ${base64('admin:admin')}`]),
  headers('health-checker', ['user-agent', 'ELB-HealthChecker/2.0']),
  headers('unsigned-token', ['authorization', `Bearer ${unsignedToken()}`]),
];

/** Nobody has to serve these. Who does asks for the key. */
const OTHER_PATHS: readonly WrongKey[] = [
  otherPath('double-slash', (path) => path.replace(/\/(?=\w+$)/, '//')),
  otherPath('path-in-capitals', (path) => path.toUpperCase()),
  otherPath('slash-behind-the-path', (path) => `${path}/`),
  otherPath('encoded-letter-in-the-path', (path) => path.replace('/scan/', '/%73can/')),
];

/**
 * Asks on one endpoint of own software and on one of devices: which ones, the name of the variant decides. Of a family of many rows each endpoint asks
 * some, so that a service which counts refused keys sees no attack.
 */
function spread(row: WrongKey): WrongKey {
  const sum = Buffer.from(row.variant).reduce((total, byte) => total + byte, 0);
  const { endpoints = ENDPOINTS } = row;
  const sides = [endpoints.filter(isRest), endpoints.filter((one) => !isRest(one))];
  return { ...row, endpoints: sides.flatMap((side) => side[sum % side.length] ?? []) };
}

/** Everything that a server may wrongly take for a key, or for a reason to ask for none. */
export const WRONG_KEYS: readonly WrongKey[] = [
  ...NONE,
  ...SPOILED,
  ...PLACES,
  ...OTHER_PATHS,
  ...[...VALUES, ...MADE_OF_A_KEY, ...OPERATORS, ...OTHER_HEADERS, ...TRUSTED_HEADERS].map(spread),
];

const NAMES = ['key', 'Key', 'apiKey', 'x-api-key'];

/** Everywhere but in the place of the endpoint. */
export function elsewhere(keyless: RequestSpec, key: string): RequestSpec {
  const isOwnSoftware = isRest(endpointAt(keyless));
  const others = [withBearer, inCookie, inBody, isOwnSoftware ? inQuery : inHeader];
  return others.reduce((request, place) => place(request, key), keyless);
}

/** The request with one more header, in front of the others. */
export function withHeader(request: RequestSpec, name: string, text: string): RequestSpec {
  return { ...request, headers: [[name, text], ...(request.headers ?? [])] };
}

function withBearer(request: RequestSpec, key: string): RequestSpec {
  return withHeader(request, 'authorization', `Bearer ${key}`);
}

function inCookie(request: RequestSpec, key: string): RequestSpec {
  return withHeader(request, 'cookie', `key=${key}; x-api-key=${key}`);
}

function inHeader(request: RequestSpec, key: string): RequestSpec {
  return withHeader(request, 'x-api-key', key);
}

function inQuery(request: RequestSpec, key: string): RequestSpec {
  return { ...request, query: NAMES.map((name) => [name, key]) };
}

function inBody(request: RequestSpec, key: string): RequestSpec {
  const members = Object.fromEntries(NAMES.map((name) => [name, key]));
  return { ...request, body: JSON.stringify({ ...JSON.parse(String(request.body)), ...members }) };
}

function withLetter(key: string, variable: string, at: number, change: (letter: string) => string) {
  const letter = change(key[at] ?? '');
  return {
    value: `${key.slice(0, at)}${letter}${key.slice(at + 1)}`,
    bash: `\${${variable}:0:${at}}${letter}\${${variable}:${at + 1}}`,
  };
}

function middleOf(key: string): number {
  return Math.floor(key.length / 2);
}

/** The place of the letter that is nearest to the middle; digits have no case. */
function middleLetterOf(key: string): number {
  const middle = middleOf(key);
  const places = [...key.matchAll(/[a-z]/gi)].map(({ index }) => index);
  return places.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0] ?? middle;
}

function inOtherCase(letter: string): string {
  const lower = letter.toLowerCase();
  return letter === lower ? letter.toUpperCase() : lower;
}

function beginningOf(key: string): string {
  return key.slice(0, middleOf(key));
}

/** The same of a variable of the shell. */
function beginningIn(variable: string): string {
  return `\${${variable}:0:$((\${#${variable}} / 2))}`;
}

/** A token that says itself that nobody signed it. */
function unsignedToken(): string {
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ sub: 'admin', scope: '*' })}.`;
}
