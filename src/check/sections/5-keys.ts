import { type Cell, type CheckCase, NotApplicable } from '../cases/case.ts';
import type { Spoil } from '../cases/run-services.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  type Answer,
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  HARDWARE,
  isConsume,
  isRest,
  REST,
  type RequestSpec,
  SCANS,
} from '../facts/exchange.ts';
import { answeredOrNot, Deviation } from '../facts/failures.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { withOtherLastSignatureLetter } from '../facts/tamper.ts';
import { expectAccepted, expectDisabledKeyRefused, expectKeyRefused } from '../judging/expect.ts';
import { KEY_SHOWN } from '../judging/symptom.ts';
import {
  JSON_TYPE,
  keylessRequest,
  UNKNOWN_CODE,
  UNKNOWN_KEY,
  withKey,
} from '../requests/scan-request.ts';
import { on, reviewing } from '../samples/matrix.ts';
import {
  decoyFor,
  grantedCode,
  grantFor,
  keyFor,
  quieterKey,
  sampleOf,
} from '../samples/samples.ts';
import { saying } from '../stimuli/saying.ts';
import {
  elsewhere,
  type Placing,
  WRONG_KEYS,
  type WrongKey,
  withHeader,
} from '../stimuli/wrong-keys.ts';

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
            ['monkey', '1'],
            ['key', key],
          ],
        })),
      ),
    ],
  },
  {
    id: '5/key-in-other-places',
    states: ['a key in the wrong place'],
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
    id: '5/cookies-are-no-key',
    requirement: 'A cookie that an answer set takes the place of no key.',
    cells: on(ENDPOINTS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      ...(endpoint === 'heartbeat' ? {} : decoyFor(endpoint, 1)),
      run: (scan) => withoutTheKey(scan, endpoint),
    })),
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
  { variant, what, of, spoil, isOdd, path, place = withKey }: WrongKey,
  endpoint: Endpoint,
): Omit<Cell, 'endpoint'> {
  const name =
    of === 'the-other-type' ? (isRest(endpoint) ? 'hardware' : 'rest') : keyFor(endpoint);
  const needsTicket = !isRest(endpoint) && endpoint !== 'heartbeat';
  return {
    variant,
    keys: of === 'nobody' ? [] : [name],
    ...(needsTicket ? decoyFor(endpoint, 1) : {}),
    ...(path ? { samples: [sampleOf('noKey', endpoint)] } : {}),
    async run(scan) {
      // Another path is no endpoint: beside its answer stands that of the endpoint to a request without a key.
      if (path) await scan.sample(sampleOf('noKey', endpoint));
      const key = of === 'nobody' ? UNKNOWN_KEY : keyToShow(scan, name, spoil);
      if (key === undefined) return new NotApplicable('the key is the same afterwards');
      const keyless = keylessRequest(endpoint, needsTicket ? scan.decoy() : UNKNOWN_CODE);
      const request = place(keyless, key);
      if (scan.isKeyGood({ request })) return new NotApplicable('the target has that key');
      await expectRefused(scan, endpoint, { request, what, isOdd, path });
      return undefined;
    },
  };
}

interface Refusal extends Pick<WrongKey, 'what' | 'isOdd'> {
  readonly path: WrongKey['path'] | undefined;
  readonly request: RequestSpec;
}

/** @throws Deviation where the key was taken */
async function expectRefused(
  scan: Scan,
  endpoint: Endpoint,
  { request, what, isOdd, path }: Refusal,
): Promise<void> {
  const send = () =>
    isOdd ? scan.aside((aside) => aside.sendRefused(request)) : scan.sendRefused(request);
  // A connection that closes at another path lets nobody in.
  const exchange = path ? await answeredOrNot(send) : await send();
  if (!exchange) return;
  const judge = path ? expectNoWayRound : isOdd ? expectNothingTold : expectKeyRefused;
  if (what === undefined) judge(exchange, endpoint);
  else saying(what, () => judge(exchange, endpoint));
}

/** What only who has a key is told. At devices the Note of a refused key is not shown, and may be that of a forged code. */
const TOLD: readonly Outcome[] = [
  'granted',
  'confirmed',
  'exhausted',
  'expired',
  'not_yet_valid',
  'not_found',
];
const TOLD_ON_REST: readonly Outcome[] = [...TOLD, 'invalid_ticket', 'event_not_allowed'];

/** A proxy may answer in the place of the service. @throws Deviation where the key was taken, or where the server failed */
function expectNothingTold(exchange: Exchange, endpoint: Endpoint): void {
  const { outcome } = read(exchange.answer);
  const told = isRest(endpoint) ? TOLD_ON_REST : TOLD;
  if (outcome !== 'error' && !told.includes(outcome)) return;
  throw new Deviation('401, or another refusal', describeAnswer(exchange.answer), exchange);
}

/** @throws Deviation where the endpoint answers at another spelling of its path, without a key */
function expectNoWayRound(exchange: Exchange, endpoint: Endpoint): void {
  const { outcome } = read(exchange.answer);
  if (!(isRest(endpoint) ? TOLD_ON_REST : TOLD).includes(outcome)) return;
  throw new Deviation('401, or no such path', describeAnswer(exchange.answer), exchange, {
    cause:
      'Another spelling of the path leads to the endpoint, and nothing asks for the key there: ask for it where the request is answered.',
    isDangerous: true,
  });
}

function keyToShow(scan: Scan, name: KeyName, spoil: Spoil | undefined): string | undefined {
  return spoil ? scan.spoiledKey(name, spoil) : scan.key(name);
}

/** Sends what an answer to a good key set as cookies, and no key. On consume the code is forged, so that no use is taken. */
async function withoutTheKey(scan: Scan, endpoint: Endpoint): Promise<NotApplicable | undefined> {
  const code = endpoint === 'heartbeat' ? '' : scan.decoy();
  const shown = isConsume(endpoint) ? withOtherLastSignatureLetter(code) : code;
  const { answer } = await scan.send(scan.request(endpoint, shown, quieterKey(scan, endpoint)));
  const cookies = cookiesIn(answer);
  if (cookies === '') return new NotApplicable('no answer sets a cookie');
  const keyless = keylessRequest(endpoint, code);
  const exchange = await scan.sendRefused(withHeader(keyless, 'cookie', cookies));
  saying('there was no key, and the cookies of an answer', () =>
    expectKeyRefused(exchange, endpoint),
  );
  return undefined;
}

/** The names and values of the cookies that an answer sets, as a client sends them back. */
function cookiesIn({ headers }: Answer): string {
  // A comma stands between two cookies, and in the date of each.
  const cookies = (headers['set-cookie'] ?? '').split(/,\s*(?=[^;,=\s]+=)/);
  return cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ');
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
