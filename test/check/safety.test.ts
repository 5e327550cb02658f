import { writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { check, REPORT_FORMATS, renderReport } from '../../src/check/index.ts';
import { startServer } from '../mutants/reference/server.ts';
import { jsonFile, temporaryFolder } from './support/files.ts';
import { runCommand } from './support/run-command.ts';

test('without consent nothing can be spent: what goes to consume is made of tickets that are used up, expired, cancelled or unknown', async () => {
  const bodies: { path: string; body: string; key: string | null }[] = [];
  const server = await startServer({
    alter: (parts) => ({
      finish(reply, incoming) {
        const key = incoming.path.includes('/hw/')
          ? incoming.query.get('key')
          : String(incoming.request.headers['x-api-key']);
        if (incoming.path.endsWith('/consume'))
          bodies.push({ path: incoming.path, body: incoming.body.toString(), key });
        return parts.finish(reply, incoming);
      },
    }),
  });
  onTestFinished(() => server.close());
  const before = JSON.stringify([...server.world.tickets]);
  const { baseUrl, target } = server;
  const result = await check({ baseUrl, target, maxRate: 5000 });

  const codeOf = (ticket: string | { code: string }) =>
    typeof ticket === 'string' ? ticket : ticket.code;
  const textsOf = (body: string) => [
    body,
    Buffer.from(/"Card":"([^"]*)"/.exec(body)?.[1] ?? '', 'base64').toString(),
  ];
  const spent = ['exhausted', 'expired', 'unknown', 'cancelled'];
  for (const [kind, tickets] of Object.entries(target.tickets)) {
    for (const code of tickets.map(codeOf)) {
      const made = bodies.filter(({ body }) =>
        textsOf(body).some((text) => text.includes(code.split('.')[1] ?? code)),
      );
      if (!spent.includes(kind)) expect(made, kind).toEqual([]);
      // an intact one goes there only with a key that must be refused
      const intact = made.filter(({ body }) =>
        textsOf(body).some((text) => text === code || text.includes(`"${code}"`)),
      );
      const { rest, restScoped, hardware, hardwareScoped } = target.keys;
      const isGood = (one: (typeof bodies)[number]) =>
        (one.path.includes('/hw/') ? [hardware, hardwareScoped] : [rest, restScoped]).includes(
          String(one.key),
        );
      expect(intact.filter(isGood)).toEqual([]);
    }
  }
  expect(bodies.length).toBeGreaterThan(80);
  expect(JSON.stringify([...server.world.tickets])).toBe(before);
  expect(result.usesGranted).toBe(0);
  expect(result.verdict).toBe('incomplete');
  expect(result.totals.failed).toBe(0);
  expect(result.ownFaults).toBeUndefined();
});

test.each([
  ['verifies no signature on consume', { verify: (code: string) => code.split('.')[1] }],
  ['needs no key on consume', { isOpen: true }],
] as const)(
  'without consent nothing is spent on a server that %s, and it is caught',
  async (_, fault) => {
    for (const only of ['consume', 'hw/consume'] as const) {
      const server = await startServer({
        only,
        alter: (parts, world) =>
          'verify' in fault
            ? { verify: fault.verify }
            : {
                acceptKey: (value, side, action) =>
                  parts.acceptKey(value, side, action) ??
                  [...world.keys.values()].find(
                    ({ type }) => type === (side === 'rest' ? 'rest' : 'hardware'),
                  ),
              },
      });
      onTestFinished(() => server.close());
      const before = JSON.stringify([...server.world.tickets]);
      const { baseUrl, target } = server;
      const result = await check({ baseUrl, target, maxRate: 5000 });
      expect(result.cases.flatMap(({ failedEndpoints }) => failedEndpoints)).toContain(only);
      expect(result.verdict).toBe('deviates');
      expect(JSON.stringify([...server.world.tickets])).toBe(before);
    }
  },
);

