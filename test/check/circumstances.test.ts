import { expect, test } from 'vitest';
import type { Target } from '../../src/check/deployment/target.ts';
import type { Endpoint, Exchange, RequestSpec } from '../../src/check/facts/exchange.ts';
import { symptomOf } from '../../src/check/judging/symptom.ts';
import { ExpectedAnswers } from '../../src/check/law/expected.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../../src/check/requests/scan-request.ts';

const GOOD_KEY = 'good-key-of-own-software';
const DEVICE_KEY = 'good-key-of-a-device';
const USED_UP_KEY = 'key-of-software-without-requests-left';
const SPARE_KEY = 'key-that-the-run-may-change';
const TARGET: Target = {
  keys: {
    rest: GOOD_KEY,
    hardware: DEVICE_KEY,
    quotaExhausted: USED_UP_KEY,
    deleted: 'deleted-key',
    spare: SPARE_KEY,
  },
  tickets: {
    permanent: [{ code: 'A.tkt_card.B' }],
    single: [{ code: 'A.tkt_one.B' }],
    exhausted: [{ code: 'A.tkt_used.B' }],
    cancelled: [{ code: 'A.tkt_gone.B' }],
  },
};
const GRANTED = { valid: true, status: 'validated', ticketId: 'tkt_card' };
const FORBIDDEN = { message: 'Forbidden' };

/** A run that gets these answers, one after the other unless a row says when it was sent. */
class Seen {
  readonly answers = new ExpectedAnswers(() => TARGET);
  #atMs = 0;

