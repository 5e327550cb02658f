import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTicketscan, type TicketscanService } from '../../src/testing/index.ts';
import { InProcess } from '../support/in-process.ts';

const folder = new InProcess();
let service: TicketscanService;

beforeAll(async () => {
  service = await startTicketscan({ seed: 'all-states', ticketsPerState: 4 });
});
afterAll(async () => {
  await service.close();
  await folder[Symbol.asyncDispose]();
});

const scan = (ticket: string, more: readonly string[] = [], key = service.keys.rest) =>
  folder.run(['scan', 'env:CODE', '--url', service.url, '--key', 'env:KEY', ...more], {
    CODE: ticket,
    KEY: key,
  });

test('it validates unless it is told to consume', async () => {
  const ticket = service.ticket('multi');

  const looked = await scan(ticket, ['--json']);
  const used = await scan(ticket, ['--consume']);

  expect(JSON.parse(looked.out)).toMatchObject({
    valid: true,
    status: 'validated',
    usesConsumed: 0,
  });
  expect(used).toMatchObject({ code: 0, err: '' });
  expect(used.out).toMatch(/^GRANTED: consumed: tkt_\w+, 1 of \d+ uses taken\n$/);
});

test.each([
  ['exhausted', 'DENIED: exhausted: '],
  ['expired', 'DENIED: rejected (expired): '],
  ['unknown', 'DENIED: not_found: '],
] as const)('a denied ticket is exit code 1: %s', async (state, begin) => {
  const { code, out } = await scan(service.ticket(state), ['--consume']);
  expect([code, out.slice(0, begin.length)]).toEqual([1, begin]);
});

test('after a 429 it says that it waits, and tries again', async () => {
  await service.fail({ effect: 'too-many-requests', times: 1 });
  const { code, err } = await scan(service.ticket('multi'), ['--consume']);
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/^Too many requests: trying again in 1\.\d s\.\n$/),
  ]);
});

test('without a result: 2 for what the person can change, 3 for the rest, never the key or the code', async () => {
  const ticket = service.ticket('single');
  const elsewhere = ['scan', 'x', '--key', 'k', '--url', `${service.url}/no`];
  for (const [ran, exitCode, message] of [
    [await scan(ticket, [], service.keys.disabled), 2, /refuses the API key/],
    [await folder.run(elsewhere), 3, /not a scan result \(HTTP 404\)/],
  ] as const) {
    expect([ran.code, ran.err]).toEqual([exitCode, expect.stringMatching(message)]);
    for (const secret of [service.keys.disabled, ticket]) expect(ran.err).not.toContain(secret);
  }
});

test('a lost answer without Idempotency-Key ends with an unknown outcome, with it a use is taken once', async () => {
  const ticket = service.ticket('multi');
  await service.fail({ effect: 'lost-answer', times: 1 });
  const unknown = await scan(ticket, ['--consume', '--no-idempotency-key']);
  expect(unknown).toMatchObject({
    code: 3,
    err: expect.stringContaining('use was taken is unknown'),
  });

  await service.fail({ effect: 'lost-answer', times: 1 });
  const { out } = await scan(ticket, ['--consume', '--json']);
  expect(JSON.parse(out)).toMatchObject({ status: 'consumed', usesConsumed: 2 });
});
