import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { mayHaveTakenUse } from '../../src/client/attempt.ts';
import {
  type ClientClock,
  ScanClient,
  type ScanClientOptions,
  ScanError,
} from '../../src/client/index.ts';
import { startTicketscan } from '../../src/testing/index.ts';

/** A real service with faults to order, a client of it, and how long that waited each time. */
async function start(options: Partial<ScanClientOptions> = {}) {
  const service = await startTicketscan({ seed: 'all-states', ticketsPerState: 3 });
  const waits: number[] = [];
  const client = new ScanClient({
    baseUrl: service.url,
    apiKey: service.keys.rest,
    clock: noteWaits(waits),
    random: () => 0,
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await service.close();
  });
  return { service, client, waits };
}

/** A clock that jumps over each wait and notes it. */
function noteWaits(waits: number[]): ClientClock {
  let jumped = 0;
  return {
    now: () => Date.now() + jumped,
    async wait(ms, signal) {
      signal?.throwIfAborted();
      waits.push(ms);
      jumped += ms;
    },
  };
}

async function errorOf(call: Promise<unknown>): Promise<ScanError> {
  const error = await call.then(
    (result) => result,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ScanError) return error;
  throw new Error(`no ScanError: ${JSON.stringify(error)}`);
}

test('every result of section 2.3 comes back as it is', async () => {
  const { service, client } = await start();
  const multi = service.ticket('multi');

  expect(await client.validate(multi)).toMatchObject({ valid: true, status: 'validated' });
  expect(await client.consume(multi)).toMatchObject({
    valid: true,
    status: 'consumed',
    usesConsumed: 1,
    scannedAt: expect.stringMatching(/Z$/),
  });
  expect(await client.consume(service.ticket('exhausted'))).toMatchObject({
    valid: false,
    status: 'exhausted',
    usesRemaining: 0,
  });
  expect(await client.consume(service.ticket('expired'))).toMatchObject({
    valid: false,
    reason: 'expired',
  });
  expect(await client.consume(service.ticket('unknown'))).toMatchObject({ status: 'not_found' });
  expect(await client.consume('no ticket')).toMatchObject({ reason: 'invalid_ticket' });
  expect(await client.consume('')).toMatchObject({ reason: 'missing_ticket_code' });
  const scoped = new ScanClient({ baseUrl: `${service.url}/`, apiKey: service.keys.restScoped });
  await using _ = scoped;
  expect(await scoped.consume(service.ticket('otherEvent'))).toMatchObject({
    reason: 'event_not_allowed',
  });
});

test('a lost answer is asked for once more, and takes one use', async () => {
  const { service, client, waits } = await start();
  const ticket = service.ticket('multi');
  await service.fail({ effect: 'lost-answer', times: 1 });

  expect(await client.consume(ticket)).toMatchObject({ status: 'consumed', usesConsumed: 1 });
  expect(waits).toEqual([100]);
});

test('after a second lost answer the outcome is unknown, and the same name settles it', async () => {
  const { service, client } = await start();
  const ticket = service.ticket('multi');
  await service.fail({ effect: 'lost-answer' });

  const error = await errorOf(client.consume(ticket));
  await service.clearFaults();

  expect(error).toMatchObject({ code: 'no_answer', useTaken: 'unknown' });
  const again = await client.consume(ticket, { idempotencyKey: error.idempotencyKey });
  expect(again).toMatchObject({ status: 'consumed', usesConsumed: 1 });
});

test('without Idempotency-Key a consume whose answer is lost is never repeated', async () => {
  const { service, client, waits } = await start({ idempotent: false });
  const ticket = service.ticket('multi');
  for (const effect of ['lost-answer', 'server-error', 'reset', 'truncated-body'] as const) {
    await service.fail({ effect, times: 1 });
    const error = await errorOf(client.consume(ticket));
    expect(error, effect).toMatchObject({ useTaken: 'unknown', idempotencyKey: undefined });
  }
  expect(waits).toEqual([]);
  // A check may be repeated whatever the server knows.
  await service.fail({ effect: 'reset', times: 1 });
  expect(await client.validate(ticket)).toMatchObject({ valid: true });
});

