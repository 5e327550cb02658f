import { type Cell, type CheckCase, NotApplicable } from '../cases/case.ts';
import { on, reviewing } from '../cases/matrix.ts';
import type { Spoil } from '../cases/run-services.ts';
import type { Scan } from '../cases/scan.ts';
import { expectAccepted, expectDisabledKeyRefused, expectKeyRefused } from '../judging/expect.ts';
import { KEY_SHOWN } from '../judging/symptom.ts';
import {
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  endpointAt,
  HARDWARE,
  isRest,
  REST,
  type RequestSpec,
  SCANS,
} from '../requests/exchange.ts';
import {
  JSON_TYPE,
  keylessRequest,
  UNKNOWN_CODE,
  UNKNOWN_KEY,
  withKey,
} from '../requests/scan-request.ts';
import { decoyFor, grantedCode, grantFor, keyFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

/** Makes a request of one without a key. */
type Placing = (keyless: RequestSpec, key: string) => RequestSpec;

/** A way in which a request lacks its key, or has a wrong one: made of a good key, or without any. */
interface WrongKey {
  readonly variant: string;
  /** Where it is wrong; everywhere when left out. */
  readonly endpoints?: readonly Endpoint[];
  readonly place?: Placing;
  /** Whose key is placed: the good one of the endpoint when left out. */
  readonly of?: 'nobody' | 'the-other-type';
  readonly spoil?: Spoil;
}

const WRONG_KEYS: readonly WrongKey[] = [
  { variant: 'no-key', of: 'nobody', place: (keyless) => keyless },
  { variant: 'empty-key', of: 'nobody', place: (keyless) => withKey(keyless, '') },
  { variant: 'unknown-key', of: 'nobody' },
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
  // a header has no blanks around its value
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
  { variant: 'bearer-before-the-key', place: (keyless, key) => withKey(keyless, `Bearer ${key}`) },
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

/** The keys that are shown where they do not belong, by the names of their variants. */
const MISPLACED_KEYS = {
  rest: 'rest',
  hardware: 'hardware',
  disabled: 'disabled',
  deleted: 'deleted',
  'hardware-disabled': 'hardwareDisabled',
  'hardware-deleted': 'hardwareDeleted',
} as const;

/** Section 5: which keys an endpoint takes, and from where. */
export const KEY_CASES: readonly CheckCase[] = [
  {
    id: '5/refused-key',
    states: ['a refused key'],
    requirement:
      'A request whose key is missing, wrong or in the wrong place gets 401; a device opens no door and gets no heartbeat confirmed.',
    cells: WRONG_KEYS.flatMap((one) =>
      on(one.endpoints ?? ENDPOINTS, (endpoint) => refusing(one, endpoint)),
    ),
  },
  {
    id: '5/good-key-accepted',
    states: ['a good key'],
    requirement:
      'Only x-api-key counts on REST, in any letter case and whatever other headers say; at devices the parameter `key`, at any position.',
    cells: [
      ...on(REST, (endpoint) =>
        accepting('header-name-case', endpoint, (request, key) => ({
          ...request,
          headers: [['X-API-KEY', key], JSON_TYPE],
        })),
      ),
      ...on(REST, (endpoint) =>
        accepting('bearer-beside-the-key', endpoint, (request) => ({
          ...request,
          headers: [...(request.headers ?? []), ['authorization', 'Bearer nonsense']],
        })),
      ),
      ...on(HARDWARE, (endpoint) =>
        accepting('after-another-parameter', endpoint, (request, key) => ({
          ...request,
          query: [
            ['gate', '1'],
            ['key', key],
          ],
        })),
      ),
    ],
  },
  {
    id: '5/key-in-other-places',
    states: ['a key in the wrong place'],
    buildsOn: ['5/refused-key'],
    requirement:
      'A key that an endpoint does not take opens nothing there, in any part of the request.',
    cells: Object.entries(MISPLACED_KEYS).flatMap(([variant, key]) =>
      ENDPOINTS.flatMap((endpoint) => misplacing(variant, key, endpoint)),
    ),
  },
  {
    id: '5/key-not-shown',
    phase: 'review',
    requirement:
      'A key cannot be read later: no answer to a scan has a key in it, or a part of one.',
    cells: reviewing(SCANS, ({ answer }, _, scan) => {
      const text = [...Object.values(answer.headers), answer.body].join('\n');
      return scan.showsKey(text) ? ['no key', describeAnswer(answer), [KEY_SHOWN]] : undefined;
    }),
  },
  {
    id: '5/answer-to-a-refused-hardware-key',
    level: 'unstated',
    requirement: 'How a refused key is answered on a device endpoint.',
    cells: on(HARDWARE, (endpoint) => ({
      async run(scan) {
        const request = withKey(keylessRequest(endpoint, 'A'), UNKNOWN_KEY);
        return describeAnswer((await scan.sendRefused(request)).answer);
      },
    })),
  },
];

/** On REST the code is unknown: a refused key gets 401 for any. A device shows by a good one whether its key was accepted. */
function refusing(
  { variant, of, spoil, place = withKey }: WrongKey,
  endpoint: Endpoint,
): Omit<Cell, 'endpoint'> {
  const name =
    of === 'the-other-type' ? (isRest(endpoint) ? 'hardware' : 'rest') : keyFor(endpoint);
  const needsTicket = !isRest(endpoint) && endpoint !== 'heartbeat';
  return {
    variant,
    keys: of === 'nobody' ? [] : [name],
    ...(needsTicket ? decoyFor(endpoint, 1) : {}),
    async run(scan) {
      const key = of === 'nobody' ? UNKNOWN_KEY : keyToShow(scan, name, spoil);
      if (key === undefined) return new NotApplicable('the key is the same afterwards');
      const keyless = keylessRequest(endpoint, needsTicket ? scan.decoy() : UNKNOWN_CODE);
      expectKeyRefused(await scan.sendRefused(place(keyless, key)), endpoint);
      return undefined;
    },
  };
}

function keyToShow(scan: Scan, name: KeyName, spoil: Spoil | undefined): string | undefined {
  return spoil ? scan.spoiledKey(name, spoil) : scan.key(name);
}

/** A good key in its place, in a request that differs from the usual one. */
function accepting(variant: string, endpoint: Endpoint, change: Placing): Omit<Cell, 'endpoint'> {
  const isBeat = endpoint === 'heartbeat';
  const name = keyFor(endpoint);
  return {
    variant,
    ...(isBeat ? { keys: [name] } : grantFor(endpoint)),
    async run(scan) {
      const request = scan.request(endpoint, isBeat ? '' : grantedCode(scan, endpoint));
      const exchange = await scan.send(change(request, scan.key(name)));
      // whether an unknown parameter is accepted is not said; the key beside it must be found
      if (!isRest(endpoint) && exchange.answer.status === 400)
        return `the other parameter is refused: ${describeAnswer(exchange.answer)}`;
      return expectAccepted(exchange);
    },
  };
}

/**
 * A key that no endpoint takes, or only those of the other type, in every place in which a server may look for one. The
 * places in which an endpoint takes no key hold it together; where its own type is refused elsewhere, its own place is asked too.
 */
function misplacing(variant: string, key: KeyName, endpoint: Endpoint): Cell[] {
  const isOwnType = key.startsWith('hardware') !== isRest(endpoint);
  const isGood = key === 'rest' || key === 'hardware';
  if (isGood && isOwnType) return [];
  const isBeat = endpoint === 'heartbeat';
  const places = isGood || isOwnType ? [elsewhere] : [elsewhere, withKey];
  return [
    {
      endpoint,
      variant,
      keys: [key],
      ...(isBeat ? {} : decoyFor(endpoint, 1)),
      async run(scan) {
        const keyless = keylessRequest(endpoint, isBeat ? '' : scan.decoy());
        const isDisabled = variant.endsWith('disabled');
        for (const place of places) {
          const exchange = await scan.sendRefused(place(keyless, scan.key(key)));
          if (isDisabled) expectDisabledKeyRefused(exchange, endpoint);
          else expectKeyRefused(exchange, endpoint);
        }
      },
    },
  ];
}

const NAMES = ['key', 'Key', 'apiKey', 'x-api-key'];

/** Everywhere but in the place of the endpoint. */
function elsewhere(keyless: RequestSpec, key: string): RequestSpec {
  const isOwnSoftware = isRest(endpointAt(keyless));
  const others = [withBearer, inCookie, inBody, isOwnSoftware ? inQuery : inHeader];
  return others.reduce((request, place) => place(request, key), keyless);
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

function withHeader(request: RequestSpec, name: string, value: string): RequestSpec {
  return { ...request, headers: [[name, value], ...(request.headers ?? [])] };
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
