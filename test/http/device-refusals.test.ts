import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawExchange } from '../support/raw-http.ts';
import { TestService } from '../support/service.ts';
import { RawConnection } from './support/raw-connection.ts';
import { WireService } from './support/wire-service.ts';
import { CONTRACT } from './wire/contract.ts';
import type { Latin1 } from './wire/row.ts';

const DENIAL = '{"AcsRes":"0","ActIndex":"0","Time":"0","Note":"Ungültiges Ticket"}';
const HEAD = 'POST /scan/hw/consume?key=x HTTP/1.1\r\nhost: x\r\n';

interface WireAnswer {
  readonly status: number;
  readonly allow: string | null;
  readonly text: string;
}

/** The answers on a connection, in order. */
async function answersTo({ url }: { url: string }, request: string): Promise<WireAnswer[]> {
  const bytes = Buffer.from(await rawExchange(url, request), 'latin1');
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

const plain = (status: number, message: string) => ({
  status,
  allow: null,
  text: JSON.stringify({ message }),
});

test('under the setting for controllers that ignore anything but 200, each answer on the paths of devices is the same with 200', async () => {
  await using usual = await WireService.start({ timeoutMs: 300 });
  await using always = await WireService.start({
    timeoutMs: 300,
    store: usual.store,
    hardwareAlways200: true,
  });
  const answer = async (port: number, bytes: Latin1) => {
    const connection = await RawConnection.open(port);
    const got = await connection.exchange(Buffer.from(bytes, 'latin1'), bytes.startsWith('HEAD '));
    connection.close();
    return got && { ...got, headers: got.headers.get('allow') };
  };
  const { paths = [], keys = [], framing = [] } = CONTRACT;
  const onDevicePaths = [...paths, ...keys, ...framing]
    .map(({ bytes }) => bytes)
    .filter((bytes) => /^[A-Z]+ \/scan\/hw\//.test(bytes))
    .concat(`${HEAD}content-length: 9\r\n\r\n{"Ca`);
  expect(onDevicePaths.length).toBeGreaterThan(100);
  for (const bytes of onDevicePaths) {
    const expected = await answer(usual.port, bytes);
    expect(await answer(always.port, bytes), bytes.slice(0, 200)).toEqual({
      ...expected,
      status: 200,
    });
  }
});

describe('on one connection', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start({ requestTimeoutMs: 300, headersTimeoutMs: 300 });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const denial = (status: number, allow: string | null = null) => ({ status, allow, text: DENIAL });

  test('in a row with good requests each gets its own answer', async () => {
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
    const tooLarge = await answersTo(service, `${good}${HEAD}x-a: ${'x'.repeat(20_000)}\r\n\r\n`);

    expect(answers).toEqual([granted, denial(404), denial(405, 'POST'), exhausted, denial(408)]);
    expect(tooLarge).toEqual([exhausted, denial(431)]);
  });

  test('what comes before the path is known is told plainly, also behind a device’s request', async () => {
    const good = `POST /scan/hw/heartbeat?key=${service.key('hardware')} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`;
    const [, garbage] = await answersTo(service, `${good}\0\0\0\0`);
    const [silence] = await answersTo(service, 'POST /scan');
    expect(garbage).toEqual(plain(400, 'Bad Request'));
    expect(silence).toEqual(plain(408, 'Request Timeout'));
  });

  test('a broken body elsewhere is answered once, behind the answers before it', async () => {
    const body = JSON.stringify({ ticketCode: await service.mint() });
    const good = `POST /scan/consume HTTP/1.1\r\nhost: x\r\nx-api-key: ${service.key('rest')}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    for (const path of ['/admin/v1/session', '/nowhere', '/scan/consume/']) {
      const broken = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}`;
      const [first, second, ...more] = await answersTo(service, `${good}${broken}`);
      expect(first?.text).toContain('"status":');
      expect([400, 404]).toContain(second?.status);
      expect(more).toEqual([]);
    }
    expect(await answersTo(service, 'GET /healthz HTTP/1.1\r\n\r\n')).toEqual([
      plain(400, 'Bad Request'),
    ]);
  });
});
