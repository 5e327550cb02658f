import { TAMPERINGS } from '../../src/check/facts/tamper.ts';
import type { Endpoint } from '../../src/check/index.ts';
import type { Incoming, Parts, Reply } from './reference/parts.ts';
import { partsOf, pathOf, respond, type ServerOptions } from './reference/server.ts';
import { makeWorld, type World } from './reference/world.ts';

type Target = Pick<ReturnType<typeof makeWorld>['target'], 'keys' | 'tickets'>;
type Kind = keyof Target['tickets'];

/** One request, put together by hand: the checker's own requests must not decide where a fault shows. */
interface Probe {
  readonly name: string;
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** As sent: `X-API-KEY` is another raw header than `x-api-key`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const GOOD: readonly Kind[] = [
  'single',
  'multi',
  'permanent',
  'personalised',
  'windowed',
  'openEnd',
  'openStart',
  'hundred',
];
const OTHERS: readonly Kind[] = [
  'exhausted',
  'cancelled',
  'notYetValid',
  'expired',
  'unknown',
  'otherEvent',
  'otherOrganisation',
];
const BAD_BODIES = [
  '',
  'ticketCode',
  'ticketCode=REF.a.b',
  '{"ticketCode":"REF.a.b"',
  '{"ticketCode":"REF.a.b"} and more',
  '{"ticketCode":"REF.a.b",}',
  "{'ticketCode':'REF.a.b'}",
  '["REF.a.b"]',
  '"REF.a.b"',
  'null',
  '17',
  '{"code":"REF.a.b"}',
  '{"ticketcode":"REF.a.b"}',
  '{"ticketCode":""}',
  '{"ticketCode":null}',
  '{"ticketCode":12345}',
  '{"ticketCode":["REF.a.b"]}',
  '{"ticketCode":{"a":"b"}}',
  '{"ticketCode":true}',
];
const METHODS = ['GET', 'PUT', 'PATCH'];
const CARDS = ['!!! not base64 !!!', Buffer.from([0xff, 0xfe, 0, 0x80]).toString('base64'), ''];

/** Requests that show what an endpoint does with tickets, codes, keys, bodies and methods. */
function probesFor(endpoint: Endpoint, target: Target): Probe[] {
  if (endpoint === 'heartbeat') return heartbeatProbes(target);
  const side = sideOf(endpoint, target);
  return [
    ...ticketProbes(side, target),
    ...forgedProbes(side, target),
    ...keyProbes(target, side.isRest, side.shown(codesOf(target, 'multi')[2] ?? '')),
    ...requestProbes(side, codesOf(target, 'permanent')[1] ?? ''),
    ...(side.isRest ? [] : readerProbes(side, target)),
    ...METHODS.map((method) => ({
      name: method,
      method,
      ...side.good,
      body: side.shown(codesOf(target, 'multi')[4] ?? ''),
    })),
  ];
}

/** How an endpoint is asked: in JSON with a header, or in the device's format with a query. */
function sideOf(endpoint: Endpoint, { keys }: Target) {
  const isRest = !endpoint.startsWith('hw/');
  return {
    isRest,
    good: isRest ? withHeader(keys.rest) : withKey(keys.hardware),
    scoped: isRest ? withHeader(keys.restScoped) : withKey(keys.hardwareScoped),
    shown: (code: string, more: object = {}) =>
      isRest
        ? JSON.stringify({ ticketCode: code, ...more })
        : JSON.stringify({ Card: base64(code), Serial: 'S1', Reader: 0, ...more }),
  };
}
type AskedSide = ReturnType<typeof sideOf>;

function ticketProbes({ good, scoped, shown }: AskedSide, target: Target): Probe[] {
  const [, second = ''] = codesOf(target, 'single');
  const [, other = ''] = codesOf(target, 'otherEvent');
  const [first, card] = codesOf(target, 'multi');
  return [
    ...[...GOOD, ...OTHERS].flatMap((kind) =>
      range(2).map((turn) => ({
        name: `${kind} ${turn}`,
        ...good,
        body: shown(codesOf(target, kind)[0] ?? first ?? ''),
      })),
    ),
    ...range(6).map((turn) => ({
      name: `card to its end ${turn}`,
      ...good,
      body: shown(card ?? ''),
    })),
    ...range(2).map((turn) => ({
      name: `card, selected events ${turn}`,
      ...scoped,
      body: shown(codesOf(target, 'permanent')[2] ?? ''),
    })),
    ...[...GOOD, ...OTHERS].flatMap((kind) =>
      range(2).map((turn) => ({
        name: `${kind}, selected events ${turn}`,
        ...scoped,
        body: shown(codesOf(target, kind)[GOOD.includes(kind) ? 3 : 1] ?? ''),
      })),
    ),
    {
      name: 'holder, selected events',
      ...scoped,
      body: shown(codesOf(target, 'personalised')[1] ?? ''),
    },
    { name: 'used-up card, selected events', ...scoped, body: shown(card ?? '') },
    { name: 'own event', ...scoped, body: shown(second) },
    { name: 'own event again', ...good, body: shown(second) },
    { name: 'other event', ...scoped, body: shown(other) },
    { name: 'other event afterwards', ...good, body: shown(other) },
  ];
}

function forgedProbes({ good, scoped, shown }: AskedSide, target: Target): Probe[] {
  const [, , code = '', other = ''] = codesOf(target, 'single');
  const [outside = ''] = codesOf(target, 'otherEvent');
  return [
    ...TAMPERINGS.map(({ name, spoil }) => ({
      name: `forged ${name}`,
      ...good,
      body: shown(spoil(code, other) ?? ''),
    })),
    ...[...code].map((_, at) => ({
      name: `forged letter ${at + 1}`,
      ...good,
      body: shown(withOtherLetter(code, at)),
    })),
    ...oddCodes(code).map((odd, at) => ({ name: `odd code ${at + 1}`, ...good, body: shown(odd) })),
    ...[...GOOD, ...OTHERS].map((kind) => ({
      name: `forged ${kind}`,
      ...good,
      body: shown(withOtherLetter(codesOf(target, kind)[0] ?? '', -1)),
    })),
    ...[code, outside].map((one) => ({
      name: `forged ${one}, selected events`,
      ...scoped,
      body: shown(withOtherLetter(one, -1)),
    })),
  ];
}

/** The code with a character more inside of a segment, and codes that are long or outside of ASCII. */
function oddCodes(code: string): string[] {
  const [prefix = '', identifier = '', signature = ''] = code.split('.');
  const inside = [' ', '\n', '=', '-', '!', 'ä'].flatMap((character) => [
    [prefix, `${identifier.slice(0, 9)}${character}${identifier.slice(9)}`, signature].join('.'),
    [prefix, identifier, `${signature.slice(0, 9)}${character}${signature.slice(9)}`].join('.'),
  ]);
  const long = [300, 1900].map((length) => `${code}${'A'.repeat(length)}`);
  return [...inside, ...long, `${code}😀`, 'ä'.repeat(30)];
}

/** The code with one letter that is another one. */
function withOtherLetter(code: string, at: number): string {
  const place = at < 0 ? code.length + at : at;
  return `${code.slice(0, place)}${code[place] === 'x' ? 'y' : 'x'}${code.slice(place + 1)}`;
}

/** Odd bodies, and right ones in another spelling. */
function requestProbes({ isRest, good, shown }: AskedSide, code: string): Probe[] {
  const bodies = isRest
    ? [...BAD_BODIES, shown(code).replace('REF.', '\\u0052EF\\u002e'), `\r\n ${shown(code)} \n`]
    : [
        ...CARDS.map((Card) => JSON.stringify({ Card, Reader: 0 })),
        '{"Reader":0}',
        '{"Card":12345}',
        ...range(3).map((reader) => shown(code, { Reader: reader + 1 })),
        shown(code, { Serial: '' }),
        shown(code, { Serial: 'Z-9/ä 1' }),
      ];
  return bodies.map((body) => ({ name: `body ${body}`, ...good, body }));
}

/** Every ticket that is refused, at the readers 1 and 2. */
function readerProbes({ good, scoped, shown }: AskedSide, target: Target): Probe[] {
  const [single = ''] = codesOf(target, 'single');
  const [outside = ''] = codesOf(target, 'otherEvent');
  return [1, 2].flatMap((Reader) => [
    ...OTHERS.map((kind) => ({
      name: `${kind} at reader ${Reader}`,
      ...good,
      body: shown(codesOf(target, kind)[0] ?? '', { Reader }),
    })),
    {
      name: `forged at reader ${Reader}`,
      ...good,
      body: shown(withOtherLetter(single, -1), { Reader }),
    },
    { name: `other event at reader ${Reader}`, ...scoped, body: shown(outside, { Reader }) },
    ...(['multi', 'personalised', 'windowed'] as const).map((kind) => ({
      name: `${kind} at reader ${Reader + 1}`,
      ...good,
      body: shown(codesOf(target, kind)[4] ?? '', { Reader: kind === 'multi' ? Reader + 1 : 1 }),
    })),
  ]);
}

function heartbeatProbes({ keys, tickets }: Target): Probe[] {
  const body = JSON.stringify({ Key: '0A1B2C', Serial: 'S1', Now: '2026' });
  const good = withKey(keys.hardware);
  return [
    { name: 'beat', ...good, body },
    { name: 'another beat', ...good, body: JSON.stringify({ Key: 'zweiter-äöü', Serial: 'S2' }) },
    { name: 'empty beat', ...good, body: '' },
    { name: 'beat, selected events', ...withKey(keys.hardwareScoped), body },
    {
      name: 'beat with a card',
      ...good,
      body: JSON.stringify({ Key: 'x', Card: base64(codeOf(tickets.single[0] ?? '')) }),
    },
    ...keyProbes({ keys, tickets }, false, body),
    ...METHODS.map((method) => ({ name: method, method, ...good, body })),
  ];
}

/** The same request with every key that must be refused, and in every place that is not the right one. */
function keyProbes({ keys }: Target, isRest: boolean, body: string): Probe[] {
  const own = isRest ? keys.rest : keys.hardware;
  const give = isRest ? withHeader : withKey;
  const values = {
    empty: '',
    unknown: 'unknown-key-000000000000',
    cut: own.slice(0, -1),
    beheaded: own.slice(1),
    lower: own.toLowerCase(),
    upper: own.toUpperCase(),
    longer: `${own}AA`,
    middle: withOtherLetter(own, Math.floor(own.length / 2)),
    blank: `${own} `,
    bearing: `Bearer ${own}`,
    disabled: isRest ? keys.disabled : keys.hardwareDisabled,
    deleted: isRest ? keys.deleted : keys.hardwareDeleted,
    spent: isRest ? keys.quotaExhausted : keys.hardwareQuotaExhausted,
    otherType: isRest ? keys.hardware : keys.rest,
  };
  return [
    { name: 'no key', body },
    ...Object.entries(values).map(([name, value]) => ({
      name: `key ${name}`,
      ...give(value),
      body,
    })),
    ...Object.entries(keys).flatMap(([name, value]) => placed(name, value, body)),
    ...(isRest
      ? [
          { name: 'capital header', headers: { 'X-API-KEY': own }, body },
          {
            name: 'bearer beside',
            headers: { 'x-api-key': own, authorization: 'Bearer nonsense' },
            body,
          },
        ]
      : [{ name: 'key after another parameter', query: { gate: '1', key: own }, body }]),
  ];
}

/** A key in every place in which a server may look for one, in the right one too. */
function placed(name: string, key: string, body: string): Probe[] {
  const inBody = body.startsWith('{')
    ? JSON.stringify({ ...JSON.parse(body), key, 'x-api-key': key })
    : body;
  return [
    { name: `${name} in the query`, ...withKey(key), body },
    { name: `${name} in the header`, ...withHeader(key), body },
    { name: `${name} as bearer`, headers: { authorization: `Bearer ${key}` }, body },
    { name: `${name} as cookie`, headers: { cookie: `key=${key}` }, body },
    { name: `${name} in the body`, body: inBody },
  ];
}

/** The probe as the reference server gets it. */
function incomingOf(endpoint: Endpoint, probe: Probe): Incoming {
  const { method = 'POST', query = {}, headers = {}, body } = probe;
  const path = pathOf(endpoint);
  return {
    request: {
      url: path,
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      rawHeaders: Object.entries(headers).flat(),
    },
    method,
    path,
    query: new URLSearchParams(query),
    body: Buffer.from(body),
  };
}

const withHeader = (value: string) => ({ headers: { 'x-api-key': value } });
const withKey = (value: string) => ({ query: { key: value } });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const codeOf = (ticket: string | { code: string }) =>
  typeof ticket === 'string' ? ticket : ticket.code;
const codesOf = ({ tickets }: Target, kind: Kind) => tickets[kind].map(codeOf);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

const MINUTE_MS = 60_000;
const { world: pattern, target } = makeWorld();
const requests = new Map<Endpoint, readonly Incoming[]>();
const right = new Map<Endpoint, Promise<readonly string[]>>();

/** The probes of an endpoint that a faulty server answers in another way than the right one, or that leave other counters. */
export async function showsOn(endpoint: Endpoint, options: ServerOptions): Promise<boolean> {
  const expected = right.get(endpoint) ?? collected(tell(endpoint, {}));
  right.set(endpoint, expected);
  const wanted = (await expected).values();
  for await (const said of tell(endpoint, options)) {
    if (said !== wanted.next().value) return true;
  }
  return false;
}

async function collected(all: AsyncIterable<string>): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of all) texts.push(text);
  return texts;
}

