import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { check, explore } from '../../src/check/index.ts';
import { ScanClient } from '../../src/client/index.ts';
import { Device } from '../../src/simulate/index.ts';
import { type StartOptions, startTicketscan, type VariationName } from '../../src/testing/index.ts';
import { VARIATIONS } from '../../src/testing/vary/variations.ts';
import { CliFolder, consume } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';
import { rawExchange } from '../support/raw-http.ts';

const NO_LIMITS = { ratePerSecond: 1e6, burst: 1e6 };

async function start(vary: StartOptions['vary'], more: Partial<StartOptions> = {}) {
  const service = await startTicketscan({ seed: 'all-states', limits: NO_LIMITS, vary, ...more });
  onTestFinished(() => service.close());
  return service;
}

type Service = Awaited<ReturnType<typeof start>>;

/** A request byte by byte, answered until the connection ends. */
function post(service: Service, path: string, body: object, headers: string[] = []) {
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return rawExchange(service.url, `${head.join('\r\n')}\r\n\r\n${text}`);
}

const rest = (service: Service, ticketCode: string | undefined, headers: string[] = []) =>
  post(service, '/scan/validate', { ticketCode }, [`x-api-key: ${service.keys.rest}`, ...headers]);
const card = (service: Service, code: string) =>
  post(service, `/scan/hw/validate?key=${service.keys.hardware}`, {
    Card: Buffer.from(code).toString('base64'),
  });
const first = (service: Service, state: keyof Service['tickets']) =>
  service.tickets[state][0] ?? '';