test('a look after a complete run finds unused tickets, and a run without any says what is wrong', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const { baseUrl, target } = server;
  const enough = { baseUrl, target, maxRate: 5000 };
  expect((await check({ ...enough, consume: true })).verdict).toBe('conforms');
  expect((await check(enough)).totals.failed).toBe(0);
  for (const ticket of server.world.tickets.values())
    if (ticket.type === 'single') ticket.usesConsumed = 1;
  const again = await check({ ...enough, consume: true });
  expect(again.verdict).toBe('incomplete');
  expect(again.notes.join()).toContain('Used up before this run: 40 of 40 single tickets');
});

test('no more is spent than was announced, and before the first request', async () => {
  const server = await startServer();
  onTestFinished(() => server.close());
  const unused = JSON.stringify([...server.world.tickets]);
  let announced = 0;
  let atAnnouncement = '';
  const { baseUrl, target } = server;
  const result = await check({
    baseUrl,
    target,
    consume: true,
    maxRate: 5000,
    onBudget(budget) {
      announced = budget.uses;
      atAnnouncement = JSON.stringify([...server.world.tickets]);
    },
  });
  expect(atAnnouncement).toBe(unused);
  expect(result.usesGranted).toBeGreaterThan(0);
  expect(result.usesGranted).toBeLessThanOrEqual(announced);
});

test('a server that echoes keys in every way gets none of them into a report', async () => {
  const server = await startServer({
    alter: (parts) => ({
      finish(reply, incoming) {
        const { headers } = incoming.request;
        const key = String(headers['x-api-key'] ?? incoming.query.get('key') ?? '');
        const echo = {
          valid: 'echo',
          key,
          loud: key.toUpperCase(),
          encoded: Buffer.from(key).toString('base64'),
          hexadecimal: Buffer.from(key).toString('hex'),
          url: incoming.request.url,
          bearer: headers.authorization,
        };
        return {
          ...parts.finish(reply, incoming),
          headers: { 'x-echo': key, 'content-type': 'application/json' },
          body: echo,
        };
      },
    }),
  });
  onTestFinished(() => server.close());
  const { baseUrl, target } = server;
  const result = await check({ baseUrl, target, consume: true, maxRate: 5000 });
  expect(result.totals.failed).toBeGreaterThan(5);
  const reports = REPORT_FORMATS.map((format) => renderReport(format, result).toLowerCase());
  for (const key of Object.values(target.keys)) {
    for (const secret of [
      key,
      key.slice(0, -1),
      Buffer.from(key).toString('base64').slice(0, -4),
      Buffer.from(key).toString('hex'),
    ]) {
      for (const report of reports) expect(report.includes(secret.toLowerCase())).toBe(false);
    }
  }
  const named = REPORT_FORMATS.filter((_, at) => /rest(_|&#95;)key/.test(reports[at] ?? ''));
  expect(named).toEqual(REPORT_FORMATS);
});

test('plain HTTP to another machine is refused before anything is sent', async () => {
  const { code, stderr } = await runCommand(['check', 'http://192.0.2.1:81', '--timeout', '200ms']);
  expect(code).toBe(2);
  expect(stderr).toContain('plain HTTP');
  expect(stderr).toContain('--insecure-http');
});

test('a certificate of one’s own is trusted when it is given', async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const plain = await startServer();
  const server = https.createServer({ key, cert }, (request, response) => {
    request.resume();
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"message":"Forbidden"}');
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await plain.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const ca = join(temporaryFolder(), 'ca.pem');
  writeFileSync(ca, cert);
  const only = ['--only', '7.2/body-of-401', '5/refused-key{no-key}@heartbeat'];

  const untrusted = await runCommand(['check', url, ...only]);
  expect(untrusted.code).toBe(3);
  expect(untrusted.stderr).toContain('--ca FILE');
  const trusted = await runCommand(['check', url, '--ca', ca, ...only]);
  expect(trusted.stdout).toContain('2 passed');
  expect(trusted.code).toBe(0);
});

test('keys in a target file that is no JSON are not printed', async () => {
  const path = jsonFile('');
  writeFileSync(path, '{"keys": {"rest": "tscn_api_SECRETSECRET" oops');
  const { code, stdout, stderr } = await runCommand([
    'check',
    'http://127.0.0.1:9',
    '--target',
    path,
  ]);
  expect(code).toBe(2);
  expect(stdout + stderr).not.toContain('SECRET');
});
