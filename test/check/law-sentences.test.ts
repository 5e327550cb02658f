import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS, type Endpoint, isRest, SCANS } from '../../src/check/facts/exchange.ts';
import type { Outcome } from '../../src/check/facts/reading.ts';
import { allowedAnswers, type KeyState, type Shown } from '../../src/check/law/allowed.ts';
import { wrongNote, wrongStatus, wrongStatusWord } from '../../src/check/law/form.ts';
import { readStrictly } from '../../src/check/law/strict-reading.ts';
import { TicketFacts } from '../../src/check/law/ticket-facts.ts';
import { SECTIONS } from '../../src/check/specification/specification.ts';

const page = readFileSync('docs/testing/specification.md', 'utf8').replaceAll(/\s+/g, ' ');

const single = { is: 'ticket', kind: 'single' } as const;

function allowed(endpoint: Endpoint, key: KeyState, shown: Shown): readonly Outcome[] {
  return allowedAnswers({ endpoint, key, shown }).outcomes ?? ['anything' as Outcome];
}

/** What every scan endpoint allows, where all of them allow the same. */
function everywhere(key: KeyState, shown: Shown): readonly Outcome[] {
  const [first = [], ...others] = SCANS.map((endpoint) => allowed(endpoint, key, shown));
  for (const one of others) expect(one).toEqual(first);
  return first;
}

const answer = (status: number, json: object) => ({
  status,
  headers: {},
  body: JSON.stringify(json),
  json,
  cut: false,
});

const note = (Note: string) => answer(200, { AcsRes: '0', ActIndex: '0', Time: '0', Note });
const rejected = (reason: string, status = 200) =>
  answer(status, { valid: false, status: 'rejected', reason, message: '-' });

const facts = new TicketFacts();
facts.add({
  code: 'A',
  ticketId: 'tkt_a',
  usesAllowed: 5,
  validFrom: '2026-01-01T00:00:00Z',
  holder: { firstName: 'Ada', lastName: 'Lovelace' },
});
facts.add({ code: 'B', ticketId: 'tkt_b' });
const granted = {
  ...{ valid: true, status: 'validated', ticketId: 'tkt_a', usesAllowed: 5 },
  ...{ validFrom: '2026-01-01T01:00:00+01:00', holder: { firstName: 'Ada', lastName: 'Lovelace' } },
};
const told = (change: object) =>
  facts.wrongIn({ code: 'A', endpoint: 'validate', answer: answer(200, { ...granted, ...change }) })
    ?.fact;

test('two people may share a word of their names', () => {
  const all = new TicketFacts();
  all.add({ code: 'A', holder: { firstName: 'Bea', lastName: 'Weiß & Söhne' } });
  all.add({ code: 'B', holder: { firstName: 'Anna', lastName: 'Weiß' } });
  const toldOfA = (holder: object) =>
    all.wrongIn({ code: 'A', endpoint: 'validate', answer: answer(200, { ...granted, holder }) });
  const own = { firstName: 'Bea', lastName: 'Weiß & Söhne' };
  expect(toldOfA(own)?.fact).not.toBe('holder');
  expect(toldOfA({ ...own, firstName: 'Anna' })?.fact).toBe('holder');
});

type Row = readonly [section: string, sentence: string, holds: () => void];