test.each([true, false])(
  'a 429 waits as long as it says, then goes on (idempotent: %s)',
  async (idempotent) => {
    const { service, client, waits } = await start({ idempotent });
    const ticket = service.ticket('multi');
    await service.fail({ effect: 'too-many-requests', times: 3 });

    expect(await client.consume(ticket)).toMatchObject({ status: 'consumed', usesConsumed: 1 });
    // A second each, as Retry-After says, and a backoff that doubles on top.
    expect(waits).toEqual([1100, 1200, 1400]);
  },
);

test('a 429 that asks for more than there is time for ends the call: no use was taken', async () => {
  const { service, client, waits } = await start({ totalTimeoutMs: 3000 });
  await service.fail({ effect: 'too-many-requests' });

  const ticket = service.ticket('single');
  const error = await errorOf(client.consume(ticket));

  expect(error).toMatchObject({ code: 'rate_limited', useTaken: 'no', retryAfterMs: 1000 });
  expect(waits).toEqual([1100, 1200]);
  await service.clearFaults();
  expect(await client.validate(ticket)).toMatchObject({ usesConsumed: 0 });
});

test('a 5xx is tried again with backoff, and never opens', async () => {
  const { service, client, waits } = await start();
  const ticket = service.ticket('multi');
  await service.fail({ effect: 'server-error', when: 'after', times: 3 });
  expect(await client.consume(ticket)).toMatchObject({ status: 'consumed', usesConsumed: 1 });
  expect(waits).toEqual([100, 200, 400]);

  await service.fail({ effect: 'server-error' });
  const error = await errorOf(client.consume(ticket));
  expect(error).toMatchObject({ code: 'server_error', httpStatus: 500, useTaken: 'unknown' });
  expect(waits.slice(3)).toEqual([100, 200, 400]);
});

test('a grant with a status of 5xx, or one for another operation, opens nothing', async () => {
  const uses = {
    ticketId: 't',
    ticketType: 'multi',
    usesAllowed: 2,
    usesConsumed: 1,
    usesRemaining: 1,
  };
  const grant = { valid: true, status: 'consumed', message: 'm', scannedAt: 'now', ...uses };
  const cases: [number, unknown][] = [
    [500, grant],
    [201, grant],
    [403, grant],
    [200, { ...grant, status: 'validated' }],
    [200, { ...grant, valid: 'true' }],
    [200, { ...grant, usesRemaining: undefined }],
    [200, { ...grant, scannedAt: undefined }],
    [200, [grant]],
    [302, grant],
    [404, { message: 'Not Found' }],
  ];
  for (const [status, body] of cases) {
    const { url } = await answering(status, JSON.stringify(body));
    await using client = new ScanClient({ baseUrl: url, apiKey: 'k', clock: noteWaits([]) });
    const error = await errorOf(client.consume('x'));
    expect(error.code, JSON.stringify([status, body])).toMatch(
      /^(server_error|unexpected_answer)$/,
    );
  }
  const { url } = await answering(200, JSON.stringify(grant));
  await using client = new ScanClient({ baseUrl: url, apiKey: 'k' });
  expect(await client.consume('x')).toEqual(grant);
});

test('a refused key and a wrong address are told at once, without the key', async () => {
  const { service, waits } = await start();
  const ticket = service.ticket('single');
  const { url } = await answering(404, '{"message":"Not Found"}');
  const cases = [
    [service.url, service.keys.disabled, 'key_refused'],
    [service.url, service.keys.hardware, 'key_refused'],
    [url, service.keys.rest, 'unexpected_answer'],
  ] as const;
  for (const [baseUrl, apiKey, code] of cases) {
    await using client = new ScanClient({ baseUrl, apiKey });
    const error = await errorOf(client.consume(ticket));
    expect(error).toMatchObject({ code, useTaken: 'no' });
    expect(error.message).not.toContain(apiKey);
    expect(error.message).not.toContain(ticket);
  }
  expect(waits).toEqual([]);
});

