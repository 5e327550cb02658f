import { describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { TestService } from '../support/service.ts';

const DENIAL = '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Ungültiges Ticket"}';
const UNKNOWN = [
  '/scan/hw/',
  '/scan/hw/consume/',
  '/scan/hw/heartbeat/',
  '/scan/hw/x/y',
  '/scan/hw//consume',
  '/scan/hw/%zz',
];
const KNOWN = ['/scan/hw/consume', '/scan/hw/validate', '/scan/hw/heartbeat'];

interface WireAnswer {
  readonly status: number;
  readonly allow: string | null;
  readonly text: string;
}

/** The answers on a connection, in order. */
async function answersTo(service: TestService, request: string): Promise<WireAnswer[]> {
  const bytes = Buffer.from(await rawExchange(service.url, request), 'latin1');
  const answers: WireAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    const head = bytes.toString('latin1', at, end);
    const headerOf = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? null;
    const next = end + 4 + Number(headerOf('content-length'));
    const text = bytes.toString('utf8', end + 4, next);
    answers.push({ status: Number(head.split(' ')[1]), allow: headerOf('allow'), text });
    at = next;
  }
  return answers;
}

const denial = (status: number, allow: string | null = null) => ({ status, allow, text: DENIAL });
const plain = (status: number, message: string) => ({
  status,
  allow: null,
  text: JSON.stringify({ message }),
});

describe.concurrent.each([
  ['as they are', false],
  ['always 200', true],
] as const)('on the paths of devices, with statuses %s', (_name, hardwareAlways200) => {
  const start = () =>
    TestService.start({ hardwareAlways200, requestTimeoutMs: 300, headersTimeoutMs: 300 });
  const status = (one: number) => (hardwareAlways200 ? 200 : one);

  test('an unknown path is a denial', async () => {
    await using service = await start();
    for (const path of UNKNOWN) {
      for (const method of ['POST', 'GET', 'PUT']) {
        const request = `${method} ${path}?key=${service.key('hardware')} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`;
        expect(await answersTo(service, request), `${method} ${path}`).toEqual([
          denial(status(404)),
        ]);
      }
    }
  });

  test('another method is a denial with Allow', async () => {
    await using service = await start();
    for (const path of KNOWN) {
      for (const method of ['GET', 'PUT', 'OPTIONS', 'DELETE']) {
        const request = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
        expect(await answersTo(service, request)).toEqual([denial(status(405), 'POST')]);
      }
      const head = await fetch(`${service.url}${path}`, { method: 'HEAD' });
      expect([head.status, head.headers.get('allow')]).toEqual([status(405), 'POST']);
    }
  });

  test('a body that does not come in time is a denial', async () => {
    await using service = await start();
    const request = 'POST /scan/hw/consume HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"Ca';
    expect(await answersTo(service, request)).toEqual([denial(status(408))]);
  });

  test('a head that is too large or broken is a denial', async () => {
    await using service = await start();
    const head = 'POST /scan/hw/consume?key=x HTTP/1.1\r\nhost: x\r\n';
    expect(await answersTo(service, `${head}x-a: ${'x'.repeat(20_000)}\r\n\r\n`)).toEqual([
      denial(status(431)),
    ]);
    expect(await answersTo(service, `${head}bad header: x\r\n\r\n`)).toEqual([denial(status(400))]);
  });

  test('in a row with good requests each gets its own answer', async () => {
    await using service = await start();
    const body = JSON.stringify({ Card: btoa(await service.mint()), Reader: 0 });
    const head = (path: string, length: number) =>
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`;
    const consume = `/scan/hw/consume?key=${service.key('hardware')}`;
    const good = head(consume, body.length) + body;
    const granted = expect.objectContaining({ status: 200, text: expect.stringMatching(/"1"/) });
    const exhausted = expect.objectContaining({ text: expect.stringContaining('erschöpft') });
    const misses = head('/scan/hw/consume/', 2);

    const answers = await answersTo(
      service,
      `${good}${misses}{}GET /scan/hw/consume HTTP/1.1\r\nhost: x\r\n\r\n${good}${head(consume, 9)}{`,
    );
    const tooLarge = await answersTo(service, `${good}${consumeHead(20_000)}`);

    expect(answers).toEqual([
      granted,
      denial(status(404)),
      denial(status(405), 'POST'),
      exhausted,
      denial(status(408)),
    ]);
    expect(tooLarge).toEqual([exhausted, denial(status(431))]);
  });

  test('what comes before the path is known is told plainly, also behind a device’s request', async () => {
    await using service = await start();
    const good = `POST /scan/hw/heartbeat?key=${service.key('hardware')} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`;
    const [, garbage] = await answersTo(service, `${good}\0\0\0\0`);
    const [silence] = await answersTo(service, 'POST /scan');
    expect(garbage).toEqual(plain(400, 'Bad Request'));
    expect(silence).toEqual(plain(408, 'Request Timeout'));
  });

  test('paths of software keep the plain answers', async () => {
    await using service = await start();
    const answer = (request: string) => answersTo(service, request);
    const close = 'host: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
    expect(await answer(`POST /scan/hw HTTP/1.1\r\n${close}`)).toEqual([plain(404, 'Not Found')]);
    expect(await answer(`POST /scan/consume/ HTTP/1.1\r\n${close}`)).toEqual([
      plain(404, 'Not Found'),
    ]);
    expect(await answer(`GET /scan/consume HTTP/1.1\r\n${close}`)).toEqual([
      { ...plain(405, 'Method Not Allowed'), allow: 'POST' },
    ]);
    expect(
      await answer('POST /scan/consume HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{'),
    ).toEqual([plain(408, 'Request Timeout')]);
  });
});

const consumeHead = (length: number) =>
  `POST /scan/hw/consume?key=x HTTP/1.1\r\nhost: x\r\nx-a: ${'x'.repeat(length)}\r\n\r\n`;

test('a broken body elsewhere is answered once, behind the answers before it', async () => {
  await using service = await TestService.start();
  const body = JSON.stringify({ ticketCode: await service.mint() });
  const good = `POST /scan/consume HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.key('rest')}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  for (const path of ['/admin/v1/session', '/nowhere', '/scan/consume/']) {
    const broken = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}`;
    const [first, second, ...more] = await answersTo(service, `${good}${broken}`);
    expect(first?.text).toContain('"status":');
    expect([400, 404]).toContain(second?.status);
    expect(more).toEqual([]);
  }
  const { status, headers } = await fetch(`${service.url}/healthz`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(await answersTo(service, 'GET /healthz HTTP/1.1\r\n\r\n')).toEqual([
    plain(400, 'Bad Request'),
  ]);
});