const forged = (code: string) => code.replace(/.{4}$/, 'AAAA');
/** Asks without a `connection: close` of its own, to see what becomes of the connection. */
const kept = (service: Service) => {
  const body = JSON.stringify({ ticketCode: first(service, 'single') });
  return rawExchange(
    service.url,
    `POST /scan/validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nx-api-key: ${service.keys.rest}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
};

const onRest = (service: Service) => rest(service, first(service, 'personalised'));
const onGrant = (service: Service) => card(service, first(service, 'single'));

/** What a client sees of each difference, and of which answer. */
const SEEN: Readonly<
  Record<VariationName, { ask: (service: Service) => Promise<string>; as: RegExp }>
> = {
  'member-order': { ask: onRest, as: /\r\n\r\n\{(?!"valid":true,"status":"validated","message")/ },
  'more-members': { ask: onRest, as: /"event":\{"id":"main"/ },
  'other-message': { ask: onRest, as: /"message":(?!"Ticket is valid")/ },
  'bare-rejection': {
    ask: (service) => rest(service, first(service, 'expired')),
    as: /\{"valid":false,"status":"rejected","reason":"expired","message":"[^"]+"\}/,
  },
  'time-offset': {
    ask: (service) => rest(service, first(service, 'windowed')),
    as: /"validFrom":"[^"]+[+-]\d\d:\d\d"/,
  },
  'time-precision': {
    ask: (service) => rest(service, first(service, 'windowed')),
    as: /"validUntil":"[^"]+T\d\d:\d\d:\d\d(\.\d{6}|\.\d{1,2})?Z"/,
  },
  'display-name': { ask: onGrant, as: /"Name":"(?!Einzelticket)/ },
  'door-time': { ask: onGrant, as: /"Time":"(1|3|10|30)"/ },
  'other-note': { ask: (service) => card(service, first(service, 'cancelled')), as: /Gesperrt/ },
  'heartbeat-echo': {
    ask: (service) =>
      post(service, `/scan/hw/heartbeat?key=${service.keys.hardware}`, { Key: 'mine' }),
    as: /\{"Key":"tscn_hw_/,
  },
  'free-status': {
    ask: (service) => rest(service, forged(first(service, 'single'))),
    as: /^HTTP\/1.1 400 .*"reason":"invalid_ticket"/s,
  },
  'spaced-json': { ask: onRest, as: /[{,:][ \t\r\n]+["}]/ },
  'escaped-json': { ask: onRest, as: /\\u00[0-9a-f]{2}/ },
  'number-notation': { ask: onRest, as: /"usesAllowed":1(\.0|e\+0)/ },
  'more-headers': { ask: onRest, as: /set-cookie: lb=/ },
  'fewer-headers': { ask: onRest, as: /^(?!.*\r\n(date|cache-control):)/is },
  'header-case': { ask: onRest, as: /Content-Length: |CONTENT-LENGTH: / },
  'content-type': { ask: onRest, as: /content-type: (?!application\/json; charset=utf-8\r)/ },
  'reason-phrase': { ask: onRest, as: /^HTTP\/1.1 200 (?!OK)/ },
  'retry-after': {
    async ask(service) {
      await service.fail({ effect: 'too-many-requests' });
      return onRest(service);
    },
    as: /^HTTP\/1.1 429 (?!.*retry-after: \d)/s,
  },
  compressed: {
    ask: (service) => rest(service, first(service, 'single'), ['Accept-Encoding: br, gzip']),
    as: /content-encoding: gzip\r\n(?!.*"valid")/s,
  },
  chunked: { ask: onRest, as: /transfer-encoding: chunked\r\n.*\r\n0\r\n/is },
  'in-pieces': { ask: onRest, as: /content-length: \d+\r\n.*\}$/is },
  'until-close': { ask: kept, as: /^(?!.*(content-length|transfer-encoding):).*\}$/is },
  'connection-close': { ask: kept, as: /connection: close\r\n.*\}$/is },
  'connection-dropped': { ask: kept, as: /connection: keep-alive\r\n.*\}$/is },
  slow: { ask: onRest, as: /^HTTP\/1.1 200 OK/ },
  'interim-answer': { ask: onRest, as: /^HTTP\/1.1 102 Processing\r\n\r\nHTTP\/1.1 200 OK/ },
};

let plain: Service;
beforeAll(async () => {
  plain = await startTicketscan({ seed: 'all-states', limits: NO_LIMITS });
});
afterAll(() => plain.close());

test.each(VARIATIONS)('$name: $meaning', async ({ name }) => {
  const { ask, as } = SEEN[name];
  const service = await start({ seed: 1, only: [name] });
  const isTheSameOnTheWire = ['in-pieces', 'slow', 'display-name'].includes(name);
  if (name !== 'connection-dropped' && !isTheSameOnTheWire && ask !== kept) {
    expect(await ask(plain)).not.toMatch(as);
    await plain.clearFaults();
  }
  for (let tries = 0; tries < 12; tries += 1) {
    const beganAt = performance.now();
    const text = await ask(service);
    const [request] = await service.requests({ last: 1 });
    if (!request?.variations.includes(name)) continue;
    expect(text).toMatch(as);
    if (name === 'slow') expect(performance.now() - beganAt).toBeGreaterThan(95);
    return;
  }
  expect.unreachable('the variation was never made');
});

async function namesOf(vary: number): Promise<readonly string[]> {
  const service = await start(vary);
  for (let number = 0; number < 20; number += 1) await onRest(service);
  return (await service.requests()).map(({ variations }) => variations.join());
}

test('the same seed varies the same requests in the same way, also after a reset', async () => {
  const names = await namesOf(7);
  expect(await namesOf(7)).toEqual(names);
  expect(await namesOf(8)).not.toEqual(names);
  expect(names.filter((one) => one === '').length).toBeGreaterThan(0);
  const service = await start(7);
  await onRest(service);
  await service.reset();
  await onRest(service);
  expect((await service.requests())[0]?.variations.join()).toBe(names[0]);
});

test('the three rejected shapes keep their fields, and a holder is never left out', async () => {
  const service = await start({ seed: 3 });
  const shapes = [
    [
      await bodies(service, forged(first(service, 'single'))),
      ['message', 'reason', 'status', 'valid'],
    ],
    [await bodies(service, undefined), ['message', 'reason', 'status', 'valid']],
    [
      await bodies(service, first(service, 'otherEvent'), service.keys.restScoped),
      ['message', 'reason', 'status', 'valid'],
    ],
    [await bodies(service, first(service, 'unknown')), ['message', 'status', 'valid']],
  ] as const;
  for (const [all, names] of shapes) {
    for (const body of all) expect(Object.keys(body).toSorted()).toEqual(names);
  }
  for (const { holder } of await bodies(service, first(service, 'personalised'))) {
    expect(holder).toEqual({ firstName: expect.any(String), lastName: expect.any(String) });
  }
});

/** The bodies of twelve answers, as a client reads them. */
async function bodies(
  { url, keys }: Service,
  ticketCode: string | undefined,
  key = keys.rest,
): Promise<Record<string, unknown>[]> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const ask = async () => {
    const init = { method: 'POST', headers, body: JSON.stringify({ ticketCode }) };
    return (await (await fetch(`${url}/scan/validate`, init)).json()) as Record<string, unknown>;
  };
  return Promise.all(Array.from({ length: 12 }, ask));
}

test.each([11, 12, 13])('the client understands every answer of seed %i', async (seed) => {
  const service = await start(seed, { ticketsPerState: 30 });
  await using client = new ScanClient({ baseUrl: service.url, apiKey: service.keys.rest });
  const granted = await Promise.all(service.tickets.single.map((code) => client.consume(code)));
  expect(granted.filter(({ valid }) => valid).length).toBe(30);
  const again = await Promise.all(service.tickets.single.map((code) => client.consume(code)));
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set(['exhausted']));
  const states = ['expired', 'cancelled', 'notYetValid', 'unknown'] as const;
  for (const state of states) {
    expect(await client.validate(first(service, state))).toMatchObject({ valid: false });
  }
  const isForged = await client.validate(forged(first(service, 'single')));
  expect(isForged).toMatchObject({ status: 'rejected', reason: 'invalid_ticket' });
});

test.each(['access-controller', 'bas-ip', 'vguang'])(
  'a simulated %s understands every answer',
  async (model) => {
    const service = await start(21, { ticketsPerState: 25 });
    const key = service.keys.hardware;
    const scan = async (code: string) => {
      await using device = Device.connect(service.url, { key, model, antiRepeatMs: 0, readMs: 40 });
      const once = async () => (await device.scan(code))?.result;
      // A card that meets a closed connection is presented again; nothing was decided, so nothing was taken.
      const again = async () => {
        const result = await once();
        return result === 'error' ? once() : result;
      };
      return [await again(), await again()];
    };
    const results = await Promise.all(service.tickets.single.map(scan));
    expect(results).toEqual(results.map(() => ['granted', 'denied']));
  },
);

test('check and explore find nothing wrong', async () => {
  // Waiting for slow answers would take most of the time; test/mutants checks each difference whole and alone.
  const only = VARIATIONS.map(({ name }) => name).filter((name) => name !== 'slow');
  const service = await start({ seed: 31, only }, { ticketsPerState: 40 });
  const target = { keys: service.keys, tickets: service.tickets };
  const how = { baseUrl: service.url, target: JSON.parse(JSON.stringify(target)), consume: true };
  const cases = ['2.3', '4', '4.5', '7.1'];
  const result = await check({ ...how, only: cases, maxRate: 5000, concurrency: 40 });
  const failed = result.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ id, observed }) => [id, observed])).toEqual([]);
  const { verdict, failure } = await explore({
    ...how,
    seed: 1,
    budget: 200,
    limits: { rate: 1e6, burst: 1e6 },
  });
  expect([verdict, failure]).toEqual(['nothing-found', null]);
});

test('serve --vary says so, and its log names what is different', async () => {
  await using folder = new CliFolder();
  const server = await folder.serve(['--store', 'memory:', '--vary', '7']);
  expect(server.firstLine).toMatchObject({ event: 'listening', vary: 7 });
  await expect.poll(server.messages, PATIENTLY).toContain('ANSWERS VARY');
  for (let number = 0; number < 8; number += 1) await consume(server.url, 'none', 'none');
  await expect
    .poll(server.messages, PATIENTLY)
    .toMatch(/"path":"\/scan\/consume","status":401,.*"vary":\["[a-z-]+"/);
  expect(server.messages()).not.toContain('"path":"/_test');
  expect((await fetch(`${server.url}/_test/clock`)).status).toBe(404);
  await server.stop();
});

test.each([
  [['--vary', '7', '--host', '0.0.0.0', '--tls-self-signed'], /other machines can reach/],
  [['--vary', '7', '--tls-elsewhere'], /other machines can reach/],
  [['--vary', 'often'], /whole number from 0 to 4294967295/],
])('serve %j is refused', async (args, message) => {
  await using folder = new CliFolder();
  const { code, err } = await folder.run(['serve', '--store', 'memory:', '--port', '0', ...args]);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

test('docs/testing/testing.md explains each variation', () => {
  const text = readFileSync('docs/testing/testing.md', 'utf8');
  for (const { name, meaning } of VARIATIONS)
    expect(text).toContain(`| \`${name}\` | ${meaning} |`);
});
