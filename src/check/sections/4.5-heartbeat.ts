import type { CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { HEARTBEAT_BODY } from '../facts/heartbeat.ts';
import { show, stringsIn } from '../facts/json.ts';
import { expectFields, expectOnly, objectOf } from '../judging/expect.ts';
import { expectKeyRefused } from '../judging/expect-key.ts';
import { describeAnswer, type Exchange, type RequestSpec } from '../requests/exchange.ts';
import { cardOf, JSON_TYPE, UNKNOWN_KEY } from '../requests/scan-request.ts';
import type { KeyName } from '../target/target.ts';

/** Longer than any Key, serial or address of a controller. */
const LONG_CHARACTERS = 100;

/** Section 4.5: POST /scan/hw/heartbeat. The body of a heartbeat is not shown, so several are tried. */
export const HEARTBEAT_CASES: readonly CheckCase[] = [
  {
    id: '4.5/answers',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'A heartbeat gets an answer that confirms that the server is reachable.',
    cause: 'The heartbeat endpoint is missing, or wants a body that no controller sends.',
    async run(scan) {
      await heartbeat(scan);
    },
  },
  {
    id: '4.5/single-field',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'The answer is a JSON object with the single field `Key`.',
    cause: 'The answer has another field name, or more fields.',
    async run(scan) {
      const exchange = await heartbeat(scan);
      const { Key } = objectOf(exchange);
      if (Key === undefined) scan.fail('Key: a value of the request', 'Key: missing', exchange);
      expectOnly(exchange, ['Key']);
    },
  },
  {
    id: '4.5/key-from-request',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'The value of `Key` is taken from the request.',
    cause: 'The answer is fixed, or a value of the server.',
    async run(scan) {
      const exchange = await heartbeat(scan);
      const { Key } = objectOf(exchange);
      const sent = valuesSent(exchange.request);
      if (!sent.includes(String(Key)))
        scan.fail('Key: a value of the request', `Key: ${show(Key)}`, exchange);
    },
  },
  {
    id: '4.5/key-of-this-request',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'Two heartbeats with different values each get their own back.',
    cause: 'The first value is cached, or only a part of it is echoed.',
    run: (scan) => echoed(scan, ['first-αβγ/1', 'second-δεζ/2']),
  },
  {
    id: '4.5/long-key',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: `A value of ${LONG_CHARACTERS} characters comes back whole.`,
    cause: 'The value is kept in a column or a buffer that is too small for it, and is cut.',
    run: (scan) => echoed(scan, ['long-'.padEnd(LONG_CHARACTERS, '0123456789')]),
  },
  {
    id: '4.5/scoped-key',
    endpoint: 'heartbeat',
    keys: ['hardwareScoped'],
    requirement: 'A heartbeat with a key for selected events is confirmed: it is about no ticket.',
    cause: 'The scope is looked at where there is no event.',
    async run(scan) {
      await heartbeat(scan, 'hardwareScoped');
    },
  },
  refusedCase('without-key', 'without `key`', [], () => []),
  refusedCase('unknown-key', 'with an unknown key', [], () => [['key', UNKNOWN_KEY]]),
  refusedCase('deleted-key', 'with a deleted key', ['hardwareDeleted'], (scan) => [
    ['key', scan.key('hardwareDeleted')],
  ]),
  refusedCase('rest-key', 'with a REST key', ['rest'], (scan) => [['key', scan.key('rest')]]),
  {
    id: '4.5/answer-to-disabled-key',
    level: 'unstated',
    endpoint: 'heartbeat',
    keys: ['hardwareDisabled'],
    requirement: 'What a heartbeat with a disabled key gets.',
    cause:
      'Section 3.1 says that a disabled key is not accepted for scans, and a heartbeat is none.',
    run: async (scan) =>
      describeAnswer((await scan.send(scan.request('heartbeat', '', 'hardwareDisabled'))).answer),
  },
  {
    id: '4.5/takes-no-use',
    endpoint: 'heartbeat',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    requirement: 'A heartbeat is a connection test: it takes no use, even when a card is in it.',
    cause: 'Everything that a device posts is consumed.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const Card = cardOf(code);
      await scan.send(request(scan, JSON.stringify({ ...HEARTBEAT_BODY, Card })));
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  {
    id: '4.5/which-value',
    level: 'unstated',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'Which value of the request is echoed in Key.',
    cause: 'It is not shown.',
    async run(scan) {
      const exchange = await heartbeat(scan);
      const { Key } = objectOf(exchange);
      const field = Object.entries(HEARTBEAT_BODY).find(([, value]) => value === Key)?.[0];
      if (field !== undefined) return `the body's ${field}`;
      return Key === scan.key('hardware') ? "the query's key" : `something else: ${show(Key)}`;
    },
  },
  observedCase('empty-body', 'What a heartbeat with an empty body gets.', ''),
  observedCase('no-json', 'What a heartbeat that is no JSON gets.', 'Serial=1&Now=2'),
];

/** The first answer that is none of an error, to the bodies that controllers are known to send. */
async function heartbeat(scan: Scan, key?: KeyName): Promise<Exchange> {
  const bodies = [JSON.stringify(HEARTBEAT_BODY), '', '{}'];
  let exchange: Exchange | undefined;
  for (const body of bodies) {
    exchange = await scan.send(request(scan, body, queryOf(scan, key)));
    if (exchange.answer.status < 300) return exchange;
  }
  return scan.fail('a success', exchange ? describeAnswer(exchange.answer) : 'no answer', exchange);
}

/** Sends heartbeats in which every field has that value, and its own name behind it. */
async function echoed(scan: Scan, values: readonly string[]): Promise<string | undefined> {
  for (const value of values) {
    const exchange = await scan.send(request(scan, JSON.stringify(allValues(value))));
    // a server that does not read these fields echoes the query's key, or refuses the body
    if (exchange.answer.status >= 400) return `refused: ${describeAnswer(exchange.answer)}`;
    const { Key } = objectOf(exchange);
    if (!valuesSent(exchange.request).includes(String(Key)))
      scan.fail('Key: a value of this request', `Key: ${show(Key)}`, exchange);
  }
  return undefined;
}

function request(scan: Scan, body: string, query = queryOf(scan)): RequestSpec {
  return { path: '/scan/hw/heartbeat', query, headers: [JSON_TYPE], body };
}

function queryOf(scan: Scan, name: KeyName = 'hardware'): readonly (readonly [string, string])[] {
  return [['key', scan.key(name)]];
}

function allValues(value: string): object {
  return Object.fromEntries(Object.keys(HEARTBEAT_BODY).map((name) => [name, `${value}-${name}`]));
}

/** Everything in a request that could be echoed. */
function valuesSent(spec: RequestSpec): string[] {
  const body: unknown = spec.body ? JSON.parse(String(spec.body)) : {};
  return [
    ...(spec.query ?? []).map(([, value]) => value),
    ...[...stringsIn(body)].map(({ text }) => text),
  ];
}

function refusedCase(
  name: string,
  what: string,
  keys: readonly KeyName[],
  query: (scan: Scan) => readonly (readonly [string, string])[],
): CheckCase {
  return {
    id: `4.5/${name}`,
    endpoint: 'heartbeat',
    keys,
    requirement: `A heartbeat ${what} is not confirmed.`,
    cause: 'The heartbeat is answered for any key.',
    async run(scan) {
      const sent = request(scan, JSON.stringify(HEARTBEAT_BODY), query(scan));
      expectKeyRefused(await scan.sendRefused(sent), 'heartbeat');
    },
  };
}

function observedCase(name: string, requirement: string, body: string): CheckCase {
  return {
    id: `4.5/answer-to-${name}`,
    level: 'unstated',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement,
    cause: 'The heartbeat request body is not shown.',
    async run(scan) {
      return describeAnswer((await scan.send(request(scan, body))).answer);
    },
  };
}
