import type { Cell, CheckCase, Needs } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  type Exchange,
  isRest,
  type RequestSpec,
  VALIDATES,
  type ValidateEndpoint,
  validateFor,
} from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { expectFields } from '../judging/expect.ts';
import { on } from '../samples/matrix.ts';
import { race, raceForUses } from '../samples/races.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';
import { counted, expectCounted } from '../samples/uses.ts';

const GATES = 10;
/** More than the waiting room of many a lock or pool of connections holds. */
const MANY_GATES = 32;
/** A narrow window is not hit every time, and a narrow lock only by many. */
const ROUNDS = [GATES, MANY_GATES] as const;
/** Uses that are taken while others look at the ticket. */
const LOOKED_AT_USES = 6;
/** Kinds whose uses a server may keep in another place, or take by other code, than those of ordinary tickets. */
const OTHER_KINDS = [
  'hundred',
  'personalised',
  'windowed',
  'openEnd',
  'openStart',
  'otherEvent',
] as const;
/** As many of each of them as show that the uses are not taken one after another. */
const GATES_OF_A_KIND = 4;
/** Different tickets at the same instant. */
const TICKETS = 3;

/** Many gates at the same instant. */
interface Race {
  readonly variant: string;
  readonly endpoints?: readonly ConsumeEndpoint[];
  needs(endpoint: ConsumeEndpoint): Needs;
  run(scan: Scan, endpoint: ConsumeEndpoint): Promise<void>;
}

const RACES: readonly Race[] = [
  {
    variant: 'only-use',
    needs: () => ({ tickets: { single: ROUNDS.length }, uses: { single: ROUNDS.length } }),
    async run(scan, endpoint) {
      for (const [round, gates] of ROUNDS.entries()) {
        const { code } = scan.ticket('single', round);
        const request = scan.request(endpoint, code, keyOfCrowd(scan, endpoint, gates));
        await race(scan, copiesOf(request, manyAtOnce(scan, gates)), 1);
        await expectCounted(scan, { code, allowed: 1, used: 1 }, validateFor(endpoint));
      }
    },
  },
  {
    variant: 'devices-and-software',
    endpoints: ['consume'],
    needs: () => ({ keys: ['rest', 'hardware'], tickets: { single: 1 }, uses: { single: 1 } }),
    async run(scan) {
      await race(scan, onBothSides(scan, scan.ticket('single').code, GATES), 1);
    },
  },
  ...OTHER_KINDS.map(
    (kind): Race => ({
      variant: kind,
      endpoints: ['consume'],
      needs: () => ({
        keys: ['rest', 'hardware'],
        tickets: { [kind]: 1 },
        uses: { [kind]: GATES_OF_A_KIND },
      }),
      async run(scan) {
        const card = await counted(scan, scan.ticket(kind).code);
        const wins = Math.min(GATES_OF_A_KIND, card.allowed - card.used);
        await race(scan, onBothSides(scan, card.code, GATES_OF_A_KIND), wins);
        await expectCounted(scan, { ...card, used: card.used + wins }, 'validate');
      },
    }),
  ),
  {
    variant: 'last-uses',
    needs: () => ({ tickets: { multi: 1 }, uses: { multi: GATES } }),
    run: (scan, endpoint) => forCard(scan, endpoint, GATES, [keyFor(endpoint)]),
  },
  {
    variant: 'two-keys',
    needs: (endpoint) => ({
      keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
      tickets: { multi: 1 },
      uses: { multi: MANY_GATES },
    }),
    run: (scan, endpoint) =>
      forCard(scan, endpoint, manyAtOnce(scan, MANY_GATES), [
        keyFor(endpoint),
        scopedKeyFor(endpoint),
      ]),
  },
  {
    variant: 'permanent',
    needs: () => ({ sharedCard: true, uses: { permanent: GATES } }),
    async run(scan, endpoint) {
      const granted = await race(
        scan,
        copiesOf(scan.request(endpoint, scan.sharedCard()), GATES),
        GATES,
      );
      expectApart(scan, granted, 'usesConsumed', ({ answer }) => read(answer).used);
    },
  },
  {
    variant: 'different-tickets',
    needs: () => ({ tickets: { single: TICKETS }, uses: { single: TICKETS } }),
    async run(scan, endpoint) {
      const codes = Array.from({ length: TICKETS }, (_, i) => scan.ticket('single', i).code);
      const requests = codes.map((code) => scan.request(endpoint, code));
      const granted = await race(scan, requests, TICKETS);
      // the answers to a device do not differ between two single tickets
      if (isRest(endpoint))
        expectApart(scan, granted, 'ticketId', ({ answer }) => Object(answer.json).ticketId);
    },
  },
];

