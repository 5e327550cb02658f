import { describe, expect, test } from 'vitest';
import { KEY_NAMES, TICKET_KINDS, type TicketKind } from '../../src/check/deployment/target.ts';
import { expectationOf } from '../../src/check/explore/expectation.ts';
import { FORGERIES, type KeyRef, type Step } from '../../src/check/explore/history.ts';
import { ENDPOINTS, type Endpoint } from '../../src/check/facts/exchange.ts';
import type { Outcome } from '../../src/check/facts/reading.ts';
import {
  allowedAnswers,
  isAccepted,
  type KeyState,
  type Shown,
} from '../../src/check/law/allowed.ts';
import { ExpectedAnswers } from '../../src/check/law/expected.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../../src/check/requests/scan-request.ts';
import { SECTIONS } from '../../src/check/specification/specification.ts';

const KEY_STATES: readonly KeyState[] = ['good', 'scoped', 'disabled', 'refused', 'usedUp'];
const SHOWN: readonly Shown[] = [
  { is: 'nothing' },
  { is: 'forged' },
  ...TICKET_KINDS.map((of): Shown => ({ is: 'forged', of })),
  ...TICKET_KINDS.flatMap((kind): Shown[] => [
    { is: 'ticket', kind },
    { is: 'ticket', kind, uses: 'left' },
    { is: 'ticket', kind, uses: 'none' },
  ]),
];
const QUESTIONS = ENDPOINTS.flatMap((endpoint) =>
  KEY_STATES.flatMap((key) => SHOWN.map((shown) => ({ endpoint, key, shown }))),
);

test('every request has answers that it may get, each once, and a section that says so', () => {
  for (const question of QUESTIONS) {
    const { outcomes, section, text } = allowedAnswers(question);
    const name = JSON.stringify(question);
    expect(SECTIONS.has(section), name).toBe(true);
    expect(text, name).not.toBe('');
    if (!outcomes) continue;
    expect(outcomes.length, name).toBeGreaterThan(0);
    expect(new Set(outcomes).size, name).toBe(outcomes.length);
    for (const never of ['error', 'strange'] as const) expect(outcomes, name).not.toContain(never);
    expect(outcomes.includes('limited'), name).toBe(question.key === 'usedUp');
  }
});

test('nobody is let in without a good key, by a forged code, or out of turn', () => {
  const REFUSED: readonly TicketKind[] = [
    ...(['exhausted', 'cancelled', 'notYetValid', 'expired', 'unknown'] as const),
    ...(['otherOrganisation', 'otherEventCancelled', 'otherEventExpired'] as const),
  ];
  for (const question of QUESTIONS) {
    const { endpoint, key, shown } = question;
    const mayEnter =
      endpoint !== 'heartbeat' &&
      isAccepted(key) &&
      shown.is === 'ticket' &&
      shown.uses !== 'none' &&
      !REFUSED.includes(shown.kind) &&
      !(shown.kind === 'otherEvent' && key === 'scoped');
    const { outcomes } = allowedAnswers(question);
    const isUnlimited = shown.is === 'ticket' && shown.kind === 'permanentEnded';
    if (outcomes) expect(outcomes.includes('granted'), JSON.stringify(question)).toBe(mayEnter);
    else expect(endpoint === 'heartbeat' || isUnlimited, JSON.stringify(question)).toBe(true);
  }
});

/** The reason that an answer names, by what was shown, where the specification names one. */
const REASONS: readonly (readonly [Shown, Outcome])[] = [
  [{ is: 'forged', of: 'single' }, 'invalid_ticket'],
  [{ is: 'ticket', kind: 'notYetValid' }, 'not_yet_valid'],
  [{ is: 'ticket', kind: 'expired' }, 'expired'],
  [{ is: 'ticket', kind: 'exhausted' }, 'exhausted'],
  [{ is: 'ticket', kind: 'unknown' }, 'not_found'],
  [{ is: 'ticket', kind: 'single', uses: 'left' }, 'granted'],
  [{ is: 'ticket', kind: 'single', uses: 'none' }, 'exhausted'],
];
test.each(REASONS)(
  'with a good key %o is answered as %s, and as nothing else',
  (shown, outcome) => {
    for (const endpoint of ENDPOINTS.filter((one) => one !== 'heartbeat'))
      expect(allowedAnswers({ endpoint, key: 'good', shown }).outcomes).toEqual([outcome]);
  },
);

