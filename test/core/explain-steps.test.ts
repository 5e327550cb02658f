import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { ApiKeyRecord } from '../../src/core/records.ts';
import type { ScanOutcome, ScanRequest } from '../../src/core/scan-requests.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import {
  type ExplainOptions,
  explain,
  explainRefusedKey,
} from '../../src/features/explain/explain.ts';
import { type Explanation, RULES, type Rule } from '../../src/features/explain/explanation.ts';
import { outcomeOn, type ScanFacts } from '../../src/features/explain/scan-facts.ts';
import { aTicket, NOW } from '../support/tickets.ts';

const ticketId = aTicket().id;
const HOUR_MS = 3_600_000;

const key: ApiKeyRecord = {
  id: 'key_1',
  organisationId: 'org_1',
  name: 'North gate',
  type: 'api',
  events: 'all',
  active: true,
  createdAt: NOW,
  relay: 'auto',
  openSeconds: 5,
};
const event = {
  id: 'abcdef',
  organisationId: 'org_1',
  name: 'Pool',
  createdAt: NOW,
  archivedAt: null,
};
const genuine = {
  kind: 'genuine',
  format: 'TS1',
  ticketId,
  eventId: 'abcdef',
  signingKeyId: 'sk_1',
  signingKeyState: 'active',
} as const;

const request: ScanRequest = {
  kind: 'scan',
  keyId: 'key_1',
  operation: 'consume',
  subject: { kind: 'ticket', ticketId, eventId: 'abcdef' },
  now: NOW,
  serial: null,
  reader: null,
  retry: null,
};
const facts: ScanFacts = {
  key,
  limits: DEFAULT_LIMITS,
  requestsInMonth: 7,
  signature: genuine,
  event,
  ticket: aTicket(),
};

interface Changes {
  readonly request?: Partial<ScanRequest>;
  readonly facts?: Partial<ScanFacts>;
  readonly outcome?: ScanOutcome;
  readonly options?: ExplainOptions;
}

function explained(changes: Changes = {}): Explanation {
  const asked = { ...request, ...changes.request };
  const known = { ...facts, ...changes.facts };
  return explain(asked, known, changes.outcome ?? outcomeOn(known, asked), changes.options);
}

/** What is said of one rule. */
function said(rule: Rule, changes: Changes = {}) {
  const { answer, reason, granted, steps } = explained(changes);
  const step = steps.find((one) => one.rule === rule);
  return { answer: reason ?? answer, granted, ...step };
}

const withTicket = (ticket: Partial<Ticket>) => ({ facts: { ticket: aTicket(ticket) } });
const withKey = (changes: Partial<ApiKeyRecord>) => ({ facts: { key: { ...key, ...changes } } });
/** The facts at a reader whose exit opens for everybody who came in. */
const atExit = (ticket: Partial<Ticket>): Changes => ({
  facts: {
    key: { ...key, type: 'hardware', readers: { 1: 'out' }, onExit: 'open' },
    ticket: aTicket(ticket),
  },
  request: { reader: '1' },
});
const decided = (decision: Decision): ScanOutcome => ({ kind: 'decided', decision });

