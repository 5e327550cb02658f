import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request as requestHttp } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { connectTicketscan } from '../../src/testing/remote/connect.ts';
import { CliFolder, consume, type RunningServe, targetOf } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';
import { isInstalled, PROXIES, startProxy } from '../support/proxies.ts';

/** A busy machine takes its time to hash a password. */

const tokenOf = ({ firstLine }: RunningServe) => String(firstLine['testToken']);

function aFolder(): CliFolder {
  const folder = new CliFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder;
}

test('serve --test-controls says so, and is driven from another process', async () => {
  const folder = aFolder();
  const args = ['--store', 'memory:', '--test-controls'];
  const server = await folder.serve(args);
  expect(server.firstLine).toMatchObject({ event: 'listening', testControls: true });
  await expect
    .poll(server.messages, PATIENTLY)
    .toMatch(/TEST CONTROLS ARE ON: do not use this at a gate/);
  await using service = await connectTicketscan(server.url, {
    testToken: tokenOf(server),
    seed: 'all-states',
  });
  const ticket = service.ticket('windowed');
  expect(await consume(server.url, service.keys.rest, ticket)).toMatchObject({ valid: true });
  await service.advance('366d');
  const late = await consume(server.url, service.keys.rest, service.ticket('windowed'));
  expect(late).toMatchObject({ reason: 'expired' });
  await service.fail({ effect: 'hang' });
  const hung = consume(server.url, service.keys.rest, ticket).catch(() => 'broken off');
  while ((await service.requests()).length < 3) await new Promise((soon) => setTimeout(soon, 10));
  expect(await server.stop()).toBe(0);
  expect(await hung).toBe('broken off');
});

test('the dashboard is told, follows the clock in hand, and its accounts outlive a reset', async () => {
  const folder = aFolder();
  const server = await folder.serve(['--store', 'memory:', '--test-controls']);
  await expect.poll(server.messages, PATIENTLY).toMatch(/name: admin {2}password: \S+/);
  const password = /password: (\S+)/.exec(server.messages())?.[1];
  await using service = await connectTicketscan(server.url, {
    testToken: tokenOf(server),
    seed: 'all-states',
  });
  await service.freezeClock('2031-05-01T12:00:00Z');
  const admin = `${server.url}/admin/v1`;
  const headers = { 'content-type': 'application/json', origin: server.url };
  const body = JSON.stringify({ name: 'admin', password });
  const signedIn = await fetch(`${admin}/sessions`, { method: 'POST', headers, body });
  const session = (await signedIn.json()) as { expiresAt: string };
  expect([signedIn.ok, session.expiresAt.slice(0, 7)]).toEqual([true, '2031-05']);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  await service.reset();
  await service.freezeClock('2031-05-01T12:00:00Z');
  const answer = await fetch(`${admin}/server`, { headers: { cookie } });
  expect(await answer.json()).toMatchObject({ testControls: true });
  expect(await server.stop()).toBe(0);
});

test('over TLS an answer can be lost too, and the server goes on', async () => {
  const folder = aFolder();
  const args = ['--store', 'memory:', '--test-controls', '--tls-self-signed'];
  const server = await folder.serve(args);
  const post = (path: string, value: object, headers = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = {
        method: 'POST',
        rejectUnauthorized: false,
        agent: false as const,
        headers: {
          'content-type': 'application/json',
          'x-test-token': tokenOf(server),
          ...headers,
        },
      };
      const sent = request(`${server.url}${path}`, options, (response) => {
        void text(response).then(resolve, reject);
      });
      sent.on('error', reject).end(JSON.stringify(value));
    });
  const { sample } = JSON.parse(await post('/_test/reset', { seed: 'all-states' }));
  await post('/_test/faults', { effect: 'lost-answer', times: 1 });
  const consume = () =>
    post(
      '/scan/consume',
      { ticketCode: sample.tickets.single[0] },
      { 'x-api-key': sample.keys.rest, 'idempotency-key': 'one' },
    );
  await expect(consume()).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect(JSON.parse(await consume())).toMatchObject({ valid: true, usesConsumed: 1 });
  expect(await server.stop()).toBe(0);
});

test.skipIf(!isInstalled('nginx'))(
  'a proxy on this machine that names the server by its loopback address lets nobody at the controls',
  async () => {
    const folder = aFolder();
    const server = await folder.serve(['--store', 'memory:', '--test-controls']);
    await using proxy = await startProxy('nginx', Number(new URL(server.url).port), stockNginx);
    const url = `http://127.0.0.1:${proxy.port}`;
    const nowhere = await fetch(`${url}/nowhere`, { method: 'POST' });
    const reset = await fetch(`${url}/_test/reset`, { method: 'POST' });
    expect([reset.status, await reset.text()]).toEqual([404, await nowhere.text()]);
    await expect(connectTicketscan(url, { testToken: 'guessed' })).rejects.toMatchObject({
      code: 'unreachable',
    });
    // The scan API is there for others, as it is meant to be.
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  },
);

/** The settings in the manual of nginx, which then sends the upstream's address as Host: a loopback name. */
const stockNginx = (port: number, service: number, folder: string) =>
  PROXIES.nginx
    .configuration(port, service, folder)
    .replace(/location.*/u, `location / { proxy_pass http://127.0.0.1:${service}; }`);