test('where nothing listens, no use was taken', async () => {
  await using client = new ScanClient({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'k',
    idempotent: false,
  });
  expect(await errorOf(client.consume('x'))).toMatchObject({ code: 'no_answer', useTaken: 'no' });
});

test.each(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])(
  'a gate that lost its network (%s) took no use; a connection that was open may have',
  (code) => {
    const connecting = Object.assign(new Error(code), { code, syscall: 'connect' });
    const tried = new AggregateError([connecting, connecting]);
    const reading = Object.assign(new Error(code), { code, syscall: 'read' });
    expect(mayHaveTakenUse({ kind: 'lost', cause: connecting })).toBe(false);
    expect(mayHaveTakenUse({ kind: 'lost', cause: tried })).toBe(false);
    expect(mayHaveTakenUse({ kind: 'lost', cause: reading })).toBe(true);
  },
);

/** Longer than a test may take. */
const NEVER_MS = 3_600_000;

test.each([
  ['for one try', { timeoutMs: 100, totalTimeoutMs: NEVER_MS, idempotent: false }],
  ['for a call', { timeoutMs: NEVER_MS, totalTimeoutMs: 300 }],
])('a server that does not answer costs no more than the time %s', async (_limit, limits) => {
  const { service, client } = await start(limits);
  await service.fail({ effect: 'hang' });
  const error = await errorOf(client.consume(service.ticket('single')));
  expect(error).toMatchObject({ code: 'no_answer', useTaken: 'unknown' });
  expect(error.message).toContain('no answer in time');
});

test('a server whose answer never stops gives none', async () => {
  const endless = await answering(200, 'x'.repeat(1_000_000));
  await using other = new ScanClient({ baseUrl: endless.url, apiKey: 'k', clock: noteWaits([]) });
  expect(await errorOf(other.validate('x'))).toMatchObject({ code: 'no_answer' });
});

test('a call that is aborted ends at once, waiting or not', async () => {
  const { service } = await start();
  await using client = new ScanClient({ baseUrl: service.url, apiKey: service.keys.rest });
  const aborted = errorOf(client.consume('x', { signal: AbortSignal.abort() }));
  expect(await aborted).toMatchObject({ code: 'aborted', useTaken: 'no' });

  await service.fail({ effect: 'too-many-requests' });
  const waiting = errorOf(client.consume('x', { signal: AbortSignal.timeout(300) }));
  expect(await waiting).toMatchObject({ code: 'aborted', useTaken: 'no' });

  await service.clearFaults();
  await service.fail({ effect: 'hang' });
  const asking = errorOf(client.consume('x', { signal: AbortSignal.timeout(300) }));
  expect(await asking).toMatchObject({ code: 'aborted', useTaken: 'unknown' });
});

test('a key goes over HTTPS, or to this machine', () => {
  const open =
    (baseUrl: string, more: object = {}) =>
    () =>
      new ScanClient({ baseUrl, apiKey: 'k', ...more });
  expect(open('http://scan.example.org')).toThrow(/on its way to scan.example.org/);
  expect(open('ftp://scan.example.org')).toThrow(/https:\/\//);
  expect(open('scan.example.org')).toThrow(/such as https:\/\/scan.example.org/);
  expect(open('https://scan.example.org', { apiKey: 'k k' })).toThrow(/apiKey/);
  expect(open('http://scan.example.org', { insecureHttp: true })).not.toThrow();
  expect(open('http://localhost:1')).not.toThrow();
});

/** A server that gives every request this answer. */
async function answering(status: number, body: string): Promise<{ readonly url: string }> {
  const server = createServer((_, response) => {
    response.writeHead(status, {
      location: 'http://127.0.0.1:9/',
      'content-type': 'application/json',
    });
    response.end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
