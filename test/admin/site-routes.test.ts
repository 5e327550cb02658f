import { expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { FIRST_QUESTION } from '../support/site-question.ts';
import { AdminClient, withToken } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

/** What sites ask of their centre, for which they have a token of their own. */
const at = sharedService({ store: 'sqlite' });

const OF_SITES = [
  ['POST', '/site/feed', FIRST_QUESTION],
  ['POST', '/site/rows', {}],
  ['GET', '/site/tickets?incarnation=0123456789abcdef&event=abcdef&epoch=1', undefined],
] as const;

async function made(name: string): Promise<{ id: string; token: string }> {
  const { site, token } = (await at.owner.post('/sites', { name })).json;
  return { id: site.id, token };
}

test('nobody but a site may ask what sites ask: no stranger, no owner, no key, no access token, and no site that was retired', async () => {
  const { service, owner } = at;
  const { id, token } = await made('Retired');
  const changed = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
  const pat = (await owner.post('/access-tokens', { name: 'all', role: 'owner' })).json.token;
  expect((await withToken(service.url, token)('POST', '/site/feed', FIRST_QUESTION)).status).toBe(
    200,
  );
  await owner.post(`/sites/${id}/retire`, {});

  for (const [method, path, body] of OF_SITES) {
    const refused = { status: 401, json: { code: 'not_allowed' } };
    expect(await new AdminClient(service.url).request(method, path, body)).toMatchObject(refused);
    expect(await owner.request(method, path, body)).toMatchObject(refused);
    for (const one of [token, changed, pat, service.key('rest'), ''])
      expect(await withToken(service.url, one)(method, path, body)).toMatchObject(refused);
  }
});

test('the token of a site opens nothing else', async () => {
  const { token } = await made('Only a site');
  const { service } = at;
  const others = service.routes
    .map((route) => /^([A-Z]+) \/admin\/v1(.*)$/.exec(route))
    .flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : []))
    .filter(([, path]) => !/^\/(?:site\/|sessions$|redemptions)/.test(path));
  expect(others.length).toBeGreaterThan(50);
  for (const [method, path] of others) {
    const body = method === 'GET' ? undefined : {};
    const { status } = await withToken(service.url, token)(method, path.replace(':id', 'x'), body);
    expect(status, `${method} ${path}`).toBe(401);
  }
});

test('a site may send more than a stranger: it is known before its body is read', async () => {
  const { token } = await made('Long');
  const send = async (authorization: string, bytes: number) => {
    const head = [
      'POST /admin/v1/site/rows HTTP/1.1',
      `host: ${new URL(at.service.url).host}`,
      'content-type: application/json',
      `authorization: ${authorization}`,
      `content-length: ${bytes}`,
      'connection: close',
    ];
    return (await rawExchange(at.service.url, `${head.join('\r\n')}\r\n\r\n"x`)).split(' ')[1];
  };
  expect(await send('Bearer tscn_site_x', 100_000)).toBe('401');
  expect(await send(`Bearer ${token}`, 5 * 1024 * 1024)).toBe('413');
  const rows = [{ after: 0, epoch: 0, entry: 'x'.repeat(1024 * 1024) }];
  const answer = await withToken(at.service.url, token)('POST', '/site/rows', {
    incarnation: FIRST_QUESTION.incarnation,
    rows,
    waiting: 0,
    scanners: [],
  });
  expect(answer.status).toBe(422);
});
