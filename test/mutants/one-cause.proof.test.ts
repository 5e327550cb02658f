import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CheckResult, check, exitCodeOf, renderReport } from '../../src/check/index.ts';
import { Random } from '../../src/kit/random.ts';
import { type Losses, lossyLine } from './lossy-line.ts';
import type { Reply } from './reference/parts.ts';
import { type ServerOptions, startServer } from './reference/server.ts';
import { slowLine } from './slow-line.ts';
import { TWINS } from './twins/index.ts';
import type { Twin } from './twins/twin.ts';

const LINES_MAX = 60;
const twin = (name: string) => TWINS.find((one) => one.name === name) as Twin;
const RACE = twin('race-window');
const AT_DEVICES = twin('race-window-at-devices');

/** Sends every body changed as a text or as bytes. */
const written = (change: (text: string) => string | Buffer): ServerOptions => ({
  write(response: ServerResponse, { status, headers, body }: Reply) {
    const bytes = Buffer.from(change(typeof body === 'string' ? body : JSON.stringify(body)));
    response.writeHead(status, { ...headers, 'content-length': bytes.length }).end(bytes);
  },
});

async function checked(
  options: ServerOptions,
  change: (server: Awaited<ReturnType<typeof startServer>>) => object = () => ({}),
): Promise<CheckResult> {
  const server = await startServer(options);
  onTestFinished(server.close);
  const { baseUrl, target } = server;
  return check({ baseUrl, target, consume: true, maxRate: 5000, ...change(server) });
}

/** One fault, and the findings that a person reads; each was 18 to 359 failures when every case spoke for itself. */
const FAULTS: readonly (readonly [
  what: string,
  options: ServerOptions,
  findings: readonly RegExp[],
])[] = [
  [
    'drops the connection on a body that is not JSON',
    {
      alter: (parts) => ({
        readCode(incoming, action) {
          try {
            JSON.parse(incoming.body.toString());
          } catch {
            (incoming.request as IncomingMessage).socket.destroy();
          }
          return parts.readCode(incoming, action);
        },
      }),
    },
    [/^7\.1\/bad-body@validate,consume: none, however often it was sent/],
  ],
  [
    'answers in Latin-1',
    written((text) => Buffer.from(text, 'latin1')),
    [/^2\.4\/device-format@.*not UTF-8/, /^1\/json-responses@.*not UTF-8/],
  ],
  [
    'begins every answer with a byte-order mark',
    written((text) => `\ufeff${text}`),
    [/^1\/json-responses@.*byte-order mark/, /^2\.4\/device-format@.*byte-order mark/],
  ],
  [
    'tells the counters of before the use',
    {
      alter: (parts) => ({
        restBody(outcome, action) {
          const body = parts.restBody(outcome, action) as Record<string, number | string>;
          if (outcome.status !== 'consumed') return body;
          return {
            ...body,
            usesConsumed: Number(body['usesConsumed']) - 1,
            usesRemaining: Number(body['usesRemaining']) + 1,
          };
        },
      }),
    },
    [/@consume: .*usesConsumed: 0/],
  ],
  [
    'has no consume endpoint',
    {
      only: 'consume',
      alter: () => ({
        finish: () => ({ status: 404, headers: {}, body: { message: 'Not Found' } }),
      }),
    },
    [/^4\/good-ticket@consume: /],
  ],
  [
    'lets two in at once at its devices, with a Note that is too long',
    {
      alter: (parts, world) => ({
        ...AT_DEVICES.alter?.(parts, world),
        deviceBody(outcome, action) {
          const body = parts.deviceBody(outcome, action) as Record<string, string>;
          return { ...body, Note: `${body['Note']} and much more than a display can show` };
        },
      }),
    },
    [/^3\.2\/race@hw/, /^2\.4\/note-bytes@hw/],
  ],
  ['lets two in at once', RACE.alter ? { alter: RACE.alter } : {}, [/^3\.2\/race@/]],
];