test('a use that was granted passed every rule, and each says why', () => {
  const { steps, ...answer } = explained();
  expect(answer).toEqual({ answer: 'consumed', reason: null, granted: true });
  expect(steps.map(({ rule }) => rule)).toEqual(RULES);
  expect(new Set(steps.map(({ result }) => result))).toEqual(new Set(['passed']));
  const now = '2026-07-01T12:00:00.000Z';
  expect(steps.map((step) => step.facts)).toEqual([
    { keyId: 'key_1', name: 'North gate', type: 'api', active: true },
    { ratePerSecond: 50, burst: 100 },
    { month: 202607, requestsInMonth: 7, quotaPerMonth: 500_000 },
    { repeatable: false },
    {},
    { genuine: true, format: 'TS1', signingKeyId: 'sk_1', signingKeyState: 'active', ticketId },
    { eventId: 'abcdef', eventName: 'Pool', sameOrganisation: true, keyEvents: 'all' },
    { exists: true },
    { cancelledAt: null },
    { validFrom: null, now },
    { validUntil: null, now },
    { usesAllowed: 1, usesConsumed: 0, usesRemaining: 1, lastConsumedAt: null },
  ]);
  expect(steps.map(({ because }) => because)).toMatchInlineSnapshot(`
    [
      "The api key "North gate" is active.",
      "Within 50 requests a second (100 at once).",
      "7 of 500000 requests of the month 202607 were used before.",
      "No Idempotency-Key and no retry window of a device: a new decision.",
      "A ticket code was read.",
      "Signed by sk_1 (TS1, active).",
      "Event "Pool" belongs to the key's organisation, and the key has access to every event.",
      "The ticket is in the store.",
      "Not cancelled.",
      "It has no start.",
      "It has no end.",
      "0 of 1 uses were taken before; this scan takes use 1.",
    ]
  `);
});

const OF_THE_TICKETS_STATE: readonly Rule[] = ['cancelled', 'valid_from', 'valid_until'];

