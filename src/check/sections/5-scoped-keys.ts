import { type Cell, type CheckCase, Inconclusive } from '../cases/case.ts';
import type { KeyName, TicketKind } from '../deployment/target.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  type Exchange,
  isDevice,
  SCANS,
  type ScanEndpoint,
  VALIDATES,
} from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { expectFields, expectStatus, objectOf } from '../judging/expect.ts';
import {
  dashed,
  GOOD,
  GOOD_TOO,
  type GoodKind,
  REFUSED,
  type RefusedKind,
  sampleOf,
  scopedKeyFor,
  showGuest,
} from '../samples/samples.ts';
import { expectUses, READERS, usesIn, usesOf, usesSamplesOf } from '../samples/uses.ts';

/** Single tickets and cards of 100 have cases of their own. */
const CONSUMED = [...GOOD, ...GOOD_TOO].filter((kind) => kind !== 'single' && kind !== 'hundred');
/** Their count is looked at with another key, which has fewer requests left. */
const SEEN_BY_OTHERS: readonly TicketKind[] = ['single', 'multi', 'permanent'];
/** What a use leaves as it is. */
const KEPT_FIELDS = ['ticketId', 'ticketType', 'usesAllowed', 'holder', 'validFrom', 'validUntil'];
const RESULT_FIELDS = [
  ...['valid', 'status', 'reason', 'usesConsumed', 'usesRemaining'],
  ...KEPT_FIELDS,
];

/** Section 5, event scope: keys for selected events scan the tickets of those events like any other key. */
export const SCOPED_KEY_CASES: readonly CheckCase[] = [
  {
    id: '5/scoped-keys-scan-like-others',
    requirement:
      'What a key for selected events may scan it scans like any other key: the same result, and one use.',
    cells: [
      ...VALIDATES.flatMap((endpoint) =>
        [...GOOD, ...GOOD_TOO].map((kind) => answeredAlike(kind, endpoint)),
      ),
      ...CONSUMES.flatMap((endpoint) =>
        CONSUMED.map((kind) => countedCell(kind, endpoint, scopedKeyFor(endpoint))),
      ),
    ],
  },
  {
    id: '5/scoped-keys-refuse-like-others',
    buildsOn: [
      '3.2/keys-share-the-counter',
      '3.2/each-use-is-counted',
      '5/out-of-scope-refused',
      '3.2/use-stays-taken',
      '3.2/refusal-stays',
    ],
    requirement:
      'A ticket that is refused gets the same result with a key for selected events as with a key for all events.',
    cells: SCANS.flatMap((endpoint) => [
      ...REFUSED.map((kind) => answeredAlike(kind, endpoint)),
      usedUpCard(endpoint),
    ]),
  },
];

/** The ticket of a shared answer, from which nothing is taken, shown with the scoped key. */
function answeredAlike(kind: GoodKind | RefusedKind, endpoint: ScanEndpoint): Cell {
  const sample = sampleOf(kind, endpoint);
  return {
    endpoint,
    variant: dashed(kind),
    keys: [scopedKeyFor(endpoint)],
    samples: [sample],
    async run(scan) {
      const shared = await scan.sample(sample);
      const { code, inScope } = scan.ticketOf(sample, kind);
      const exchange = await scan.ask(endpoint, code, scopedKeyFor(endpoint));
      // a ticket that does not exist belongs to no event, unless the target says which: what is looked at first is not said
      const isOpen = kind === 'unknown' && !inScope;
      if (isOpen && read(exchange.answer).outcome === 'event_not_allowed') return;
      // section 7.3 has no text for a cancelled ticket
      const ofDevice = kind === 'cancelled' ? ['AcsRes'] : ['AcsRes', 'Note'];
      const told = isDevice(endpoint) ? ofDevice : scan.answers.heldIn(shared, RESULT_FIELDS);
      expectSame(exchange, shared, told);
      if (!isDevice(endpoint)) expectStatus(exchange, shared.answer.status);
    },
  };
}

function expectSame(exchange: Exchange, other: Exchange, names: readonly string[]): void {
  const fields = objectOf(other);
  expectFields(exchange, Object.fromEntries(names.map((name) => [name, fields[name]])));
}

/** A use of a ticket of its own: shown, counted once, and nothing else changed. A device reads it by its second reader. */
export function countedCell(kind: TicketKind, endpoint: ConsumeEndpoint, key: KeyName): Cell {
  return {
    endpoint,
    variant: dashed(kind),
    keys: ['rest', key],
    tickets: { [kind]: 1 },
    uses: { [kind]: 1 },
    async run(scan) {
      const { code } = scan.ticket(kind);
      const look = isDevice(endpoint) ? 'hw/validate' : 'validate';
      await showGuest(scan, kind, endpoint, code);
      const before = await scan.ask(look, code, key);
      const { allowed, used } = usesIn(before);
      const exchange = await scan.ask(endpoint, code, key, READERS[1]);
      const afterwards = used + 1;
      expectUses({ endpoint, exchange, used: afterwards, isGranted: true }, allowed);
      const kept = scan.answers
        .heldIn(before, KEPT_FIELDS)
        .filter((name) => name in objectOf(before));
      if (!isDevice(endpoint)) expectSame(exchange, before, kept);
      if (SEEN_BY_OTHERS.includes(kind)) {
        expectFields(await scan.validate(code), { usesConsumed: afterwards });
        return;
      }
      const after = await scan.ask(look, code, key);
      const isGranted = afterwards < allowed;
      expectUses({ endpoint: look, exchange: after, used: afterwards, isGranted }, allowed);
    },
  };
}

/** The card that another case followed to its end. */
function usedUpCard(endpoint: ScanEndpoint): Cell {
  const [sample = '', uses = ''] = usesSamplesOf('multi', 'consume');
  return {
    endpoint,
    variant: 'used-up-card',
    keys: [scopedKeyFor(endpoint)],
    samples: [sample, uses],
    async run(scan) {
      const { answers, allowed } = await usesOf(scan, 'multi', 'consume');
      if (answers.every(({ isGranted }) => isGranted))
        return new Inconclusive('the "multi" ticket has too many uses left to be used up');
      const { code } = scan.ticketOf(sample, 'multi');
      const exchange = await scan.ask(endpoint, code, scopedKeyFor(endpoint));
      expectUses({ endpoint, exchange, used: allowed, isGranted: false }, allowed);
      return undefined;
    },
  };
}
