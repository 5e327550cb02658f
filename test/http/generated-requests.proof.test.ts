import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { CODES, KEYS } from '../support/fixed-world.ts';
import { Player, SECRETS } from './support/player.ts';
import { WireService } from './support/wire-service.ts';
import { API_KEY, GOOD, JSON_TYPE, json, type Latin1, post, send } from './wire/row.ts';

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const bytes = fc.uint8Array({ maxLength: 200, size: 'max' }).map(latin1);
const anyJson = fc.jsonValue({ maxDepth: 3 }).map(json);
const text = fc.string({ unit: 'binary', maxLength: 120 });
/** The good code with a few letters exchanged, left out or put in. */
const damagedCode = fc
  .array(
    fc.tuple(fc.nat(CODES.fresh.length), fc.nat(2), fc.string({ unit: 'binary', maxLength: 2 })),
    { minLength: 1, maxLength: 3 },
  )
  .map((changes) =>
    changes.reduce(
      (code, [at, removed, added]) => code.slice(0, at) + added + code.slice(at + removed),
      CODES.fresh,
    ),
  )
  .filter((code) => code !== CODES.fresh);
const card = (code: string) => `{"Card":"${Buffer.from(code).toString('base64')}"}`;
const noHttp = fc
  .uint8Array({ minLength: 21, maxLength: 200 })
  .map(latin1)
  .filter((all) => !/^[\r\n]*[A-Z]+ /.test(all));

const KINDS: Record<string, readonly [fc.Arbitrary<Latin1>, readonly string[]]> = {
  'bytes to REST': [bytes.map((body) => send('consume', body)), ['missing_ticket_code']],
  'JSON without a code': [anyJson.map((body) => send('consume', body)), ['missing_ticket_code']],
  'a text as the code': [
    text
      .filter((code) => code !== '' && code !== CODES.fresh)
      .map((ticketCode) => send('consume', json({ ticketCode }))),
    ['invalid_ticket'],
  ],
  'a damaged code': [
    damagedCode.map((ticketCode) => send('consume', json({ ticketCode }))),
    ['invalid_ticket', 'missing_ticket_code'],
  ],
  'a damaged card': [
    damagedCode.map((code) => send('hw-consume', card(code))),
    ['hw_invalid_ticket', 'hw_unreadable'],
  ],
  'bytes of a device': [bytes.map((body) => send('hw-consume', body)), ['hw_unreadable']],
  'JSON without a card': [anyJson.map((body) => send('hw-consume', body)), ['hw_unreadable']],
  'a heartbeat': [fc.oneof(bytes, anyJson).map((body) => send('heartbeat', body)), ['alive']],
  'a damaged key': [
    fc
      .stringMatching(/^[A-Za-z0-9_]{0,60}$/)
      .filter((key) => key !== KEYS.api)
      .map((key) => post('/scan/consume', [API_KEY.replace(KEYS.api, key), JSON_TYPE], GOOD)),
    ['forbidden'],
  ],
  framing: [noHttp, ['http_refused', 'closed']],
};

test.each(Object.entries(KINDS))(
  '%s: the documented answer, whatever comes',
  async (group, [arbitrary, expected]) => {
    await using service = await WireService.start({ reads: 'plain' });
    const before = await service.state();
    const player = new Player(service);
    const property = fc.asyncProperty(arbitrary, async (request) => {
      await player.play({ group, says: request, bytes: request, expect: expected });
      expect(player.failures.splice(0)).toEqual([]);
    });
    try {
      // A failure prints its seed; the run is repeated with `{ seed, path }`.
      await fc.assert(property, { numRuns: 150 });
    } finally {
      player.close();
    }
    expect(await service.state()).toBe(before);
    expect(SECRETS.filter((secret) => service.logs.includes(secret))).toEqual([]);
  },
);
