import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ store: 'memory' });
});
afterAll(() => service[Symbol.asyncDispose]());

const METHODS = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY'.split(' ');
const TYPES = [
  ...['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'nonsense', ''],
];
const TAKE_BODIES = ['POST', 'PATCH'];
const BODIES = [
  ...['', '{', '{"__proto__":1}', '{"constructor":{"prototype":{}}}', 'null', '[', '\u0000', '"x"'],
];
/** A body longer than what the framework reads. */
const LONG_BODY = 'x'.repeat(1024 * 1024 + 1);

const UNKNOWN_PATHS = [
  ...['/nope', '/nope/', '//', '/healthz/x', '/assets/', '/assets', '/assets/../x', '/?x=%'],
  ...['/assets/..%2fx', '/assets/..%5cx', '/assets/..%5c..%5cpackage.json', '/assets/%00'],
  ...['/assets/%ff', '/assets/%', '/assets//etc/passwd', '/assets/constructor', '/__proto__'],
  ...['/assets/__proto__', '/tickets/a/b', '/tickets/%', '/admin', '/admin/v1', '/admin/v1/nope'],
  ...['/admin/v1/%00', '/scan/nope', '/openapi.json/'],
];

const typeLine = (type = '') => (type === '' ? '' : `Content-Type: ${type}\r\n`);

async function send(method: string, path: string, headers: string, body: string): Promise<string> {
  const length = body === '' && method === 'GET' ? '' : `Content-Length: ${body.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}${length}\r\n`;
  return rawExchange(service.url, head + body);
}

const statusOf = (answer: string) => Number(answer.slice(9, 12));
/** Lines that tell of somebody who was refused are wanted; everything else of that weight would be an alarm on demand. */
const REFUSAL = /"msg":"(?:a request .* was refused|a sign-in failed)"/;
const errorLines = () =>
  service.logs.split('\n').filter((line) => /"level":[45]0/.test(line) && !REFUSAL.test(line));

describe('without a key or an account no request gets a 5xx or writes an error line', () => {
  test('whatever method, path, content type and body it has', async () => {
    const known = service.routes.map((route) => route.split(' ')[1] ?? '');
    const paths = [...UNKNOWN_PATHS, ...known.map((path) => path.replace(/:\w+|\*/g, 'a%2fb'))];
    // A route gets every body; where there is none, a body is not read.
    const routes = new Set(service.routes.map((route) => route.replace(/:\w+|\*/g, 'a%2fb')));
    const bodiesOf = (method: string, path: string, index: number) =>
      routes.has(`${method} ${path}`) && TAKE_BODIES.includes(method)
        ? BODIES
        : [BODIES[index % BODIES.length] ?? ''];
    const requests = paths
      .filter((path) => !path.includes('/live'))
      .flatMap((path) => METHODS.map((method) => ({ method, path })))
      .flatMap((one, index) =>
        bodiesOf(one.method, one.path, index).map((body) => ({ ...one, body })),
      );
    const failures: string[] = [];
    for (const [index, { method, path, body }] of requests.entries()) {
      const answer = await send(method, path, typeLine(TYPES[index % TYPES.length]), body);
      if (!(statusOf(answer) < 500)) failures.push(`${method} ${path} ${body}: ${answer}`);
    }
    expect(failures).toEqual([]);
    expect(errorLines()).toEqual([]);
  });

  test.each(TYPES)(
    'a path that does not exist is a 404 before anything else, with content type "%s"',
    async (type) => {
      for (const path of UNKNOWN_PATHS.filter((one) => !one.startsWith('/?'))) {
        for (const body of [...BODIES, LONG_BODY]) {
          const answer = await send('POST', path, typeLine(type), body);
          expect([path, statusOf(answer)]).toEqual([path, 404]);
          // The administration names the reason, also of its pages' files.
          expect(answer).toMatch(/\{"message":"Not Found"(,"code":"not_found")?\}$/);
          if (path !== '/nope' && path !== '/admin/v1/nope') break;
        }
      }
      expect(errorLines()).toEqual([]);
    },
  );

  test.each([
    ['Cookie', '__Host-ticketscan=%ZZ; =; ;;'],
    ['Cookie', `__Host-ticketscan=${'a'.repeat(8000)}`],
    ['Authorization', 'Bearer'],
    ['Authorization', `Bearer ${' '.repeat(8000)}x`],
    ['Origin', 'http://['],
    ['Sec-Fetch-Site', '\u00ff'],
    ['Accept-Encoding', `${'gzip;q=x,'.repeat(900)}`],
    ['If-None-Match', '"'],
    ['Range', 'bytes=9-1'],
    ['Last-Event-ID', '9e99'],
    ['Content-Encoding', 'gzip'],
    ['Expect', 'something'],
    ['Transfer-Encoding', 'gzip, chunked'],
  ])('with an odd header %s', async (name, value) => {
    for (const path of [
      '/',
      '/admin/v1/keys',
      '/admin/v1/sessions/current',
      '/assets/x.js',
      '/readyz',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await send(method, path, `${name}: ${value}\r\n`, '');
        expect([method, path, statusOf(answer)]).not.toEqual([
          method,
          path,
          expect.toSatisfy((status: number) => status >= 500),
        ]);
      }
    }
    expect(errorLines()).toEqual([]);
  });
});

describe('the request target', () => {
  test('names the host that counts, whatever the Host header says', async () => {
    const signIn = (target: string, origin: string) =>
      send(
        'POST',
        target,
        `Origin: ${origin}\r\nContent-Type: application/json\r\n`,
        '{"name":"x","password":"y"}',
      );
    const target = 'http://gate.example/admin/v1/sessions';
    expect(statusOf(await signIn(target, 'http://gate.example'))).toBe(401);
    expect(statusOf(await signIn(target, 'http://x'))).toBe(403);
  });
});

test('two Host headers are refused (RFC 9112, section 3.2)', async () => {
  for (const path of ['/healthz', '/nope']) {
    const answer = await send('POST', path, 'hOST: x\r\n', '');
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*\{"message":"Bad Request"\}$/s);
  }
  // The key is asked before anything else is told.
  expect(await send('POST', '/scan/validate', 'hOST: x\r\n', '')).toMatch(/^HTTP\/1\.1 401 /);
});