test('controls and token come from no environment and no configuration file', async () => {
  const folder = aFolder();
  const left = ['env', `TICKETSCAN_TEST_TOKEN=${'x'.repeat(22)}`, 'TICKETSCAN_TEST_CONTROLS=true'];
  const without = await folder.serve(['--store', 'memory:'], left);
  expect(without.firstLine).not.toHaveProperty('testToken');
  expect(without.firstLine).not.toHaveProperty('testControls');
  expect(without.messages()).not.toContain('TEST CONTROLS');
  await expect(connectTicketscan(without.url, { testToken: 'x' })).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/--test-controls/),
  });
  const server = await folder.serve(['--store', 'memory:', '--test-controls'], left);
  expect(tokenOf(server)).not.toBe('x'.repeat(22));
  for (const setting of [{ testControls: true }, { testToken: 'x'.repeat(22) }]) {
    writeFileSync(join(folder.path, 'ticketscan.config.json'), JSON.stringify(setting));
    expect(await folder.run(['serve', '--store', 'memory:', '--port', '0'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/a setting "test\w+" that does not exist/),
    });
  }
});

test('on a store on the disk the clock and faults work, going back is refused', async () => {
  const folder = aFolder();
  const target = targetOf(await folder.json(['seed', '--count', '1']));
  const server = await folder.serve(['--test-controls']);
  await expect.poll(server.messages, PATIENTLY).toMatch(/need --store memory:/);
  await using service = await connectTicketscan(server.url, { testToken: tokenOf(server) });
  expect(() => service.keys).toThrow(/has no sample/);
  for (const refused of [service.reset(), service.snapshot()]) {
    await expect(refused).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/memory:/),
    });
  }
  await service.setClock('2099-01-01T00:00:00Z');
  const late = await consume(
    server.url,
    target.keys['rest'] ?? '',
    target.tickets['windowed']?.[0] ?? '',
  );
  expect(late).toMatchObject({ reason: 'expired' });
  const [seen] = await service.requests();
  expect(seen?.explanation).toMatchObject({ answer: 'rejected', reason: 'expired' });
  expect(await server.stop()).toBe(0);
});

test.each([
  [['--host', '0.0.0.0', '--tls-self-signed'], /other machines can reach 0\.0\.0\.0/],
  [['--tls-elsewhere'], /cannot be combined.*--test-controls-token/],
])('--test-controls with %j is refused', async (args, message) => {
  const folder = aFolder();
  const all = ['serve', '--store', 'memory:', '--port', '0', '--test-controls', ...args];
  const { code, err, out } = await folder.run(all);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(message);
});

const GIVEN = 'given-0123456789abcdefghij';
const OTHERS = ['--store', 'memory:', '--host', '0.0.0.0', '--tls-elsewhere'];

test('with --test-controls-token other machines control the service, and the token is not printed', async () => {
  const folder = aFolder();
  const given = ['--test-controls-token', 'env:TOKEN'];
  const server = await folder.serve([...OTHERS, ...given], ['env', `TOKEN=${GIVEN}`]);
  expect(server.firstLine).toMatchObject({ testControls: true });
  expect(server.firstLine).not.toHaveProperty('testToken');
  // A name that is not this machine's own, as one container calls another.
  const ask = (headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { headers: { host: 'ticketscan:8080', ...headers } };
      const sent = requestHttp(`${server.url}/_test/clock`, options, (answer) =>
        resolve(answer.resume().statusCode),
      );
      sent.on('error', reject).end();
    });
  const token = { 'x-test-token': GIVEN };
  expect(await ask(token)).toBe(200);
  expect(await ask({})).toBe(404);
  expect(await ask({ 'x-test-token': `${GIVEN}x` })).toBe(404);
  expect(await ask({ ...token, origin: 'https://evil.example' })).toBe(403);
  expect(await ask({ ...token, 'sec-fetch-site': 'cross-site' })).toBe(403);
  await expect.poll(server.messages, PATIENTLY).toMatch(/TEST CONTROLS ARE ON/);
  expect(await server.stop()).toBe(0);
  expect(server.messages()).not.toContain(GIVEN);
});

test.each([
  [[], GIVEN, /TICKETSCAN_TEST_CONTROLS_TOKEN lets clients .* needs --store memory:/],
  [['--store', 'memory:'], 'short', /at least 22 letters/],
  [['--store', 'memory:', '--test-controls-token', 'env:NONE'], '', /NONE is not set/],
])('a given token is refused with %j and %j', async (args, token, message) => {
  const folder = aFolder();
  const environment = { TICKETSCAN_TEST_CONTROLS_TOKEN: token };
  const { code, err, out } = await folder.run(['serve', '--port', '0', ...args], environment);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(message);
  expect(err).not.toContain(GIVEN);
});

test('a server of another kind that answers everything is told apart', async () => {
  const other = createServer((_request, response) => response.end('<html>Welcome')).listen(0);
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(
    connectTicketscan(`http://127.0.0.1:${port}/`, { testToken: 'x' }),
  ).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(
      /:\d+\/_test has no test controls for this token: start the server with --test/,
    ),
  });
});

test('a server that is not there is told apart', async () => {
  await expect(connectTicketscan('http://127.0.0.1:1', { testToken: 'x' })).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/cannot be reached/),
  });
});
