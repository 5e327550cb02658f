import { expect, test } from 'vitest';
import { CASES } from '../../src/check/sections/index.ts';
import { caseOf, FOUND } from './found.ts';

const IN_RATES = 'Asked with the rate limits, whose faulty servers are in faults/rate-limits.ts.';
const COUNTS = '3.2/each-use-is-counted follows each kind of ticket, on both sides, and tells it.';

const CHANGES =
  'A key that is kept for a while is told by the first change of the run: 3.1/disabled-at-once, 3.1/narrower-scope-at-once.';
const FORGED = '2.2/forged-code shows each endpoint more forged codes, and tells it.';

/** Cases on stated sentences that are the first finding of no faulty server, and what tells such a fault instead. */
const NEVER_FIRST: Readonly<Record<string, string>> = {
  '2.2/forged-after-the-genuine-code': FORGED,
  '2.2/forged-codes-take-no-use':
    'The use is missed by what shows the ticket next: it follows. Which one that is differs.',
  '2.2/ticket-type': '2.2/uses-allowed and 2.3/type-fits-uses say it between them.',
  '2.3/consume-tells-what-validate-told': '2.3/field-types, or 2.3/facts-stay-through-uses.',
  '2.3/nothing-of-another-ticket':
    '2.3/every-answer and 2.3/holder-absent compare the same fields with the target.',
  '2.3/uses-of-a-single-ticket': '2.2/uses-allowed, 2.3/uses-add-up and 2.3/grant-fields.',
  '2.3/window-timestamps': '2.3/field-types and 2.3/grant-fields.',
  '2.3/ticket-id-unique': 'Targets of faulty servers tell the ids: 2.3/ticket-id-as-issued.',
  '2.3/uses-allowed-stays': '2.2/uses-allowed, or 2.3/uses-allowed-as-sold.',
  '2.4/two-readers-one-ticket': FORGED,
  '3.1/narrower-scope-keeps-its-events': CHANGES,
  '3.1/wider-scope-at-once': CHANGES,
  '3.2/every-answer': 'The case that shows the ticket next tells it: which one that is differs.',
  '3.2/exhausted-stays-exhausted': COUNTS,
  '3.2/tickets-count-apart': COUNTS,
  '5/all-events': '3.2/race, which also races for a ticket of the other event.',
  '5/each-request-by-its-own-key':
    'A server that shuts out its sender is told by it or by 5/good-key-accepted: by chance.',
  '4.5/takes-no-use': 'The use is missed by what shows the ticket next: 5/good-key-accepted.',
  '7.2/error-body': 'A case on each of its answers tells the field.',
  '7.2/body-of-429': IN_RATES,
  '7.3/limited-opens-no-door': IN_RATES,
};
/** Which of two cases meets it first differs from run to run. */
const BY_CHANCE = ['5/each-request-by-its-own-key'];

test('each case on a stated sentence is the first finding of a faulty server, or on the list with the reason', () => {
  const first = new Set(
    Object.values(FOUND).flatMap(({ findings: [one] }) => (one === undefined ? [] : caseOf(one))),
  );
  const never = CASES.filter(
    ({ id, level = 'stated' }) => level === 'stated' && !id.startsWith('8/') && !first.has(id),
  ).map(({ id }) => id);
  expect(first.size).toBeGreaterThan(80);
  const isFixed = (id: string) => !BY_CHANCE.includes(id);
  const listed = Object.keys(NEVER_FIRST).filter(isFixed);
  expect(never.filter(isFixed).toSorted()).toEqual(listed.toSorted());
});
