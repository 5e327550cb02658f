import type { Cell, CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import { cutText } from '../facts/cut.ts';
import { HEARTBEAT_BODY } from '../facts/device-answer.ts';
import { describeAnswer, type Exchange, type RequestSpec } from '../facts/exchange.ts';
import { show } from '../facts/json.ts';
import { expectFields, expectOnly, expectStatus, objectOf } from '../judging/expect.ts';
import { isEchoOf } from '../law/echo.ts';
import { cardOf, JSON_TYPE } from '../requests/scan-request.ts';

/** Of a request, in an observation. */
const SHOWN_CHARACTERS = 120;
/** Longer than any Key, serial or address of a controller. */
const LONG_CHARACTERS = 100;

const ECHOED = [
  ['one', 'first-αβγ/1'],
  ['another', 'second-δεζ/2'],
  ['long', 'long-'.padEnd(LONG_CHARACTERS, '0123456789')],
] as const;
/** Texts that a server changes when it reads them as a number: the zeros in front are lost, and the last of many digits. */
const DIGITS = [
  ['digits', '000123'],
  ['many-digits', '18446744073709551616'],
] as const;
/** Devices send their heartbeats by clocks that agree. */
const AT_ONCE = 8;

/** Section 4.5: POST /scan/hw/heartbeat. The body of a heartbeat is not shown, so several are tried. */
export const HEARTBEAT_CASES: readonly CheckCase[] = [
  {
    id: '4.5/answers',
    states: ['a heartbeat'],
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'A heartbeat gets an answer that confirms that the server is reachable.',
    async run(scan) {
      await heartbeat(scan);
    },
  },
  {
    id: '4.5/single-field',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'The answer is a JSON object with the single field `Key`, with HTTP 200.',
    async run(scan) {
      const exchange = await heartbeat(scan);
      const { Key } = objectOf(exchange);
      if (Key === undefined) scan.fail('Key: a value of the request', 'Key: missing', exchange);
      expectOnly(exchange, ['Key']);
      expectStatus(exchange, 200);
    },
  },
  {
    id: '4.5/key-from-request',
    endpoint: 'heartbeat',
    keys: ['hardware'],
    requirement: 'The value of `Key` is taken from the request.',
    async run(scan) {
      const exchange = await heartbeat(scan);
      const { Key } = objectOf(exchange);
      if (!isEchoOf(exchange.request, Key))
        scan.fail('Key: a value of the request', `Key: ${show(Key)}`, exchange);
    },
  },
  {
    id: '4.5/key-of-this-request',
    requirement: `Heartbeats with different values each get their own back, whole: also one of ${LONG_CHARACTERS} characters.`,
    cells: [
      ...ECHOED.map(([variant, value]) => echoCell(variant, (name) => `${value}-${name}`)),
      ...DIGITS.map(([variant, value]) => echoCell(variant, () => value)),
      {
        endpoint: 'heartbeat',
        variant: 'at-once',
        keys: ['hardware'],
        run: echoedAtOnce,
      },
    ],
  },
  {
    id: '4.5/scoped-key',
    endpoint: 'heartbeat',
    keys: ['hardwareScoped'],
    requirement: 'A heartbeat with a key for selected events is confirmed: it is about no ticket.',
    async run(scan) {
      await heartbeat(scan, 'hardwareScoped');
    },
  },
  {
    id: '4.5/answer-to-disabled-key',
    level: 'unstated',
    endpoint: 'heartbeat',
    keys: ['hardwareDisabled'],
    requirement: 'What a heartbeat with a disabled key gets.',
    run: async (scan) =>
      describeAnswer((await scan.send(scan.request('heartbeat', '', 'hardwareDisabled'))).answer),
  },
  {
    id: '4.5/takes-no-use',
    endpoint: 'heartbeat',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    requirement: 'A heartbeat is a connection test: it takes no use, even when a card is in it.',
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
    async run(scan) {
      const exchange = await heartbeat(scan);
      const { Key } = objectOf(exchange);
      const field = Object.entries(HEARTBEAT_BODY).find(([, value]) => value === Key)?.[0];
      if (field !== undefined) return `the body's ${field}`;
      return Key === scan.key('hardware') ? "the query's key" : `something else: ${show(Key)}`;
    },
  },
];

/** The first non-error answer to the bodies that controllers are known to send. */
async function heartbeat(scan: Scan, key?: KeyName): Promise<Exchange> {
  const bodies = [JSON.stringify(HEARTBEAT_BODY), '', '{}'];
  let exchange: Exchange | undefined;
  for (const body of bodies) {
    exchange = await scan.send(request(scan, body, queryOf(scan, key)));
    if (exchange.answer.status < 300) return exchange;
  }
  return scan.fail('a success', exchange ? describeAnswer(exchange.answer) : 'no answer', exchange);
}

function echoCell(variant: string, textIn: (name: string) => string): Cell {
  return {
    endpoint: 'heartbeat',
    variant,
    keys: ['hardware'],
    run: async (scan) => judgedEcho(scan, await scan.send(beatOf(scan, textIn))),
  };
}

async function echoedAtOnce(scan: Scan): Promise<void> {
  const beats = Array.from({ length: scan.atOnce(AT_ONCE) }, (_, turn) =>
    beatOf(scan, (name) => `beat-${turn}-${name}`),
  );
  for (const exchange of await scan.together(beats)) judgedEcho(scan, exchange);
}

/** A heartbeat in which every field has a value of its own. */
function beatOf(scan: Scan, textIn: (name: string) => string): RequestSpec {
  const names = Object.keys(HEARTBEAT_BODY);
  const fields = Object.fromEntries(names.map((name) => [name, textIn(name)]));
  return request(scan, JSON.stringify(fields));
}

/** @throws Deviation when the answer has the value of no field of its request */
function judgedEcho(scan: Scan, exchange: Exchange): string | undefined {
  // a server that does not read these fields echoes the query's key, or refuses the body
  if (exchange.answer.status >= 400) return `refused: ${describeAnswer(exchange.answer)}`;
  const { Key } = objectOf(exchange);
  if (!isEchoOf(exchange.request, Key))
    scan.fail(
      'Key: a value of this request',
      `Key: ${show(Key)} to ${cutText(String(exchange.request.body), SHOWN_CHARACTERS)}`,
      exchange,
    );
  return undefined;
}

function request(scan: Scan, body: string, query = queryOf(scan)): RequestSpec {
  return { path: '/scan/hw/heartbeat', query, headers: [JSON_TYPE], body };
}

function queryOf(scan: Scan, name: KeyName = 'hardware'): readonly (readonly [string, string])[] {
  return [['key', scan.key(name)]];
}
