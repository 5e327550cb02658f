import { expect, onTestFinished, test } from 'vitest';
import { check, REPORT_FORMATS, renderReport } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from '../mutants/reference/server.ts';
import { runCommand } from './support/run-command.ts';

async function startedServer(options: ServerOptions) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  return server;
}

test('without consent nothing can be spent: what goes to consume is made of tickets that are used up, expired, cancelled or unknown', async () => {
  const bodies: { path: string; body: string; key: string | null }[] = [];
  const server = await startedServer({
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
  expect(result).toMatchObject({ usesGranted: 0, verdict: 'incomplete', totals: { failed: 0 } });
  expect(result.ownFaults).toBeUndefined();
});

test('without consent nothing is spent on a server that verifies no signature and needs no key, and it is caught', async () => {
  const server = await startedServer({
    alter: (parts, world) => ({
      verify: (code) => code.split('.')[1],
      acceptKey: (value, side, action) =>
        parts.acceptKey(value, side, action) ??
        [...world.keys.values()].find(
          ({ type }) => type === (side === 'rest' ? 'rest' : 'hardware'),
        ),
    }),
  });
  const before = JSON.stringify([...server.world.tickets]);
  const { baseUrl, target } = server;
  const skip = ['3.2/refusal-stays'];
  const { cases, verdict } = await check({ baseUrl, target, maxRate: 5000, skip });
  const failedAt = (id: string) => cases.find((one) => one.id === id)?.failedEndpoints;
  const consumes = expect.arrayContaining(['consume', 'hw/consume']);
  expect([failedAt('2.2/forged-code'), failedAt('5/refused-key')]).toEqual([consumes, consumes]);
  expect(verdict).toBe('deviates');
  expect(JSON.stringify([...server.world.tickets])).toBe(before);
});

test('a server that echoes keys in every way gets none of them into a report', async () => {
  const server = await startedServer({
    alter: (parts) => ({
      finish(reply, incoming) {
        const { headers } = incoming.request;
        const key = String(headers['x-api-key'] ?? incoming.query.get('key') ?? '');
        const body = {
          valid: 'echo',
          key,
          loud: key.toUpperCase(),
          encoded: Buffer.from(key).toString('base64'),
          hexadecimal: Buffer.from(key).toString('hex'),
          url: incoming.request.url,
          bearer: headers.authorization,
        };
        // a header has no control characters: Node would not send it
        const shown = key.replace(/[^\x20-\x7e]/g, ' ');
        const echoed = { 'x-echo': shown, 'content-type': 'application/json' };
        return { ...parts.finish(reply, incoming), headers: echoed, body };
      },
    }),
  });
  const { baseUrl, target } = server;
  const only = ['2.3', '4', '5'];
  const result = await check({ baseUrl, target, consume: true, maxRate: 5000, only });
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
  expect([code, stderr]).toEqual([2, expect.stringContaining('--insecure-http')]);
});