describe('a run and a history ask the same law', () => {
  const target = {
    keys: Object.fromEntries(KEY_NAMES.map((name) => [name, `key-${name}`])),
    tickets: Object.fromEntries(TICKET_KINDS.map((kind) => [kind, [{ code: `TS1.${kind}.x` }]])),
  };
  const answers = new ExpectedAnswers(() => target);

  // Of keys that a run changes only the run itself knows.
  const KEYS: readonly KeyRef[] = [
    ...KEY_NAMES.filter((name) => !/spare|quota/i.test(name)),
    ...(['missing', 'unknown'] as const),
  ];

  function requestOf({ endpoint, key, ticket, forge }: Step) {
    const keyless = keylessRequest(endpoint, `TS1.${ticket?.kind}.${forge ? 'y' : 'x'}`);
    if (key === 'missing') return keyless;
    return withKey(keyless, key === 'unknown' ? UNKNOWN_KEY : `key-${key}`);
  }

  /** The same request for both, where the law does not allow everything. */
  function stepsAt(endpoint: Endpoint): Step[] {
    if (endpoint === 'heartbeat') return KEYS.map((key) => ({ endpoint, key, times: 1 }));
    return KEYS.flatMap((key) =>
      TICKET_KINDS.flatMap((kind): Step[] => {
        const step = { endpoint, key, times: 1, ticket: { kind, place: 0 } };
        return [step, { ...step, forge: FORGERIES[0] }];
      }),
    );
  }

  /** Outcomes that only one of the two allows; undefined where the law leaves it open. */
  function differences(step: Step): Outcome[] | undefined {
    const expected = answers.ofRequest(requestOf(step));
    if (!expected) return undefined;
    const { allows } = expectationOf(step);
    // A history knows what a forged code was made of, and so whether the scope may refuse it too.
    const asked = step.forge ? EVERY.filter((one) => one !== 'event_not_allowed') : EVERY;
    // It counts uses apart: a ticket that was never used may be used up for all that this table knows.
    const isCountedApart = expected.outcomes[0] === 'granted';
    return asked
      .filter((one) => !isCountedApart || one !== 'exhausted')
      .filter((one) => allows(one) !== expected.outcomes.includes(one));
  }

  test.each(ENDPOINTS)('at %s', (endpoint) => {
    const compared = stepsAt(endpoint).flatMap((step) => {
      const found = differences(step);
      return found ? [{ step, found }] : [];
    });
    expect(compared.filter(({ found }) => found.length > 0)).toEqual([]);
    expect(compared.length).toBeGreaterThan(endpoint === 'heartbeat' ? 5 : 300);
  });
});

const EVERY: readonly Outcome[] = [
  ...(['granted', 'confirmed', 'exhausted', 'invalid_ticket', 'event_not_allowed'] as const),
  ...(['not_found', 'ticket_cancelled', 'not_yet_valid', 'expired'] as const),
  ...(['missing_ticket_code', 'unauthorised', 'denied', 'error', 'limited', 'strange'] as const),
];

test('a refused key must be refused also while uses of its ticket are under way', () => {
  const target = {
    keys: { rest: 'good', deleted: 'gone' },
    tickets: { single: [{ code: 'TS1.s' }] },
  };
  const answers = new ExpectedAnswers(() => target);
  const withGood = withKey(keylessRequest('consume', 'TS1.s'), 'good');
  answers.noteLost(withGood);
  expect(answers.ofRequest(withGood)?.outcomes).toEqual(['granted', 'exhausted']);
  const withDeleted = withKey(keylessRequest('consume', 'TS1.s'), 'gone');
  expect(answers.ofRequest(withDeleted)).toMatchObject({
    outcomes: ['unauthorised'],
    isKeyRefused: true,
  });
});