  /** @returns the exchange with this answer, sent a moment after the one before */
  get(
    key: string,
    status: number,
    json: object,
    {
      code = 'A.tkt_card.B',
      endpoint = 'validate' as Endpoint,
      lastsMs = 1,
      change = (request: RequestSpec): RequestSpec => request,
    } = {},
  ): Exchange {
    const exchange: Exchange = {
      caseId: 'any',
      level: 'stated',
      request: change(withKey(keylessRequest(endpoint, code), key)),
      answer: { status, headers: {}, body: JSON.stringify(json), json, cut: false },
      startedAt: new Date(this.#atMs),
      startedMs: this.#atMs,
      durationMs: lastsMs,
    };
    this.#atMs += 2;
    this.answers.note(exchange);
    return exchange;
  }

  symptomOf(exchange: Exchange) {
    return symptomOf(exchange, undefined, this.answers, []);
  }
}

test('a whole answer inside a member is one symptom on every endpoint', () => {
  const seen = new Seen();
  const inside = seen.get(GOOD_KEY, 200, { data: GRANTED });
  const denial = seen.get(UNKNOWN_KEY, 401, { data: FORBIDDEN }, { endpoint: 'consume' });
  expect(seen.symptomOf(inside)).toMatchObject({
    name: 'wrapped in data',
    cause: expect.stringContaining('"data"'),
  });
  expect(seen.symptomOf(denial)?.name).toBe('wrapped in data');
  expect(seen.symptomOf(denial)).not.toHaveProperty('endpoint');
});

const BANNED = 'good keys refused after refused ones';

test.each([
  [3, 3, BANNED],
  [2, 3, 'a good key refused now and then'],
  [3, 2, 'a good key refused now and then'],
])('after %i refused keys, %i good ones are refused in a row', (refused, inARow, name) => {
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  for (let i = 0; i < refused; i += 1) seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  const shutOut = Array.from({ length: inARow }, () => seen.get(GOOD_KEY, 401, FORBIDDEN));
  seen.get(GOOD_KEY, 200, GRANTED);
  for (const one of shutOut) expect(seen.symptomOf(one)?.name).toBe(name);
});

test('a key that is used up is shut out like the others', () => {
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  for (let i = 0; i < 3; i += 1) seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  for (let i = 0; i < 3; i += 1) seen.get(GOOD_KEY, 401, FORBIDDEN);
  expect(seen.symptomOf(seen.get(USED_UP_KEY, 401, FORBIDDEN))?.name).toBe(BANNED);
  seen.get(GOOD_KEY, 200, GRANTED);
  expect(seen.symptomOf(seen.get(USED_UP_KEY, 401, FORBIDDEN))?.name).not.toBe(BANNED);
});

test('what a framework answers to bad bodies before it looks at the key is no ban, and hides none', () => {
  const badBody = { change: (request: RequestSpec) => ({ ...request, body: '{"ticketCode":' }) };
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  for (let i = 0; i < 3; i += 1) seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  const bad = [0, 1, 2].map(() => seen.get(GOOD_KEY, 400, { message: 'Bad Request' }, badBody));
  seen.get(GOOD_KEY, 200, GRANTED);
  for (const one of bad) expect(seen.symptomOf(one)?.name).not.toBe(BANNED);
  const shutOut = [0, 1, 2].map(() => {
    seen.get(GOOD_KEY, 400, { message: 'Bad Request' }, badBody);
    return seen.get(GOOD_KEY, 401, FORBIDDEN);
  });
  for (const one of shutOut) expect(seen.symptomOf(one)?.name).toBe(BANNED);
});

test('a good key in a form that no other request had is refused for its form', () => {
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  for (let i = 0; i < 5; i += 1) seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  const odd = seen.get(GOOD_KEY, 401, FORBIDDEN, {
    change: (request) => ({ ...request, headers: [['X-API-KEY', GOOD_KEY]] }),
  });
  expect(seen.symptomOf(odd)?.name).toBe('a good key refused now and then');
});

test('a refused key with the answer of another key shows a cache, if it is refused with new tickets', () => {
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  const kept = seen.get('deleted-key', 200, GRANTED);
  expect(seen.symptomOf(kept)?.name).toBe('a request with a deleted key accepted');
  seen.get('deleted-key', 401, FORBIDDEN, { code: 'A.tkt_one.B' });
  expect(seen.symptomOf(kept)).toMatchObject({
    name: 'an answer kept for another key',
    isDangerous: true,
  });
});

const AGAIN = 'let through when it asks again';

test('the same request is let through after it was refused: the key is not looked at each time', () => {
  const seen = new Seen();
  seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  const third = seen.get(UNKNOWN_KEY, 200, GRANTED);
  expect(seen.symptomOf(third)).toMatchObject({
    name: AGAIN,
    cause: expect.stringContaining('refused 2 times before'),
  });
  const one = { ...GRANTED, ticketId: 'tkt_one' };
  const other = seen.get(UNKNOWN_KEY, 200, one, { code: 'A.tkt_one.B' });
  expect(seen.symptomOf(other)?.name).toBe('a request with a wrong key accepted');
  expect(seen.symptomOf(other)?.partOf).toContain(AGAIN);
});

test.each([
  ['another key asked', [GOOD_KEY], 'let through after another key asked'],
  ['nobody asked', [], AGAIN],
])('a refused request is let through after %s', (_, keys, name) => {
  const seen = new Seen();
  seen.get(UNKNOWN_KEY, 401, FORBIDDEN, { code: 'A.tkt_one.B' });
  seen.get(UNKNOWN_KEY, 401, FORBIDDEN);
  for (const key of keys) seen.get(key, 200, { ...GRANTED, message: 'another' });
  expect(seen.symptomOf(seen.get(UNKNOWN_KEY, 200, GRANTED))?.name).toBe(name);
});

test('a key is judged by what it was when it asked', () => {
  const seen = new Seen();
  const before = seen.get(SPARE_KEY, 200, GRANTED);
  seen.answers.noteKey(SPARE_KEY, 'disabled');
  const disabled = seen.get(SPARE_KEY, 200, GRANTED);
  seen.answers.noteKey(SPARE_KEY, undefined);
  const enabled = seen.get(SPARE_KEY, 200, GRANTED);
  seen.answers.noteKey(SPARE_KEY, 'refused');
  const deleted = seen.get(SPARE_KEY, 200, GRANTED);
  expect([before, enabled].map((one) => seen.answers.of(one))).toEqual([undefined, undefined]);
  expect([disabled, deleted].map((one) => seen.symptomOf(one)?.name)).toEqual([
    'a request with a disabled key accepted',
    'a request with a deleted key accepted',
  ]);
});

test('a key whose requests are used up gets 429, and nothing about a ticket', () => {
  const seen = new Seen();
  expect(seen.answers.of(seen.get(USED_UP_KEY, 429, { message: 'Too Many Requests' }))).toEqual({
    what: 'a request with a used-up key',
    outcomes: ['limited'],
    isKeyRefused: true,
  });
  expect(seen.symptomOf(seen.get(USED_UP_KEY, 200, GRANTED, { endpoint: 'consume' }))?.name).toBe(
    'a request with a used-up key accepted',
  );
  seen.get(GOOD_KEY, 200, GRANTED);
  expect(seen.symptomOf(seen.get(USED_UP_KEY, 401, FORBIDDEN))?.cause).toContain(
    'is refused with HTTP 401, not with 429',
  );
});

test('a body that was read in another request, and is not read here, is one symptom for all that follows', () => {
  const unreadable = { valid: false, status: 'rejected', reason: 'missing_ticket_code' };
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  const never = seen.get(GOOD_KEY, 400, unreadable, { code: 'A.tkt_one.B' });
  expect(seen.symptomOf(never)?.name).toContain('granted, not missing_ticket_code');
  const second = seen.get(GOOD_KEY, 400, unreadable);
  expect(seen.symptomOf(second)).toMatchObject({
    name: 'a body that is read now and then',
    isWhole: true,
    cause: expect.stringMatching(/^2 bodies with a code .* right before 1 of them/),
  });
  expect(seen.symptomOf(never)?.partOf).toContain('a body that is read now and then');
});

test('what is wrong while other requests are under way may be the answer of one of them, and alone it may not', () => {
  const wrong = { valid: false, status: 'not_found', message: '-' };
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, { ...GRANTED, ticketId: 'tkt_one' }, { code: 'A.tkt_one.B', lastsMs: 3 });
  const beside = seen.get(GOOD_KEY, 404, wrong);
  const alone = seen.get(GOOD_KEY, 404, wrong);
  expect(seen.symptomOf(beside)?.partOf).toContain('the answer of a request at the same moment');
  expect(seen.symptomOf(alone)?.partOf ?? []).not.toContain(
    'the answer of a request at the same moment',
  );
});

