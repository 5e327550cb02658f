import type { CheckCase } from '../cases/case.ts';
import { CONSUMES, type ConsumeEndpoint, VALIDATES, validateFor } from '../facts/exchange.ts';
import { cardOf } from '../requests/scan-request.ts';
import { judging, on } from '../samples/matrix.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';
import { counted, expectCounted, expectUses, unused } from '../samples/uses.ts';

/** A device that posts a card again: elsewhere each post comes from a device of its own, because a window for repeats may be set. */
const REPEATING_DEVICE = 'REPEATS-1';

/** Section 3.2: the use counter over sequences of scans, from the plainest on. */
export const COUNTER_CASES: readonly CheckCase[] = [
  {
    id: '3.2/validate-changes-nothing',
    states: ['uses'],
    buildsOn: ['2.3/uses-allowed-as-sold'],
    requirement: 'Validating changes nothing: the counters stay, however often it is done.',
    cells: VALIDATES.flatMap((endpoint) =>
      (['single', 'multi'] as const).map((kind) => ({
        endpoint,
        variant: kind,
        keys: ['rest', keyFor(endpoint)],
        tickets: { [kind]: 1 },
        async run(scan) {
          const { code } = scan.ticket(kind);
          const ticket = kind === 'single' ? unused(code) : await counted(scan, code);
          for (const look of [endpoint, endpoint, 'validate'] as const)
            await expectCounted(scan, ticket, look);
        },
      })),
    ),
  },
  {
    id: '3.2/consume-counts-one',
    states: ['uses'],
    requirement: 'Each consume raises usesConsumed by 1 and lowers usesRemaining by 1.',
    cells: CONSUMES.flatMap((endpoint) =>
      (['multi', 'permanent'] as const).map((kind) => ({
        endpoint,
        variant: kind,
        keys: [keyFor(endpoint)],
        tickets: { [kind]: 1 },
        uses: { [kind]: 3 },
        async run(scan) {
          const card = await counted(scan, scan.ticket(kind).code, validateFor(endpoint));
          for (const place of [endpoint, endpoint, endpoint, validateFor(endpoint)])
            await expectCounted(scan, card, place);
        },
      })),
    ),
  },
  {
    id: '3.2/single-only-once',
    states: ['uses'],
    requirement: 'A single ticket is consumed once; then consume and validate say `exhausted`.',
    cells: judging(['single'], CONSUMES, async (exchange, scan, { endpoint, sample }) => {
      expectUses({ endpoint, exchange, used: 1, isGranted: true }, 1);
      const ticket = { ...unused(scan.ticketOf(sample, 'single').code), used: 1 };
      for (const place of [endpoint, validateFor(endpoint)])
        await expectCounted(scan, ticket, place);
    }).map((cell) => ({ ...cell, uses: {} })),
  },
  {
    id: '3.2/counter-is-shared',
    states: ['uses'],
    requirement:
      'Devices and software share the counter: a ticket that was consumed on one side is exhausted on the other.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', 'hardware'],
      tickets: { single: 1 },
      uses: { single: 1 },
      async run(scan) {
        const ticket = unused(scan.ticket('single').code);
        const other = otherSideOf(endpoint);
        for (const place of [endpoint, other, validateFor(other)])
          await expectCounted(scan, ticket, place);
      },
    })),
  },
  {
    id: '3.2/tickets-count-apart',
    states: ['uses'],
    requirement: "Consuming one ticket does not change another one's counter.",
    cells: on(CONSUMES, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { single: 2 },
      uses: { single: 1 },
      async run(scan) {
        await expectCounted(scan, unused(scan.ticket('single').code), endpoint);
        await expectCounted(scan, unused(scan.ticket('single', 1).code), validateFor(endpoint));
      },
    })),
  },
  {
    id: '3.2/keys-share-the-counter',
    states: ['uses'],
    requirement:
      'The counter belongs to the ticket: what one key consumed is used up for every key.',
    buildsOn: ['5/own-event'],
    cells: on(CONSUMES, (endpoint) => ({
      keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
      tickets: { single: 1 },
      uses: { single: 1 },
      async run(scan) {
        const ticket = unused(scan.ticket('single').code);
        await expectCounted(scan, ticket, endpoint);
        await expectCounted(scan, ticket, endpoint, { key: scopedKeyFor(endpoint) });
      },
    })),
  },
  {
    id: '3.2/uses-on-one-connection',
    requirement: 'Uses count alike, whether they come over one connection or over several.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { multi: 1 },
      uses: { multi: 3 },
      async run(scan) {
        const card = await counted(scan, scan.ticket('multi').code, validateFor(endpoint));
        await scan.onOneConnection(async (send) => {
          await expectCounted(scan, card, endpoint, { send });
          await expectCounted(scan, card, endpoint);
          await expectCounted(scan, card, endpoint, { send });
        });
        await expectCounted(scan, card, validateFor(endpoint));
      },
    })),
  },
  {
    id: '3.2/same-post-again',
    level: 'observed',
    states: ['uses'],
    requirement:
      'A card that the same reader posts again at once is a second entry: each door that opens takes one use, unless a window for repeated posts is set.',
    cells: on(['hw/consume'], () => ({
      keys: ['rest', 'hardware'],
      tickets: { multi: 1 },
      uses: { multi: 2 },
      async run(scan) {
        const card = await counted(scan, scan.ticket('multi').code, 'validate');
        const post = scan.cardRequest('hw/consume', {
          Card: cardOf(card.code),
          Serial: REPEATING_DEVICE,
        });
        const send = () => scan.send(post);
        await expectCounted(scan, card, 'hw/consume', { send });
        await expectCounted(scan, card, 'hw/consume', { send });
        await expectCounted(scan, card, 'validate');
      },
    })),
  },
  {
    id: '3.2/exhausted-stays-exhausted',
    buildsOn: ['3.2/counter-is-shared'],
    states: ['uses'],
    requirement: 'Consuming an exhausted ticket changes nothing.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { exhausted: 1 },
      uses: {},
      async run(scan) {
        const { code, allowed } = await counted(scan, scan.ticket('exhausted').code);
        for (const place of [endpoint, 'validate'] as const)
          await expectCounted(scan, { code, allowed, used: allowed }, place);
      },
    })),
  },
];

function otherSideOf(endpoint: ConsumeEndpoint): ConsumeEndpoint {
  return endpoint === 'consume' ? 'hw/consume' : 'consume';
}
