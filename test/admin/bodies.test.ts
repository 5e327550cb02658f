import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { AdminClient } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const STRANGERS_MAX = 4 * 1024;
const OTHERS_MAX = 64 * 1024;
const UPLOADS = /^POST \/tickets\/(import|from-list)$|^PATCH \/organisation(\/sheets)?$/;

const at = sharedService({ store: 'sqlite' });

/** Every route that reads a body. */
function routes(): [method: string, path: string][] {
  return at.service.routes
    .map((route) => /^(POST|PATCH|PUT|DELETE) \/admin\/v1(.*)$/.exec(route))
    .flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as [string, string]] : []));
}

/** The head of a request, and a body that says another length than it has, or none. */
function sent(method: string, path: string, headers: string[], body: string): string {
  const lines = [
    `${method} /admin/v1${path.replace(/:\w+/, '1')} HTTP/1.1`,
    `host: ${new URL(at.service.url).host}`,
  ];
  return [...lines, 'content-type: application/json', ...headers, '', body].join('\r\n');
}

const chunked = (bytes: number) => `${bytes.toString(16)}\r\n"${'x'.repeat(bytes - 1)}\r\n`;

describe('a stranger', () => {
  test.each([
    ['announces', (bytes: number) => [[`content-length: ${bytes}`], '"x'] as const],
    [
      'sends in chunks',
      (bytes: number) => [['transfer-encoding: chunked'], chunked(bytes)] as const,
    ],
  ])('who %s a longer body is answered on every route, before it is read', async (_how, made) => {
    for (const [method, path] of [...routes(), ['POST', '/none'] as const]) {
      const [headers, body] = made(STRANGERS_MAX + 1);
      const answer = await rawExchange(
        at.service.url,
        sent(method, path, [`origin: ${at.service.url}`, 'connection: close', ...headers], body),
      );
      expect(answer, `${method} ${path}`).toMatch(/^HTTP\/1\.1 (401|404|413) /);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), path).toHaveProperty('message');
    }
  });

  test('is told how much a sign-in may have', async () => {
    const answer = await new AdminClient(at.service.url).post('/sessions', {
      name: 'a',
      password: 'x'.repeat(5000),
    });
    expect(answer.status).toBe(413);
    expect(answer.json.message).toContain('4096 bytes');
    const most = { name: 'n'.repeat(200), password: 'ü'.repeat(200) };
    expect((await new AdminClient(at.service.url).post('/sessions', most)).status).toBe(401);
  });
});

test('somebody who is signed in may send 64 KiB on every route but those of uploads', async () => {
  for (const [method, path] of routes()) {
    if (UPLOADS.test(`${method} ${path}`) || path.includes('sessions')) continue;
    // No person may call them: they are refused before their body is read.
    if (path.startsWith('/site/')) continue;
    const identity = [
      `cookie: ${at.owner.cookie}`,
      `origin: ${at.service.url}`,
      'connection: close',
    ];
    const headers = [...identity, 'transfer-encoding: chunked'];
    const text = sent(method, path, headers, chunked(OTHERS_MAX + 1));
    const answer = await rawExchange(at.service.url, text);
    expect(answer, `${method} ${path}`).toMatch(/^HTTP\/1\.1 413 /);
  }
});

test('60 sign-ins of a megabyte are refused before they are complete, so that none is parsed', async () => {
  const objects = Array.from({ length: 80_000 }, (_, index) => `{"${index}":0}`).join(',');
  const body = `{"name":"a","password":"b","x":[${objects}]}`;
  const head = sent('POST', '/sessions', [`content-length: ${body.length}`], '');
  const { hostname, port } = new URL(at.service.url);
  const answers = Array.from({ length: 60 }, async () => {
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(head + body.slice(0, -1));
    const [answer] = await once(socket, 'data');
    socket.destroy();
    return String(answer).split('\r\n', 1)[0];
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 413 Payload Too Large']));
});
