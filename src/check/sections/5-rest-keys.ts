import type { CheckCase } from '../case.ts';
import { NotApplicable } from '../case.ts';
import { pathOf, REST, type RestEndpoint } from '../endpoint.ts';
import { describeAnswer, type RequestSpec } from '../exchange.ts';
import { expectFields } from '../expect.ts';
import { expectKeyRefused } from '../expect-key.ts';
import { on } from '../matrix.ts';
import { grantedCode, grantFor } from '../samples.ts';
import { JSON_TYPE, type Scan, type Spoiling } from '../scan.ts';
import type { KeyName } from '../target.ts';

/** Looks like a code, and is none: what a server that forgot to look at the key would answer to. */
const NO_TICKET = JSON.stringify({ ticketCode: 'TS1.tkt_nobody_knows.AAAAAAAAAAAAAAAAAAAAAA' });

type Way = (scan: Scan, path: string) => RequestSpec | undefined;
interface WrongKey {
  readonly name: string;
  readonly what: string;
  readonly needs: readonly KeyName[];
  readonly way: Way;
}

const WRONG_KEYS: readonly WrongKey[] = [
  wrong('no-key', 'without a key', [], () => []),
  wrong('empty-key', 'with an empty x-api-key', [], () => [['x-api-key', '']]),
  wrong('unknown-key', 'with an unknown key', [], () => [
    ['x-api-key', 'unknown-key-000000000000'],
  ]),
  spoiled('cut-key', 'with a key that lacks its last letter', 'cut'),
  spoiled('beheaded-key', 'with a key that lacks its first letter', 'first letter lost'),
  spoiled('lower-case-key', 'with a key in lower case', 'lower-case'),
  spoiled('upper-case-key', 'with a key in upper case', 'upper-case'),
  spoiled(
    'middle-letter-key',
    'with a key that has another letter in the middle',
    'another letter in the middle',
  ),
  spoiled(
    'letter-case-key',
    'with a key that has one letter in the other case',
    'one letter in the other case',
  ),
  wrong('longer-key', 'with a key that has letters after it', ['rest'], (scan) => [
    ['x-api-key', `${scan.key('rest')}AA`],
  ]),
  wrong('bearer', 'with the key as `Authorization: Bearer`', ['rest'], (scan) => [
    ['authorization', `Bearer ${scan.key('rest')}`],
  ]),
  wrong('bearer-in-x-api-key', 'with `Bearer` before the key in x-api-key', ['rest'], (scan) => [
    ['x-api-key', `Bearer ${scan.key('rest')}`],
  ]),
  wrong('cookie', 'with the key as a cookie', ['rest'], (scan) => [
    ['cookie', `x-api-key=${scan.key('rest')}; key=${scan.key('rest')}`],
  ]),
  {
    name: 'body-key',
    what: 'with the key in the body instead of the header',
    needs: ['rest'],
    way: (scan, path) => ({
      path,
      headers: [JSON_TYPE],
      body: JSON.stringify({
        ...JSON.parse(NO_TICKET),
        key: scan.key('rest'),
        'x-api-key': scan.key('rest'),
        apiKey: scan.key('rest'),
      }),
    }),
  },
  {
    name: 'query-key',
    what: 'with the key in the query instead of the header',
    needs: ['rest'],
    way: (scan, path) => ({
      path,
      query: [
        ['key', scan.key('rest')],
        ['x-api-key', scan.key('rest')],
      ],
      headers: [JSON_TYPE],
      body: NO_TICKET,
    }),
  },
  {
    name: 'hardware-query-key',
    what: 'with a hardware key in the query',
    needs: ['hardware'],
    way: (scan, path) => ({
      path,
      query: [['key', scan.key('hardware')]],
      headers: [JSON_TYPE],
      body: NO_TICKET,
    }),
  },
  wrong('hardware-key', 'with a hardware key in the header', ['hardware'], (scan) => [
    ['x-api-key', scan.key('hardware')],
  ]),
];