test('the same refusal for everybody shows no cache', () => {
  const seen = new Seen();
  const tooMany = { message: 'Too Many Requests' };
  seen.get(GOOD_KEY, 429, tooMany);
  const limited = seen.get('deleted-key', 429, tooMany);
  seen.get('deleted-key', 401, FORBIDDEN, { code: 'A.tkt_one.B' });
  expect(seen.symptomOf(limited)?.name).not.toBe('an answer kept for another key');
});

test('a ticket that is refused while another request shows it is told so, and alone it is not', () => {
  const unknown = { valid: false, status: 'not_found', message: '-' };
  const beside = new Seen();
  beside.get(GOOD_KEY, 200, GRANTED, { lastsMs: 50 });
  expect(beside.symptomOf(beside.get(GOOD_KEY, 404, unknown))).toMatchObject({
    name: 'a good ticket refused beside other requests',
    cause: expect.stringContaining('1 other request showed this ticket'),
  });
  const alone = new Seen();
  alone.get(GOOD_KEY, 200, GRANTED);
  expect(alone.symptomOf(alone.get(GOOD_KEY, 404, unknown))?.name).not.toContain('beside');
});

test('a ticket that was used up before the run has no uses that are known to be left', () => {
  const seen = new Seen();
  const used = { valid: false, status: 'exhausted', message: '-' };
  const code = 'A.tkt_one.B';
  const before = seen.get(GOOD_KEY, 200, used, { code });
  expect(seen.answers.hasUsesLeft(before, code)).toBe(false);
  const fresh = new Seen();
  const one = { ...GRANTED, usesAllowed: 1, usesConsumed: 0, usesRemaining: 1 };
  fresh.get(GOOD_KEY, 200, one, { code });
  expect(fresh.answers.hasUsesLeft(fresh.get(GOOD_KEY, 200, used, { code }), code)).toBe(true);
});

test.each([
  ['event_not_allowed', 403, 'a ticket in the scope of the key refused for its event'],
  ['invalid_ticket', 200, 'a genuine code taken for a forged one'],
])('a good ticket that is refused as %s is one symptom for every kind', (reason, status, name) => {
  const seen = new Seen();
  seen.get(GOOD_KEY, 200, GRANTED);
  const denial = { valid: false, status: 'rejected', reason };
  for (const code of ['A.tkt_card.B', 'A.tkt_one.B'])
    expect(seen.symptomOf(seen.get(GOOD_KEY, status, denial, { code }))?.name).toBe(name);
});

test('a used-up ticket that is refused otherwise is one symptom, however it was used up', () => {
  const seen = new Seen();
  const code = 'A.tkt_one.B';
  seen.get(GOOD_KEY, 200, { ...GRANTED, status: 'consumed' }, { code, endpoint: 'consume' });
  const denial = { valid: false, status: 'rejected', reason: 'expired' };
  const used = seen.get(GOOD_KEY, 200, denial, { code });
  const sold = seen.get(GOOD_KEY, 200, denial, { code: 'A.tkt_used.B' });
  expect(seen.symptomOf(used)?.name).toBe('a used-up ticket: exhausted, not expired');
  expect(seen.symptomOf(sold)?.name).toBe('a used-up ticket: exhausted, not expired');
});

test('a long list of allowed refusals is not told word for word', () => {
  const seen = new Seen();
  const opened = { AcsRes: '1', ActIndex: '0', Time: '4', Note: 'Ticket gültig (0/1)' };
  const wrong = seen.get(DEVICE_KEY, 200, opened, {
    code: 'A.tkt_gone.B',
    endpoint: 'hw/validate',
  });
  expect(seen.symptomOf(wrong)?.cause).toBe(
    'A ticket (cancelled) is answered as "granted", not as "ticket_cancelled" or any other refusal.',
  );
});
