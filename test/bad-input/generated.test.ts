import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RequestCase, world } from './support/corpus.ts';
import { Player, SECRETS } from './support/play.ts';
import { CorpusService } from './support/service.ts';

const fresh = world.codes['fresh'] ?? '';
const RUNS = 200;

function requestTo(path: string, headers: readonly string[], body: Buffer): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: gate',
    ...headers,
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

const rest = (body: Buffer) =>
  requestTo(
    '/scan/consume',
    [`x-api-key: ${world.keys['api']}`, 'Content-Type: application/json'],
    body,
  );
const device = (body: Buffer) => requestTo(`/scan/hw/consume?key=${world.keys['hw']}`, [], body);

const bytes = fc.uint8Array({ maxLength: 200, size: 'max' }).map((all) => Buffer.from(all));
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => Buffer.from(JSON.stringify(value)));
const text = fc.string({ unit: 'binary', maxLength: 120 });
/** The good code with a few letters exchanged, left out or put in. */
const damagedCode = fc
  .array(fc.tuple(fc.nat(fresh.length), fc.nat(2), fc.string({ unit: 'binary', maxLength: 2 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((changes) =>
    changes.reduce(
      (code, [at, removed, added]) => code.slice(0, at) + added + code.slice(at + removed),
      fresh,
    ),
  )
  .filter((code) => code !== fresh);

const cases: Record<string, readonly [fc.Arbitrary<Buffer>, readonly string[]]> = {
  'bytes to REST': [bytes.map(rest), ['missing_ticket_code']],
  'JSON without a code to REST': [json.map(rest), ['missing_ticket_code']],
  'a text as the code': [
    text
      .filter((code) => code !== '' && code !== fresh)
      .map((ticketCode) => rest(Buffer.from(JSON.stringify({ ticketCode })))),
    ['invalid_ticket'],
  ],
  'a damaged code': [
    damagedCode.map((ticketCode) => rest(Buffer.from(JSON.stringify({ ticketCode })))),
    ['invalid_ticket', 'missing_ticket_code'],
  ],
  'a damaged card': [
    damagedCode.map((code) =>
      device(Buffer.from(JSON.stringify({ Card: Buffer.from(code).toString('base64') }))),
    ),
    ['hw_invalid_ticket', 'hw_unreadable'],
  ],
  'bytes to a device’s address': [bytes.map(device), ['hw_unreadable']],
  'JSON without a card': [json.map(device), ['hw_unreadable']],
  'a damaged key': [
    fc
      .stringMatching(/^[A-Za-z0-9_]{0,60}$/)
      .filter((key) => key !== world.keys['api'])
      .map((key) =>
        requestTo(
          '/scan/consume',
          [`x-api-key: ${key}`],
          Buffer.from(JSON.stringify({ ticketCode: fresh })),
        ),
      ),
    ['forbidden'],
  ],
};

test.each(Object.entries(cases))(
  '%s: the documented answer, whatever comes',
  async (name, [arbitrary, expected]) => {
    await using service = await CorpusService.start();
    const before = await service.state();
    const player = new Player(service);
    const property = fc.asyncProperty(arbitrary, async (request) => {
      const one: RequestCase = {
        group: name,
        says: request.toString('latin1'),
        bytes: request,
        expect: expected,
      };
      await player.play(one);
      expect(player.failures.splice(0)).toEqual([]);
    });
    try {
      // A failure prints its seed; the run is repeated with `{ seed, path }`.
      await fc.assert(property, { numRuns: RUNS });
    } finally {
      player.close();
    }
    expect(await service.state()).toBe(before);
    expect(SECRETS.filter((secret) => service.logs.includes(secret))).toEqual([]);
  },
);

test('random bytes on the socket are refused, and others are served', async () => {
  await using service = await CorpusService.start();
  const player = new Player(service);
  const noHttp = fc
    .uint8Array({ minLength: 21, maxLength: 200 })
    .map((all) => Buffer.from(all))
    .filter((text) => !/^[\r\n]*[A-Z]+ /.test(text.toString('latin1')));
  await fc.assert(
    fc.asyncProperty(noHttp, async (request) => {
      await player.play({
        group: 'framing',
        says: request.toString('hex'),
        bytes: request,
        expect: ['http_refused', 'closed'],
      });
      expect(player.failures.splice(0)).toEqual([]);
    }),
    { numRuns: 100 },
  );
  player.close();
});
