import { expect, test } from 'vitest';
import type { Attempt } from '../../prove/splits/clients.ts';
import { type SplitFacts, splitProblems } from '../../prove/splits/judge.ts';

const ticket = { ticketId: 'tkt_pool_1', code: 'x', event: 'pool', usesAllowed: 2 };

function attempt(at: string, sentAt: number, became: Attempt['became'] = 'granted'): Attempt {
  return { at, ticket, sentAt, answeredAt: sentAt + 10, became };
}

const row = (number: number, changes: object = {}) =>
  ({
    sequence: number,
    status: 'consumed',
    replayed: false,
    ticketId: ticket.ticketId,
    site: { id: 'st_1.a', number, late: false },
    ...changes,
  }) as never;

const act = (name: string, at: number, site = 'North') =>
  ({ act: name, subject: 'pool', at, details: { site } }) as never;

/** The event was at North from 10,000 to 20,000: one use there, and one before it at the centre. */
const GOOD: SplitFacts = {
  tickets: [ticket],
  attempts: [
    attempt('centre', 1000),
    attempt('North', 15_000),
    attempt('centre', 15_000, 'elsewhere'),
  ],
  log: [row(1, { site: undefined }), row(2)],
  acts: [act('event.give', 10_000), act('event.arrive', 11_000), act('event.return', 20_000)],
  printed: 0,
  restored: new Set(),
  sites: new Map([['st_1', 'North']]),
  audits: [],
};

test('what is as it should be has no problem', () => {
  expect(splitProblems(GOOD)).toEqual([]);
});

test.each([
  [
    'a use too many',
    { attempts: [...GOOD.attempts, attempt('North', 16_000)], log: [...GOOD.log, row(3)] },
    'more than its 2 uses',
  ],
  ['a row twice', { log: [...GOOD.log, row(2)] }, 'is at the centre twice'],
  ['a lost use', { log: GOOD.log.slice(0, 1) }, 'were acknowledged, 0 are at the centre'],
  ['an invented use', { attempts: GOOD.attempts.slice(0, 1) }, 'only 0 were asked for'],
  [
    'a scan at the centre while the event is away',
    { attempts: [...GOOD.attempts, attempt('centre', 15_000, 'denied')] },
    'where its event was not',
  ],
  [
    'a scan at another site',
    { attempts: [...GOOD.attempts, attempt('South', 15_000, 'denied')] },
    'where its event was not',
  ],
  [
    'a late row of an event that nobody freed',
    {
      log: [
        ...GOOD.log.slice(0, 1),
        row(2, { replayed: true, site: { id: 'st_1.a', number: 2, late: true } }),
      ],
    },
    'takes no use',
  ],
  ['what an audit finds', { audits: ['counters differ'] }, 'counters differ'],
] as const)('%s is found', (_what, changes, problem) => {
  const found = splitProblems({ ...GOOD, ...(changes as Partial<SplitFacts>) });
  expect(found.join('\n')).toContain(problem);
});

test('as many uses as a command printed are no problem, and one more is', () => {
  const twice = [...GOOD.attempts, attempt('North', 16_000)];
  const log = [...GOOD.log, row(3)];
  expect(splitProblems({ ...GOOD, attempts: twice, log, printed: 1 })).toEqual([]);
  const thrice = [...twice, attempt('North', 17_000)];
  const more = { ...GOOD, attempts: thrice, log: [...log, row(4)], printed: 1 };
  expect(splitProblems(more)).toHaveLength(1);
});