/** Everything that one endpoint says to its probes, and the counters afterwards. */
async function* tell(endpoint: Endpoint, options: ServerOptions): AsyncGenerator<string> {
  const world = copyOf(pattern);
  const { altered } = partsOf(world, options);
  for (const incoming of requestsTo(endpoint)) yield await answerOf(incoming, altered);
  yield [...world.tickets.values()].map(({ usesConsumed }) => usesConsumed).join();
}

/** Made once: all servers get the same. */
function requestsTo(endpoint: Endpoint): readonly Incoming[] {
  const made =
    requests.get(endpoint) ??
    probesFor(endpoint, target).map((probe) => incomingOf(endpoint, probe));
  requests.set(endpoint, made);
  return made;
}

async function answerOf(incoming: Incoming, parts: Parts): Promise<string> {
  try {
    return textOf(await respond(incoming, parts));
  } catch {
    return '500';
  }
}

/** The moment of a scan is near enough when it is of the same minute. */
function textOf({ status, headers, body }: Reply): string {
  const text = JSON.stringify(body);
  const timeless = text?.includes('"scannedAt"') ? JSON.stringify(body, roundScannedAt) : text;
  return `${status} ${JSON.stringify(headers)} ${timeless}`;
}

function roundScannedAt(name: string, value: unknown): unknown {
  return name === 'scannedAt' && typeof value === 'string'
    ? Math.round((Date.parse(value) - Date.now()) / MINUTE_MS)
    : value;
}

function copyOf(world: World): World {
  return {
    clock: world.clock,
    secret: world.secret,
    tickets: new Map([...world.tickets].map(([id, ticket]) => [id, { ...ticket }])),
    keys: new Map([...world.keys].map(([value, key]) => [value, { ...key }])),
    deletedKeys: world.deletedKeys,
  };
}