/** Section 5: the key of own software, on the REST endpoints. */
export const REST_KEY_CASES: readonly CheckCase[] = [
  ...WRONG_KEYS.flatMap((one) => REST.map((endpoint) => refusedCase(one, endpoint))),
  {
    id: '5/refused-keys-take-no-use',
    level: 'stated',
    endpoint: 'consume',
    keys: ['rest'],
    tickets: { single: 1 },
    uses: {},
    requirement: 'A request with a missing or invalid key consumes nothing.',
    cause: 'The key is checked after the use was registered.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const request = scan.restRequest('consume', code);
      for (const key of [[], [['x-api-key', 'unknown-key-000000000000']]] as const) {
        const refused = await scan.sendRefused({ ...request, headers: [...key, JSON_TYPE] });
        expectKeyRefused(refused, 'consume');
      }
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  takenCase(
    'header-name-case',
    'The key is sent in the header x-api-key; header names have no letter case.',
    'The raw header name is compared.',
    (scan) => [['X-API-KEY', scan.key('rest')], JSON_TYPE],
  ),
  takenCase(
    'bearer-beside-the-key',
    'Only x-api-key counts: an Authorization header beside it changes nothing.',
    'Authorization is read first.',
    (scan) => [['x-api-key', scan.key('rest')], JSON_TYPE, ['authorization', 'Bearer nonsense']],
  ),
  twiceCase('the key twice', 'twice', (scan) => [scan.key('rest'), scan.key('rest')]),
  twiceCase('the key and an unknown one', 'with-an-unknown-one', (scan) => [
    scan.key('rest'),
    'unknown-key-000000000000',
  ]),
];

function wrong(
  name: string,
  what: string,
  needs: readonly KeyName[],
  headers: (scan: Scan) => readonly (readonly [string, string])[],
): WrongKey {
  const way: Way = (scan, path) => ({
    path,
    headers: [...headers(scan), JSON_TYPE],
    body: NO_TICKET,
  });
  return { name, what, needs, way };
}

function spoiled(name: string, what: string, spoiling: Spoiling): WrongKey {
  const way: Way = (scan, path) => {
    const key = scan.spoiledKey('rest', spoiling);
    if (key === undefined) return undefined;
    return { path, headers: [['x-api-key', key], JSON_TYPE], body: NO_TICKET };
  };
  return { name, what, needs: ['rest'], way };
}

function refusedCase(one: WrongKey, endpoint: RestEndpoint): CheckCase {
  return {
    id: `5/${one.name}-on-${endpoint}`,
    level: 'stated',
    endpoint,
    keys: one.needs,
    requirement: `A request ${one.what} gets 401 on ${endpoint}.`,
    cause: 'The key is not looked at, looked for in other places, or compared loosely.',
    async run(scan) {
      const request = one.way(scan, pathOf(endpoint));
      if (request === undefined) return new NotApplicable('the key reads the same so');
      expectKeyRefused(await scan.sendRefused(request), endpoint);
      return undefined;
    },
  };
}

function takenCase(
  name: string,
  requirement: string,
  cause: string,
  headersOf: (scan: Scan) => readonly (readonly [string, string])[],
): CheckCase {
  return {
    id: `5/${name}`,
    level: 'stated',
    requirement,
    cause,
    cells: on(REST, (endpoint) => ({
      ...grantFor(endpoint),
      async run(scan) {
        const request = scan.request(endpoint, grantedCode(scan, endpoint));
        const exchange = await scan.send({ ...request, headers: headersOf(scan) });
        expectFields(exchange, { valid: true });
      },
    })),
  };
}

function twiceCase(what: string, name: string, keys: (scan: Scan) => string[]): CheckCase {
  return {
    id: `5/key-${name}`,
    level: 'unstated',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement: `What a request with two x-api-key headers gets (${what}).`,
    cause: 'The specification does not say.',
    async run(scan) {
      const request = scan.restRequest('validate', scan.ticket('single').code);
      const headers = [...keys(scan).map((key) => ['x-api-key', key] as const), JSON_TYPE];
      return describeAnswer((await scan.send({ ...request, headers })).answer);
    },
  };
}