/** Sentences of the specification that say which answer a request gets, each with what the law makes of it. */
const ROWS: readonly Row[] = [
  [
    '2.2',
    'A code that was manipulated or damaged is rejected as `invalid_ticket`, whatever kind of ticket it names, on every endpoint, for every key.',
    () => {
      const forged = { is: 'forged', of: 'permanent' } as const;
      expect(everywhere('good', forged)).toEqual(['invalid_ticket']);
      expect(everywhere('scoped', forged)).toEqual(['invalid_ticket']);
    },
  ],
  [
    '2.2',
    'A manipulated code of an event (or an organisation) that the key has no access to is refused, either as `invalid_ticket` or as `event_not_allowed`.',
    () =>
      expect(everywhere('scoped', { is: 'forged', of: 'otherEvent' })).toEqual([
        'invalid_ticket',
        'event_not_allowed',
      ]),
  ],
  [
    '2.2',
    'What a permanent card gets after 9999 uses.',
    () =>
      expect(everywhere('good', { is: 'ticket', kind: 'permanentEnded' })).toEqual(['anything']),
  ],
  [
    '2.3',
    '| `ticketId` | string | identifies the ticket; different for each ticket, and always the same for one |',
    () => {
      expect(told({ ticketId: 'tkt_c' })).toBe('ticketId');
      expect(told({ ticketId: 'tkt_b' })).toBe('ticketId');
    },
  ],
  [
    '2.3',
    '| `usesAllowed` | number | how many uses the ticket was sold with; a use does not change it |',
    () => expect(told({ usesAllowed: 4 })).toBe('usesAllowed'),
  ],
  [
    '2.3',
    '| `holder` | object | `firstName` and `lastName` of the holder; only if the ticket is personalised |',
    () => {
      expect(told({ holder: undefined })).toBe('holder');
      expect(told({ holder: { firstName: 'Ada', lastName: 'Lovelace &amp; Co' } })).toBe('holder');
    },
  ],
  [
    '2.3',
    '| `validFrom`, `validUntil` | string or null | the window, as ISO 8601 timestamps; null where the window is open |',
    () => {
      expect(told({})).toBeUndefined();
      expect(told({ validFrom: '2026-01-01T00:00:00+01:00' })).toBe('validFrom');
    },
  ],
  [
    '2.3',
    '| `validated` | true | the ticket may enter; validate only |',
    () =>
      expect(
        wrongStatusWord('validate', answer(200, { valid: true, status: 'consumed' })),
      ).toMatchObject({ expected: 'validated' }),
  ],
  [
    '2.3',
    '| `consumed` | true | the ticket entered; consume only |',
    () =>
      expect(
        wrongStatusWord('consume', answer(200, { valid: true, status: 'validated' })),
      ).toMatchObject({ expected: 'consumed' }),
  ],
  [
    '2.3',
    '| `not_found` | false | the code is genuine, but there is no such ticket |',
    () => expect(everywhere('good', { is: 'ticket', kind: 'unknown' })).toEqual(['not_found']),
  ],
  [
    '2.3',
    '| `ticket_cancelled` | the ticket was cancelled |',
    () =>
      expect(allowed('consume', 'good', { is: 'ticket', kind: 'cancelled' })).toEqual([
        'ticket_cancelled',
      ]),
  ],
  [
    '2.3',
    '| `not_yet_valid` | `validFrom` is in the future |',
    () =>
      expect(everywhere('good', { is: 'ticket', kind: 'notYetValid' })).toEqual(['not_yet_valid']),
  ],
  [
    '2.3',
    '| `expired` | `validUntil` has passed |',
    () => expect(everywhere('good', { is: 'ticket', kind: 'expired' })).toEqual(['expired']),
  ],
  [
    '3.1',
    '| active, disabled | delete | deleted | the key is invalid at once: every request with it gets 401 |',
    () => {
      expect(allowed('validate', 'refused', single)).toEqual(['unauthorised']);
      expect(wrongStatus('validate', answer(401, { message: 'Forbidden' }))).toBeUndefined();
    },
  ],
  [
    '3.1',
    '**Read as:** a disabled key must be refused; in which form is open.',
    () => {
      const outcomes = allowed('validate', 'disabled', single);
      expect(outcomes).toContain('denied');
      expect(outcomes).not.toContain('granted');
      expect(outcomes).not.toContain('exhausted');
    },
  ],
  [
    '3.2',
    '| either | `usesRemaining` is 0 | status `exhausted`, `valid` false; nothing changes |',
    () => {
      expect(everywhere('good', { ...single, uses: 'none' })).toEqual(['exhausted']);
      expect(everywhere('scoped', { ...single, uses: 'left' })).toEqual(['granted']);
    },
  ],
  [
    '4.5',
    'The answer is a JSON object with one field, `Key`.',
    () => expect(allowed('heartbeat', 'scoped', { is: 'nothing' })).toEqual(['confirmed']),
  ],
  [
    '4.5',
    'Without a key, or with an unknown, a deleted or a REST key, a heartbeat is not confirmed.',
    () => {
      const outcomes = allowed('heartbeat', 'refused', { is: 'nothing' });
      expect(outcomes).toContain('unauthorised');
      expect(outcomes).not.toContain('confirmed');
    },
  ],
  [
    '4.5',
    'The answer to an empty body, to a body that is not JSON, and to a disabled key.',
    () => expect(allowed('heartbeat', 'disabled', { is: 'nothing' })).toEqual(['anything']),
  ],
  [
    '5',
    'At a device a refusal is AcsRes `"0"` or a status of 400 or more, and it tells nothing about the ticket.',
    () => {
      const outcomes = allowed('hw/consume', 'refused', single);
      expect(outcomes).toContain('denied');
      for (const state of ['exhausted', 'expired', 'not_yet_valid', 'granted'] as const)
        expect(outcomes).not.toContain(state);
    },
  ],
  [
    '5',
    'A ticket of another event gets 403 with `rejected` and `event_not_allowed`; a device is denied.',
    () => {
      expect(everywhere('scoped', { is: 'ticket', kind: 'otherEvent' })).toEqual([
        'event_not_allowed',
      ]);
      expect(wrongStatus('consume', rejected('event_not_allowed'))).toMatchObject({
        expected: 403,
      });
    },
  ],
  [
    '5',
    'The ticket of another organisation is refused and keeps its use; 403 is not demanded.',
    () => {
      const outcomes = everywhere('good', { is: 'ticket', kind: 'otherOrganisation' });
      expect(outcomes).toContain('not_found');
      expect(outcomes).not.toContain('granted');
    },
  ],
  [
    '7.1',
    '| 400 | the body is unusable: not JSON, not an object, or `ticketCode` (in this spelling) is missing, empty or not a string |',
    () => {
      expect(allowed('validate', 'good', { is: 'nothing' })).toEqual(['missing_ticket_code']);
      expect(wrongStatus('validate', rejected('missing_ticket_code'))).toMatchObject({
        expected: 400,
      });
    },
  ],
  [
    '7.1',
    '| 404 | the ticket does not exist |',
    () =>
      expect(
        wrongStatus('validate', answer(200, { valid: false, status: 'not_found' })),
      ).toMatchObject({ expected: 404 }),
  ],
  [
    '7.1',
    '`exhausted`, `ticket_cancelled`, `not_yet_valid` and `expired` come with 200',
    () => {
      for (const reason of ['ticket_cancelled', 'not_yet_valid', 'expired'])
        expect(wrongStatus('consume', rejected(reason, 409))).toMatchObject({ expected: 200 });
    },
  ],
  [
    '7.1',
    'the status of `invalid_ticket`, which is below 500.',
    () => expect(wrongStatus('consume', rejected('invalid_ticket', 422))).toBeUndefined(),
  ],
  [
    '7.1',
    'Which of 401 and 400 comes first.',
    () =>
      expect(allowed('consume', 'refused', { is: 'nothing' })).toEqual([
        'unauthorised',
        'missing_ticket_code',
      ]),
  ],
  [
    '7.2',
    '| 401 | `message` alone, with the text `Forbidden` |',
    () => {
      expect(readStrictly('validate', answer(401, { message: 'Forbidden' })).outcome).toBe(
        'unauthorised',
      );
      expect(readStrictly('validate', answer(401, { message: 'Verboten' })).outcome).toBe('denied');
    },
  ],
  ...(
    [
      ['no uses left', 'Ticket erschöpft', 'exhausted'],
      ['its window has ended', 'Ticket abgelaufen', 'expired'],
      ['its window has not begun', 'Noch nicht gültig', 'not_yet_valid'],
      ['wrong signature', 'Ungültiges Ticket', 'invalid_ticket'],
      ['no such ticket', 'Ticket nicht gefunden', 'not_found'],
      ['event out of scope', 'Kein Zugriff', 'event_not_allowed'],
    ] as const
  ).map(
    ([situation, text, outcome]): Row => [
      '7.3',
      `| ${situation} | \`"0"\` | \`${text}\` |`,
      () => {
        expect(wrongNote(note(text), outcome)).toBeUndefined();
        expect(wrongNote(note('Denied'), outcome)).toMatchObject({ expected: text });
      },
    ],
  ),
  [
    '7.3',
    'the HTTP status of a denial at a device. The Note of a cancelled ticket.',
    () => {
      expect(
        wrongStatus('hw/consume', { ...note('Ticket erschöpft'), status: 409 }),
      ).toBeUndefined();
      expect(allowed('hw/consume', 'good', { is: 'ticket', kind: 'cancelled' })).toContain(
        'denied',
      );
    },
  ],
];