describe('one finding for a server that', { timeout: 120_000 }, () => {
  test.each(FAULTS)('%s', async (_, options, expected) => {
    const result = await checked(options);
    const seen = result.findings.map(
      ({ id, endpoints, observed }) => `${id}@${endpoints.join(',')}: ${observed}`,
    );
    expect(seen).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    expect(exitCodeOf(result)).toBe(1);
    const findings = renderReport('pretty', result, { brief: true });
    expect(findings.split('\n').length).toBeLessThanOrEqual(LINES_MAX * expected.length);
  });
});

describe('the probes stop before the first case where', { timeout: 60_000 }, () => {
  const stopped = async (observed: RegExp, change: Parameters<typeof checked>[1]) => {
    const result = await checked({}, change);
    expect(result.preflight?.observed).toMatch(observed);
    expect(result.cases).toEqual([]);
    expect(exitCodeOf(result)).toBe(2);
  };

  test('all keys are those of another run', () =>
    stopped(/every request with a key.*401/i, ({ target }) => {
      const keys = Object.entries(target.keys).map(([name, key]) => [name, `${key}x`]);
      return { target: { ...target, keys: Object.fromEntries(keys) } };
    }));

  test('the base path is wrong', () =>
    stopped(/answers HTTP 404/, ({ baseUrl }) => ({ baseUrl: `${baseUrl}/gate` })));

  test('one key of the target is mistyped: its own finding, and the run goes on', async () => {
    const result = await checked({}, ({ target }) => ({
      target: { ...target, keys: { ...target.keys, restScoped: 'mistyped' } },
    }));
    expect(result.findings.map(({ id, cause }) => [id, cause])).toEqual([
      [
        '5/own-event',
        expect.stringContaining('The key "restScoped" of the target file is refused'),
      ],
    ]);
    expect(result.totals.passed).toBeGreaterThan(80);
  });

  test('the service answers 503 to everything', async () => {
    const down = checked({
      alter: () => ({ finish: () => ({ status: 503, headers: {}, body: 'down' }) }),
    });
    await expect(down).rejects.toThrow('answers every request with HTTP 503');
  });

  test('another service answers', async () => {
    const page = http.createServer((_, response) => response.end('<!doctype html><h1>Hello</h1>'));
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void page.close());
    const { port } = page.address() as AddressInfo;
    await stopped(/something else than JSON/, () => ({ baseUrl: `http://127.0.0.1:${port}` }));
  });
});

describe('a right server is accused of nothing over a line that', { timeout: 120_000 }, () => {
  const over = async (losses: Omit<Losses, 'random'>, seed: number) => {
    const server = await startServer();
    const random = new Random(seed);
    const line = await lossyLine(server.baseUrl, { ...losses, random: () => random.next() });
    onTestFinished(async () => {
      line.close();
      await server.close();
    });
    const { target } = server;
    return check({ baseUrl: line.baseUrl, target, consume: true, maxRate: 5000 });
  };

  test.each([
    ['drops 1 request in 40', { dropped: 40 }],
    ['drops 1 request in 10', { dropped: 10 }],
    ['cuts 1 answer in 10', { cut: 10 }],
  ] as const)('%s', async (_, losses) => {
    for (const seed of [1, 2, 3]) {
      const result = await over(losses, seed);
      expect(result.findings).toEqual([]);
      expect(result.verdict).toBe('incomplete');
      expect(result.totals.unanswered).toBeGreaterThan(0);
      expect(exitCodeOf(result)).toBe(3);
      expect(exitCodeOf(result, ['unanswered'])).toBe(1);
    }
  });

  test('takes 200 ms', async () => {
    const server = await startServer();
    const line = await slowLine(server.baseUrl, () => 100);
    onTestFinished(async () => {
      line.close();
      await server.close();
    });
    const { target } = server;
    const result = await check({ baseUrl: line.baseUrl, target, consume: true, maxRate: 5000 });
    expect([result.verdict, result.findings]).toEqual(['conforms', []]);
  });
});
