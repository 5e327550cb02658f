import type { Cell, CheckCase } from '../cases/case.ts';
import { Undecided } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { expectFields, expectStatus, expectTypedFields, objectOf } from '../judging/expect.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  isDevice,
  LOOKS,
  type LookEndpoint,
  SCANS,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';
import {
  GOOD,
  GOOD_TOO,
  type GoodKind,
  REFUSED,
  type RefusedKind,
  sampleOf,
  scopedKeyFor,
} from '../samples/samples.ts';
import { expectUses, READERS, usesIn, usesOf, usesSamplesOf } from '../samples/uses.ts';
import type { KeyName, TicketKind } from '../target/target.ts';

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
    cause: 'Keys for selected events take another way through the service.',
    cells: [
      ...LOOKS.flatMap((endpoint) =>
        [...GOOD, ...GOOD_TOO].map((kind) => validatedAlike(kind, endpoint)),
      ),
      ...CONSUMES.flatMap((endpoint) =>
        CONSUMED.map((kind) => countedCell(kind, endpoint, scopedKeyFor(endpoint))),
      ),
    ],
  },
  {
    id: '5/scoped-keys-refuse-like-others',
    requirement:
      'A ticket that is refused gets the same result with a key for selected events as with a key for all events.',
    cause: 'With a key for selected events the event is looked at instead of the ticket.',
    cells: SCANS.flatMap((endpoint) => [
      ...REFUSED.map((kind) => refusedAlike(kind, endpoint)),
      usedUpCard(endpoint),
    ]),
  },
];

/** The ticket of a shared answer, which no case consumes, shown with the scoped key. */
function validatedAlike(kind: GoodKind, endpoint: LookEndpoint): Cell {
  return alike(kind, endpoint, (exchange, shared) => {
    if (isDevice(endpoint)) expectFields(exchange, { AcsRes: '1' });
    else expectFields(exchange, { valid: true });
    expectSame(exchange, shared, isDevice(endpoint) ? ['AcsRes', 'Note'] : RESULT_FIELDS);
  });
}

/** Compares what the scoped key gets for the ticket of a shared answer with that answer. */
function alike(
  kind: GoodKind | RefusedKind,
  endpoint: ScanEndpoint,
  compare: (exchange: Exchange, shared: Exchange, scan: Scan) => void,
): Cell {
  const sample = sampleOf(kind, endpoint);
  return {
    endpoint,
    variant: kind,
    keys: [scopedKeyFor(endpoint)],
    samples: [sample],
    async run(scan) {
      const shared = await scan.sample(sample);
      compare(await askScoped(scan, endpoint, sample, kind), shared, scan);
    },
  };
}

function askScoped(scan: Scan, endpoint: ScanEndpoint, sample: string, kind: TicketKind) {
  return scan.ask(endpoint, scan.ticketOf(sample, kind).code, scopedKeyFor(endpoint));
}

function expectSame(exchange: Exchange, other: Exchange, names: readonly string[]): void {
  const fields = objectOf(other);
  expectFields(exchange, Object.fromEntries(names.map((name) => [name, fields[name]])));
}

/** A use of a ticket of its own: shown, counted once, and nothing else changed. A device reads it by its second reader. */
export function countedCell(kind: TicketKind, endpoint: ConsumeEndpoint, key: KeyName): Cell {
  return {
    endpoint,
    variant: kind,
    keys: ['rest', key],
    tickets: { [kind]: 1 },
    uses: { [kind]: 1 },
    async run(scan) {
      const { code } = scan.ticket(kind);
      const look = isDevice(endpoint) ? 'hw/validate' : 'validate';
      const before = await scan.ask(look, code, key);
      const { allowed, used } = usesIn(before);
      const exchange = await scan.ask(endpoint, code, key, READERS[1]);
      if (isDevice(endpoint)) expectFields(exchange, { AcsRes: '1' });
      else expectKept(exchange, before, kind);
      const afterwards = used + 1;
      expectUses({ endpoint, exchange, used: afterwards, isGranted: true }, allowed);
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

function expectKept(exchange: Exchange, before: Exchange, kind: TicketKind): void {
  expectTypedFields(exchange, ['scannedAt', ...(kind === 'personalised' ? ['holder'] : [])]);
  const fields = objectOf(before);
  expectSame(
    exchange,
    before,
    KEPT_FIELDS.filter((name) => name in fields),
  );
}

function refusedAlike(kind: RefusedKind, endpoint: ScanEndpoint): Cell {
  return alike(kind, endpoint, (exchange, shared, scan) => {
    expectFields(exchange, isDevice(endpoint) ? { AcsRes: '0' } : { valid: false });
    const { inScope } = scan.ticketOf(sampleOf(kind, endpoint), kind);
    // a ticket that does not exist belongs to no event, unless the target says which: what is looked at first is not said
    if (kind === 'unknown' && !inScope && isOutOfScope(exchange)) return;
    expectSame(exchange, shared, fieldsOfRefusal(kind, endpoint));
    if (!isDevice(endpoint)) expectStatus(exchange, shared.answer.status);
  });
}

/** Section 7.3 has no text for a cancelled ticket. */
function fieldsOfRefusal(kind: RefusedKind, endpoint: ScanEndpoint): readonly string[] {
  if (!isDevice(endpoint)) return RESULT_FIELDS;
  return kind === 'cancelled' ? ['AcsRes'] : ['AcsRes', 'Note'];
}

function isOutOfScope(exchange: Exchange): boolean {
  const { reason, Note } = objectOf(exchange);
  return reason === 'event_not_allowed' || Note === DENIAL_NOTES.outOfScope;
}

/** The card that another case followed to its end. */
function usedUpCard(endpoint: ScanEndpoint): Cell {
  const [sample = '', uses = ''] = usesSamplesOf('multi', 'consume');
  return {
    endpoint,
    variant: 'a used-up card',
    keys: [scopedKeyFor(endpoint)],
    samples: [sample, uses],
    async run(scan) {
      const { answers, allowed } = await usesOf(scan, 'multi', 'consume');
      if (answers.every(({ isGranted }) => isGranted))
        return new Undecided('the "multi" ticket has too many uses left to be used up');
      const exchange = await askScoped(scan, endpoint, sample, 'multi');
      expectUses({ endpoint, exchange, used: allowed, isGranted: false }, allowed);
      return undefined;
    },
  };
}