describe('the rule that gave the answer says why', () => {
  const limited: Changes = { outcome: { kind: 'limited', retryAfterSeconds: 1 } };
  const unreadable = { request: { subject: { kind: 'unreadable' } } } as const;
  const badName = { request: { subject: { kind: 'bad_retry_name' } } } as const;
  const forged: Changes = {
    request: { subject: { kind: 'forged', excerpt: '' } },
    facts: { signature: { kind: 'forged', why: 'It was changed.' } },
  };
  const repeated = { outcome: decided({ status: 'not_found' }), options: { isReplay: true } };
  const ofNobody = { facts: { event: undefined, key: { ...key, events: ['ghijkl'] } } };
  const ofAnother = { facts: { event: { ...event, organisationId: 'org_2' } } };
  const used = { usesConsumed: 1, lastConsumedAt: NOW - HOUR_MS };

  test.each<[Rule, string, RegExp, Changes]>([
    ['key', 'key_refused', /"North gate" is disabled/, withKey({ active: false })],
    ['key', 'key_refused', /does not exist, or was deleted/, { facts: { key: undefined } }],
    ['key', 'key_refused', /expired at 2026-07-01T11:00/, withKey({ expiresAt: NOW - HOUR_MS })],
    ['uses', 'not_used', /opens only for tickets that were used/, atExit({})],
    ['rate', 'limited', /50 requests a second/, limited],
    ['quota', 'quota_exceeded', /All 500000 .* 202607/, { facts: { requestsInMonth: 500_000 } }],
    ['retry', 'retry_conflict', /with another body/, { outcome: { kind: 'retry_conflict' } }],
    ['retry', 'bad_retry_name', /1 to 255 visible ASCII/, badName],
    ['retry', 'not_found', /first answer is given again/, repeated],
    ['body', 'missing_ticket_code', /sends it as Base64 in Card/, unreadable],
    ['signature', 'invalid_ticket', /not genuine. It was changed/, forged],
    ['scope', 'event_not_allowed', /no event abcdef/, ofNobody],
    [
      'existence',
      'not_found',
      /nobody has its event/,
      { facts: { event: undefined, ticket: undefined } },
    ],
    ['scope', 'event_not_allowed', /another organisation than the key/, ofAnother],
    ['scope', 'event_not_allowed', /not among the key's events/, withKey({ events: ['ghijkl'] })],
    ['existence', 'not_found', /its ticket is not in the store/, { facts: { ticket: undefined } }],
    [
      'cancelled',
      'ticket_cancelled',
      /at 2026-07-01T11:00/,
      withTicket({ cancelledAt: NOW - HOUR_MS }),
    ],
    [
      'valid_from',
      'not_yet_valid',
      /from 2026-07-01T13:00.* is .*T12:00/,
      withTicket({ validFrom: NOW + HOUR_MS }),
    ],
    [
      'valid_until',
      'expired',
      /until 2026-07-01T11:00.* is .*T12:00/,
      withTicket({ validUntil: NOW - HOUR_MS }),
    ],
    ['uses', 'exhausted', /1 of 1 uses .* last at 2026-07-01T11:00/, withTicket(used)],
  ])('%s: %s, %s', (rule, answer, because, changes) => {
    expect(said(rule, changes)).toMatchObject({
      answer,
      result: 'stopped',
      granted: false,
      because: expect.stringMatching(because),
    });
    const { steps } = explained(changes);
    const before = RULES.indexOf(rule);
    const { reader } = changes.request ?? {};
    for (const step of steps.slice(0, before)) {
      const isAsked = reader === undefined || !OF_THE_TICKETS_STATE.includes(step.rule);
      expect(step.result).toBe(isAsked ? 'passed' : 'not_asked');
    }
    const rest = { result: 'not_reached', because: 'Not reached.', facts: {} };
    expect(steps.slice(before + 1)).toEqual(
      RULES.slice(before + 1).map((next) => ({ rule: next, ...rest })),
    );
  });
});

test('an exit that opens for everybody who came in asks only whether the ticket was used', () => {
  const used = { usesConsumed: 1, lastConsumedAt: NOW - HOUR_MS, cancelledAt: NOW };
  const { steps, ...answer } = explained(atExit(used));
  expect(answer).toEqual({ answer: 'validated', reason: null, granted: true });
  for (const rule of OF_THE_TICKETS_STATE) {
    const step = steps.find((one) => one.rule === rule);
    const because = expect.stringMatching(/^Not asked: this exit opens/);
    expect(step).toEqual({ rule, result: 'not_asked', because, facts: {} });
  }
  expect(steps.at(-1)).toMatchObject({
    rule: 'uses',
    result: 'passed',
    facts: { usesConsumed: 1, usesRemaining: 0 },
    because: expect.stringMatching(/last at 2026-07-01T11:00:00.000Z: that is enough at this exit/),
  });
  const beside = { ...atExit(used), request: { reader: '2' } };
  expect(said('cancelled', beside)).toMatchObject({
    answer: 'ticket_cancelled',
    result: 'stopped',
  });
});

describe('what is not as it was then', () => {
  const granted = outcomeOn(facts, request);

  test.each<[Rule, string, Changes]>([
    ['key', 'The key was valid then; it was deleted later.', { facts: { key: undefined } }],
    ['cancelled', 'The ticket no longer exists.', { facts: { ticket: undefined } }],
    ['signature', 'No code to verify.', { facts: { signature: { kind: 'no_code' } } }],
  ])('%s: %s', (rule, because, changes) => {
    expect(said(rule, { ...changes, outcome: granted })).toMatchObject({
      because,
      result: 'passed',
      granted: true,
    });
  });

  test('a ticket that was cancelled then, and is not now', () => {
    const ticket = aTicket();
    const outcome = decided({ status: 'rejected', reason: 'ticket_cancelled', ticket });
    expect(said('cancelled', { outcome })).toMatchObject({
      because: 'It was cancelled then; it was reinstated later.',
      result: 'stopped',
    });
  });

  test('an event of which neither code nor key is known any more', () => {
    const changes = { facts: { signature: { kind: 'no_code' }, key: undefined } } as const;
    expect(said('scope', { ...changes, outcome: granted }).facts).toEqual({
      eventId: '',
      eventName: 'Pool',
      sameOrganisation: false,
      keyEvents: '',
    });
    const without = { facts: { ...changes.facts, event: undefined }, outcome: granted };
    expect(said('scope', without).because).toBe('The store has no event .');
  });
});

test('what nobody knows is said instead of looked at, but never of the rule that answered', () => {
  const fixed = { result: 'not_asked', because: 'Nobody knows.' } as const;
  const options = { fixedSteps: { rate: fixed, uses: fixed } };
  expect(said('rate', { options })).toMatchObject({ ...fixed, facts: {} });
  expect(said('uses', { options })).toMatchObject({ ...fixed, facts: {} });
  expect(said('uses', { options, ...withTicket({ usesConsumed: 1 }) })).toMatchObject({
    result: 'stopped',
    because: 'No use is left: 1 of 1 uses were taken before.',
  });
});

test('the facts of a rule that stopped are those that it looked at', () => {
  const retry = { name: 'n', bodyHash: 'h', expiresAt: NOW };
  const factsOf = (rule: Rule, changes: Changes) => said(rule, changes).facts;
  expect(factsOf('key', { facts: { key: undefined } })).toEqual({ keyId: 'key_1' });
  expect(factsOf('key', withKey({ expiresAt: NOW - HOUR_MS }))).toEqual({
    keyId: 'key_1',
    name: 'North gate',
    type: 'api',
    active: true,
    expiresAt: '2026-07-01T11:00:00.000Z',
  });
  expect(factsOf('existence', { facts: { ticket: undefined } })).toEqual({ exists: false });
  expect(factsOf('retry', { request: { retry } })).toEqual({ repeatable: true });
  expect(said('retry', { request: { retry } }).because).toBe(
    'The first request with this Idempotency-Key: its answer is stored for retries.',
  );
  const forged = { signature: { kind: 'forged', why: '' } } as const;
  expect(factsOf('signature', { facts: forged })).toEqual({ genuine: false });
  expect(factsOf('scope', { facts: { event: undefined } })).toEqual({ eventId: 'abcdef' });
  expect(said('scope', withKey({ events: ['abcdef', 'ghijkl'] }))).toMatchObject({
    because: 'Event "Pool" belongs to the key\'s organisation, and it is among the key\'s events.',
    facts: { keyEvents: 'abcdef,ghijkl' },
  });
});

test('a look takes no use, a heartbeat asks two rules, a key that is none asks one', () => {
  const multi = withTicket({ ticketType: 'multi', usesAllowed: 5, usesConsumed: 2 });
  expect(said('uses', { ...multi, request: { operation: 'validate' } })).toMatchObject({
    answer: 'validated',
    because: '2 of 5 uses were taken before.',
    facts: { usesRemaining: 3 },
  });
  expect(said('uses', multi).because).toBe('2 of 5 uses were taken before; this scan takes use 3.');

  const old = withTicket({ ticketType: 'multi', usesAllowed: 9999, usesConsumed: 9000 });
  expect(said('uses', old).because).toMatch(
    /takes use 9001\. The permanent card is almost used up/,
  );

  const contact = { model: 'm', serial: 's', address: 'a', firmware: 'f' };
  const beat = { kind: 'heartbeat', keyId: 'key_1', contact, now: NOW } as const;
  const heartbeat = explain(beat, facts, outcomeOn(facts, beat));
  expect(heartbeat).toMatchObject({ answer: 'alive', reason: null, granted: true });
  expect(heartbeat.steps.map(({ rule, result }) => `${rule} ${result}`)).toEqual([
    'key passed',
    'rate passed',
  ]);

  const refused = explainRefusedKey('It is mistyped.');
  expect(refused).toMatchObject({ answer: 'key_refused', reason: null, granted: false });
  expect(refused.steps[0]).toEqual({
    rule: 'key',
    result: 'stopped',
    because: 'It is mistyped.',
    facts: {},
  });
  expect(new Set(refused.steps.slice(1).map(({ result }) => result))).toEqual(
    new Set(['not_reached']),
  );
});

test.each([['valid_from' as const], ['valid_until' as const]])(
  '%s: in a time zone the sentence has its time, and the facts stay in UTC',
  (rule) => {
    const [validFrom, validUntil] = [NOW - HOUR_MS, NOW + HOUR_MS];
    const { facts, because } = said(rule, {
      ...withTicket({ validFrom, validUntil }),
      options: { timeZone: 'Europe/Berlin' },
    });
    expect(because).toContain('14:00');
    expect(Object.values(facts ?? {})).toEqual([
      new Date(rule === 'valid_from' ? validFrom : validUntil).toISOString(),
      new Date(NOW).toISOString(),
    ]);
  },
);