describe('the law says of an answer what the specification says', () => {
  test.each(ROWS)('%s: %s', (section, sentence, holds) => {
    expect(page.includes(sentence), 'on the page').toBe(true);
    expect(SECTIONS.has(section)).toBe(true);
    holds();
  });
});

/** Sections that say nothing about which answer a request gets, or leave that to the fields that cases look at. */
const WITHOUT_ROWS: Readonly<Record<string, string>> = {
  '1': 'what no answer may contain: cases look for it',
  '2': 'a heading',
  '2.1': 'keys are made in a dashboard',
  '2.4': 'the fields of an answer at a device: cases look at them',
  '3': 'a heading',
  '4': 'methods and paths: which requests are asked',
  '4.1': 'its outcomes are those of 2.3',
  '4.2': 'its outcomes are those of 2.3',
  '4.3': 'its outcomes are those of 2.3, its texts those of 7.3',
  '4.4': 'as 4.3',
  '4.6': 'what callers do with an answer',
  '6': 'nothing is required',
  '7': 'a heading',
  '8': 'how many requests: time, and no single answer',
  '9': 'nothing is required',
};

test('every section is held by the law, or it is said why not', () => {
  const held = new Set(ROWS.map(([section]) => section.split('.').slice(0, 2).join('.')));
  const whole = [...SECTIONS.keys()].filter(
    (number) => !(number.startsWith('5.') || number.startsWith('1.') || number.startsWith('4.6.')),
  );
  const missing = whole.filter((number) => !held.has(number) && !(number in WITHOUT_ROWS));
  expect(missing).toEqual([]);
  const idle = Object.keys(WITHOUT_ROWS).filter((number) => held.has(number));
  expect(idle).toEqual([]);
});

test('every section that the law names is on the page', () => {
  const shown: readonly Shown[] = [
    { is: 'nothing' },
    { is: 'forged' },
    ...(['unknown', 'cancelled', 'expired', 'otherEvent', 'otherOrganisation'] as const).map(
      (kind) => ({ is: 'ticket', kind }) as const,
    ),
    single,
  ];
  for (const endpoint of ENDPOINTS)
    for (const key of ['good', 'scoped', 'disabled', 'refused'] as const)
      for (const one of shown) {
        const { section, text } = allowedAnswers({ endpoint, key, shown: one });
        expect(SECTIONS.has(section), `${section} of ${endpoint} ${key}`).toBe(true);
        expect(text, `${endpoint} ${key} ${one.is} ${isRest(endpoint)}`).not.toBe('');
      }
});
