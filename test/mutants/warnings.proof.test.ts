import { expect, test } from 'vitest';
import { check, listCases } from '../../src/check/index.ts';
import { HTTPS_CASES } from '../../src/check/sections/1-https.ts';
import { device, rest, step } from './faults/faulty-server.ts';
import type { Reply } from './reference/parts.ts';
import { startServer } from './reference/server.ts';

test('a window in which a reader may post a card again without a use is warned of', async () => {
  const answers = new Map<string, Reply>();
  const server = await startServer({
    alter: step('finish', ({ next }, _, { path, body }) => {
      const right = next();
      if (path !== '/scan/hw/consume') return right;
      const post = body.toString('utf8');
      const before = answers.get(post);
      answers.set(post, before ?? right);
      return before ?? right;
    }),
  });
  const { baseUrl, target } = server;
  const only = ['3.2/same-post-again'];
  const result = await check({ baseUrl, target, consume: true, maxRate: 5000, only });
  await server.close();
  expect(result).toMatchObject({
    verdict: 'conforms',
    findings: [{ id: '3.2/same-post-again', cause: expect.stringContaining('1 use where 2') }],
  });
});

test('what differs from the samples only is warned about, and fails nothing', async () => {
  const chatty = rest((body) => ({
    ...body,
    ...(body['valid'] ? { reason: null } : { requestId: 'a1' }),
    ...(body['ticketId'] ? { ticketId: `no-${body['ticketId']}` } : {}),
    ...(body['validUntil'] ? { validUntil: String(body['validUntil']).replace('Z', '') } : {}),
  }));
  const named = device((body) => ({ Name: 'Gast', ...body }));
  const server = await startServer({
    alter: (parts, world) => ({
      ...chatty(parts, world),
      ...named(parts, world),
      unauthorised: () => parts.unauthorised('rest'),
      limited: () => parts.limited('rest'),
      finish: (answer, { request }) =>
        'transfer-encoding' in request.headers
          ? { status: 411, headers: {}, body: { message: 'Length Required' } }
          : { ...answer, headers: { 'content-type': 'application/json; charset=iso-8859-1' } },
      badRequest: (side) => {
        const right = parts.badRequest(side);
        return side === 'rest'
          ? { ...right, body: { ...(right.body as object), requestId: 'a1' } }
          : right;
      },
    }),
  });
  const { baseUrl } = server;
  const { keys, tickets } = server.target;
  // without the ids of the tickets: then their form is a question of the samples
  const codes = Object.entries(tickets).map(([kind, list]) => [
    kind,
    list.map((ticket) => (typeof ticket === 'string' ? ticket : ticket.code)),
  ]);
  const target = { keys, tickets: Object.fromEntries(codes) };
  const result = await check({ baseUrl, target, consume: true, maxRate: 5000 });
  await server.close();

  const warned = result.cases.filter(({ outcome }) => outcome === 'warned').map(({ id }) => id);
  const observed = listCases()
    // how it is reached over TLS: test/check/https.test.ts
    .filter(({ id, level }) => level === 'observed' && !HTTPS_CASES.some((one) => one.id === id))
    // what a limited device gets: rate-limits.proof.test.ts
    .filter(({ rateLimits }) => !rateLimits)
    // a window for repeated posts is below: it would take uses from other cases
    .filter(({ id }) => id !== '3.2/same-post-again')
    .map(({ id }) => id);
  // a stated case, of which one variant is only warned about
  expect(warned.filter((id) => id !== '4.1/same-body-in-another-form')).toEqual(observed);
  expect(warned).toContain('4.1/same-body-in-another-form');
  const failed = result.cases.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ id, expected, observed }) => ({ id, expected, observed }))).toEqual([]);
});
