import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { KEYS } from '../support/fixed-world.ts';
import { WireService } from './support/wire-service.ts';
import { CONTRACT } from './wire/contract.ts';
import { CARD, CODE, GOOD, type Latin1, post, send } from './wire/row.ts';

/** Two servers on one store: one reads plain requests itself, the other has Node read all. */
let plain: WireService;
let node: WireService;
beforeAll(async () => {
  plain = await WireService.start({ reads: 'plain', timeoutMs: 1500 });
  node = await WireService.start({ reads: 'node', timeoutMs: 1500, store: plain.store });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

/** Sends the parts, each in a packet of its own, then says that there is no more. @returns all that comes back, without its time */
async function answerOf(port: number, parts: readonly Latin1[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined).on('end', () => socket.end());
  for (const [index, part] of parts.entries()) {
    if (index > 0) await sleep(3);
    socket.write(part, 'latin1');
  }
  socket.end();
  await closed;
  // What follows an answer that closes the connection is read by nobody.
  const [closing = answer] =
    /^[\s\S]*?\r\nconnection: close\r\n[\s\S]*?(?=HTTP\/1\.1 \d|$(?![\s\S]))/i.exec(answer) ?? [];
  return closing.replaceAll(/^Date: .*$/gim, 'Date: …');
}

async function expectAlike(parts: readonly Latin1[]): Promise<string> {
  const [own, nodes] = await Promise.all([answerOf(plain.port, parts), answerOf(node.port, parts)]);
  expect(own, JSON.stringify(parts).slice(0, 2000)).toBe(nodes);
  return own;
}

const GOOD_REQUEST = send('validate', GOOD);
/** Good, and not for the quick reading. */
/** Its head differs in the last digit alone. */
const SHORTER = send('validate', GOOD.slice(0, -1));
const UNUSUAL = GOOD_REQUEST.replace('\r\n', '\r\nX-Mine: 1\r\n');
const allBytes = Object.values(CONTRACT)
  .flat()
  .map(({ bytes }) => bytes);

/** What stands in a body alone is read by the same code; its answers are those of the contract in both readings. */
const IN_HEADS = Object.entries(CONTRACT).filter(
  ([group]) => !['bodies', 'codes', 'devices'].includes(group),
);

test.each(IN_HEADS)(
  '%s: each row is answered byte for byte as Node reads it, first on its connection or later',
  async (_group, rows) => {
    for (let at = 0; at < rows.length; at += 20) {
      await Promise.all(
        rows.slice(at, at + 20).map(async ({ bytes }) => {
          await expectAlike([bytes]);
          await expectAlike([GOOD_REQUEST, bytes]);
        }),
      );
    }
  },
);

/** Headers that are usual, or change how the request is read or answered. */
const HEADERS = [
  ...['Accept: */*', 'Accept-Language: de', 'User-Agent: x', 'Via: 1.1 a', 'X-Request-Id: a'],
  ...['Connection: close', 'connection: Keep-Alive', 'Connection: Upgrade', 'Upgrade: h2c'],
  ...['Expect: 100-continue', 'Expect: tea', 'Transfer-Encoding: chunked', 'Transfer-Encoding: x'],
  ...['Content-Length: 3', 'Content-Length: 060', 'Host: b', 'X-API-Key: b', 'Idempotency-Key: a'],
  ...[
    'X-Mine: 1',
    '__proto__: 1',
    'Accept : */*',
    'Accept: a\r\n b',
    ': x',
    'Accept',
    'Accept: \xe4',
  ],
  ...['Accept-Language: \t de \t ', 'Accept: a\nVia: b', 'Accept: a\rVia: b', 'Accept: a\0b'],
  ...[
    `User-Agent: ${'x'.repeat(9000)}`,
    `User-Agent: ${'x'.repeat(20_000)}`,
    'Proxy-Connection: close',
  ],
];
const BODIES = [
  ...[GOOD, '{"ticketCode":"x"}', '{"ticketCode":"\xc3\xa4"}', '{"ticketCode":"\xff"}', '{', ''],
  ...[`{"Card":"${CARD}","Serial":"7","Reader":"1"}`, `vgdecoderesult=${CODE}`, 'x'.repeat(8193)],
];
const FIRST_LINES = [
  ...['/scan/validate', `/scan/hw/validate?key=${KEYS.hw}`, `/scan/hw/heartbeat?key=${KEYS.hw}`],
  ...[
    '/scan/hw/nope',
    '/scan/nope',
    '/scan/validate?a=b',
    '/scan/validate#x',
    '/scan/hw/validate?key=1&key=2',
  ],
  ...['http://a/scan/validate', '/healthz'],
].flatMap((target) => [
  `POST ${target} HTTP/1.1`,
  `POST ${target} HTTP/1.0`,
  `PUT ${target} HTTP/1.1`,
]);

/** A head with its headers in any order and case, once or several times, and a body that fits its length or not. */
const composed = fc
  .record({
    first: fc.constantFrom(...FIRST_LINES),
    more: fc.array(fc.constantFrom(...HEADERS), { maxLength: 3 }),
    body: fc.constantFrom(...BODIES),
    key: fc.constantFrom(KEYS.api, KEYS.api, KEYS.apiScoped, KEYS.apiDeleted, ''),
    type: fc.constantFrom('application/json', 'application/json', 'text/plain'),
    length: fc.constantFrom(0, 0, 0, -1, 1, 400),
    order: fc.array(fc.nat(99), { minLength: 7, maxLength: 7 }),
    inCapitals: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  })
  .map(({ first, more, body, key, type, length, order, inCapitals }) => {
    const usual = [`x-api-key: ${key}`, `Content-Type: ${type}`, 'Host: gate'];
    const said = `Content-Length: ${Math.max(0, body.length + length)}`;
    const lines = [...usual, said, ...more]
      .map((line, at) => ({ line, at: order[at] ?? 0, big: inCapitals[at] }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ line, big }) => (big ? line.replace(/^[\w-]+/, (name) => name.toUpperCase()) : line));
    return `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`;
  });

/** A good request with bytes changed, removed or added. */
const LETTERS = '\r\n\t :/?&=-+,;"{}\\\0\x7f\x80\xffaZ019';
const damaged = fc
  .array(fc.tuple(fc.nat(400), fc.nat(2), fc.constantFrom('', ...LETTERS)), {
    minLength: 1,
    maxLength: 2,
  })
  .map((changes) =>
    changes.reduce((request, [at, removed, added]) => {
      const place = at % request.length;
      return request.slice(0, place) + added + request.slice(place + removed);
    }, GOOD_REQUEST),
  );

const request = fc.oneof(
  { weight: 3, arbitrary: composed },
  { weight: 2, arbitrary: damaged },
  { weight: 2, arbitrary: fc.constantFrom(...allBytes) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(GOOD_REQUEST, SHORTER, UNUSUAL, '\r\n', '\r', 'P', '\x16'),
  },
);

/** Requests behind one another in packets that part between them or anywhere, the last one perhaps cut. */
const conversation = fc
  .record({
    requests: fc.array(request, { minLength: 1, maxLength: 3 }),
    keeps: fc.constantFrom(1, 1, 1, 0.97, 0.5),
    parts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    isApart: fc.boolean(),
  })
  .map(({ requests, keeps, parts, isApart }) => {
    if (isApart) return requests;
    const text = requests.join('');
    const whole = text.slice(0, Math.ceil(text.length * keeps));
    const places = [
      0,
      ...parts.map((one) => Math.floor(one * whole.length)).toSorted((a, b) => a - b),
    ];
    return places.map((from, index) => whole.slice(from, places[index + 1])).filter(Boolean);
  });

test('whatever comes in whatever packets, both readings answer alike', async () => {
  const property = fc.asyncProperty(conversation, async (parts) => {
    await expectAlike(parts);
  });
  await fc.assert(property, { numRuns: 300 });
});

test('with bytes behind it and then the end, however long its answer takes, a good request gets its answer', async () => {
  const commit = plain.store.commitScans.bind(plain.store);
  const slow = vi.spyOn(plain.store, 'commitScans').mockImplementation(async (requests) => {
    await sleep(25);
    return commit(requests);
  });
  const rests: readonly (readonly [Latin1, refused: string])[] = [
    ...['P', GOOD_REQUEST.slice(0, 50), GOOD_REQUEST.slice(0, -5), 'hello\r\n\r\n', '\x16'].map(
      (text) => [text, ' 400'] as const,
    ),
    [send('hw-consume', '{').slice(0, 40), ' 400'],
    ['\r\n\r\n', ''],
    ['\r', ''],
  ];
  for (const [rest, refused] of rests) {
    const shapes = [GOOD_REQUEST, UNUSUAL, GOOD_REQUEST.repeat(2)].flatMap((good) => [
      [good + rest],
      [good, rest],
      [good.slice(0, -3), good.slice(-3), rest],
      [good + rest.slice(0, 1), rest.slice(1)],
    ]);
    const answers = await Promise.all(shapes.map(expectAlike));
    const statuses = answers.map((answer) => answer.match(/(?<=HTTP\/1\.1 )\d+/g)?.join(' '));
    const good = [...Array(8).fill('200'), ...Array(4).fill('200 200')];
    expect(statuses, rest).toEqual(good.map((status) => status + refused));
  }
  slow.mockRestore();
});

describe('a denial in the form of devices', () => {
  const head = 'POST /scan/hw/consume?key=x HTTP/1.1\r\nHost: x\r\n';
  const plainOfDevice = post(`/scan/hw/heartbeat?key=${KEYS.hw}`, [], '{}');

  test.each([
    ['broken', `${head}bad header: x\r\n\r\n`],
    ['too large', `${head}X: ${'x'.repeat(20_000)}\r\n\r\n`],
  ])('answers a head that is %s, wherever its packets part', async (_name, text) => {
    const parted = Array.from(head, (_, at) => [text.slice(0, at), text.slice(at)]);
    const unusual = plainOfDevice.replace('\r\n', '\r\nX-Mine: 1\r\n');
    const answers = await Promise.all(
      parted.flatMap((parts) => [
        expectAlike(parts),
        expectAlike([plainOfDevice, ...parts]),
        expectAlike([unusual, ...parts]),
      ]),
    );
    for (const answer of answers) expect(answer).toMatch(/4(?:00|31) [^{]*\{"AcsRes":"0"[^{]*$/);
  });
});
