import type { CheckCase } from '../cases/case.ts';
import { NotApplicable } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { changedKey, type WrongKey, wrongKeys } from '../cases/wrong-keys.ts';
import { expectFields } from '../judging/expect.ts';
import { expectKeyRefused } from '../judging/expect-key.ts';
import { REST, type RestEndpoint } from '../requests/endpoint.ts';
import { describeAnswer, type RequestSpec } from '../requests/exchange.ts';
import {
  JSON_TYPE,
  keylessRequest,
  UNKNOWN_CODE,
  UNKNOWN_KEY,
  withKey,
} from '../requests/scan-request.ts';
import { grantedCode, grantFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

type Headers = NonNullable<RequestSpec['headers']>;

const WRONG_KEYS: readonly WrongKey[] = [
  ...wrongKeys('rest'),
  inHeader('bearer', 'with the key as `Authorization: Bearer`', (key) => [
    ['authorization', `Bearer ${key}`],
  ]),
  changedKey(
    'bearer-in-x-api-key',
    'with `Bearer` before the key in x-api-key',
    'rest',
    (key) => `Bearer ${key}`,
  ),
  inHeader('cookie', 'with the key as a cookie', (key) => [
    ['cookie', `x-api-key=${key}; key=${key}`],
  ]),
  {
    name: 'body-key',
    what: 'with the key in the body instead of the header',
    needs: ['rest'],
    change(scan, keyless) {
      const key = scan.key('rest');
      const members = { key, 'x-api-key': key, apiKey: key };
      return {
        ...keyless,
        body: JSON.stringify({ ...JSON.parse(String(keyless.body)), ...members }),
      };
    },
  },
  inQuery('query-key', 'with the key in the query instead of the header', 'rest', [
    'key',
    'x-api-key',
  ]),
  inQuery('hardware-query-key', 'with a hardware key in the query', 'hardware', ['key']),
  changedKey('hardware-key', 'with a hardware key in the header', 'hardware', (key) => key),
];

/** Section 5: the key of own software, on the REST endpoints. */
export const REST_KEY_CASES: readonly CheckCase[] = [
  ...WRONG_KEYS.flatMap((one) => REST.map((endpoint) => refusedCase(one, endpoint))),
  {
    id: '5/refused-keys-take-no-use',
    endpoint: 'consume',
    keys: ['rest'],
    tickets: { single: 1 },
    uses: {},
    requirement: 'A request with a missing or invalid key consumes nothing.',
    cause: 'The key is checked after the use was registered.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const keyless = keylessRequest('consume', code);
      for (const request of [keyless, withKey(keyless, UNKNOWN_KEY)])
        expectKeyRefused(await scan.sendRefused(request), 'consume');
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
    UNKNOWN_KEY,
  ]),
];

function inHeader(name: string, what: string, headers: (key: string) => Headers): WrongKey {
  return {
    name,
    what,
    needs: ['rest'],
    change: (scan, keyless) => ({ ...keyless, headers: [...headers(scan.key('rest')), JSON_TYPE] }),
  };
}

function inQuery(
  name: string,
  what: string,
  key: KeyName,
  parameters: readonly string[],
): WrongKey {
  return {
    name,
    what,
    needs: [key],
    change: (scan, keyless) => ({
      ...keyless,
      query: parameters.map((parameter) => [parameter, scan.key(key)]),
    }),
  };
}

function refusedCase(one: WrongKey, endpoint: RestEndpoint): CheckCase {
  return {
    id: `5/${one.name}-on-${endpoint}`,
    endpoint,
    keys: one.needs,
    requirement: `A request ${one.what} gets 401 on ${endpoint}.`,
    cause: 'The key is not looked at, looked for in other places, or compared loosely.',
    async run(scan) {
      const request = one.change(scan, keylessRequest(endpoint, UNKNOWN_CODE));
      if (request === undefined) return new NotApplicable('the key is the same afterwards');
      expectKeyRefused(await scan.sendRefused(request), endpoint);
      return undefined;
    },
  };
}

function takenCase(
  name: string,
  requirement: string,
  cause: string,
  headersOf: (scan: Scan) => Headers,
): CheckCase {
  return {
    id: `5/${name}`,
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
      const request = scan.request('validate', scan.ticket('single').code);
      const headers = [...keys(scan).map((key) => ['x-api-key', key] as const), JSON_TYPE];
      return describeAnswer((await scan.send({ ...request, headers })).answer);
    },
  };
}