/** Section 3.2 under load: many gates at the same instant. */
export const RACE_CASES: readonly CheckCase[] = [
  {
    id: '3.2/race',
    states: ['uses at one moment'],
    requirement: `When ${GATES} or ${MANY_GATES} gates consume at once, a ticket lets in as many as it has uses left, each use has a number of its own, and different tickets do not get in each other's way.`,
    buildsOn: [
      '4/good-ticket',
      '2.4/any-sender',
      '3.2/consume-counts-one',
      '3.2/keys-share-the-counter',
      '5/out-of-scope-keeps-its-use',
      '3.2/each-use-is-counted',
    ],
    cells: RACES.flatMap(({ variant, endpoints = CONSUMES, needs, run }) =>
      endpoints.map(
        (endpoint): Cell => ({
          endpoint,
          variant,
          keys: [keyFor(endpoint)],
          ...needs(endpoint),
          run: (scan) => run(scan, endpoint),
        }),
      ),
    ),
  },
  {
    id: '3.2/validate-during-a-use',
    states: ['uses at one moment'],
    requirement: 'A use that is taken while the same ticket is validated is counted.',
    cells: on(VALIDATES, (endpoint) => ({
      keys: ['rest', 'hardware'],
      tickets: { hundred: 1 },
      uses: { hundred: LOOKED_AT_USES },
      run: (scan) => useWhileLookedAt(scan, endpoint),
    })),
  },
];

/** A race for the uses of a card of the target. */
async function forCard(
  scan: Scan,
  endpoint: ConsumeEndpoint,
  gates: number,
  keys: readonly KeyName[],
): Promise<void> {
  const card = await counted(scan, scan.ticket('multi').code, validateFor(endpoint));
  await raceForUses(scan, card, { endpoint, gates, keys });
}

/** One use at a time, on each consume endpoint in turn, while the ticket is validated; each must have a number of its own. */
async function useWhileLookedAt(scan: Scan, endpoint: ValidateEndpoint): Promise<void> {
  const { code, used: before } = await counted(scan, scan.ticket('hundred').code);
  const look = scan.request(endpoint, code);
  for (let used = before + 1; used <= before + LOOKED_AT_USES; used += 1) {
    const use = scan.request(used % 2 === 0 ? 'consume' : 'hw/consume', code);
    // a look that begins after the use would write it back
    const [, , taken] = await scan.together([look, look, use]);
    const seen = taken && read(taken.answer).used;
    if (seen !== used) scan.fail(`the use ${used}`, `the use ${seen ?? 'is not shown'}`, taken);
  }
  expectFields(await scan.validate(code), { usesConsumed: before + LOOKED_AT_USES });
}

/** Requests of devices and of software in turn. */
function onBothSides(scan: Scan, code: string, gates: number): RequestSpec[] {
  return Array.from({ length: gates }, (_, i) => scan.request(CONSUMES[i % 2] ?? 'consume', code));
}

/** The same request for every gate. */
function copiesOf(request: RequestSpec, gates: number): RequestSpec[] {
  return Array.from({ length: gates }, () => request);
}

/** Where the limits do not allow so many at once, as many as they allow. */
function manyAtOnce(scan: Scan, gates: number): number {
  return Math.max(GATES, scan.atOnce(gates));
}

/** A crowd has the key that has fewer other requests to send. */
function keyOfCrowd(scan: Scan, endpoint: ConsumeEndpoint, gates: number): KeyName {
  const scoped = scopedKeyFor(endpoint);
  return gates > GATES && scan.hasKey(scoped) ? scoped : keyFor(endpoint);
}

/** Each of the grants must show a value of its own. */
function expectApart(
  scan: Scan,
  granted: readonly Exchange[],
  field: 'usesConsumed' | 'ticketId',
  partOf: (exchange: Exchange) => unknown,
): void {
  const values = new Set(granted.map(partOf));
  if (values.size === granted.length) return;
  const expected = `${granted.length} different values of ${field}`;
  scan.fail(expected, `${values.size} different: ${[...values].join(', ')}`, granted[0], [field]);
}
