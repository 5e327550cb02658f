import type { Cell, CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName, TicketKind } from '../deployment/target.ts';
import {
  describeAnswer,
  type Exchange,
  isConsume,
  isDevice,
  SCANS,
  type ScanEndpoint,
  VALIDATES,
} from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import {
  expectAccepted,
  expectDenied,
  expectFields,
  expectStatusOf,
  expectTold,
} from '../judging/expect.ts';
import { judging, on } from '../samples/matrix.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';
import { asShown, expectCounted, expectUses } from '../samples/uses.ts';
import { countedCell } from './5-scoped-keys.ts';

/** Section 5, event scope: which tickets a key may scan. */
export const SCOPE_CASES: readonly CheckCase[] = [
  {
    id: '5/out-of-scope-refused',
    states: ['a ticket out of scope'],
    requirement:
      'A ticket of an event that the key has no access to gets 403, `rejected`, `event_not_allowed`; a device is denied.',
    cells: judging(['outOfScope'], SCANS, (exchange, _, { endpoint }) => {
      if (isDevice(endpoint)) {
        expectDenied(exchange, 'event_not_allowed');
        return;
      }
      expectTold(exchange, 'event_not_allowed');
      expectStatusOf(exchange, 'event_not_allowed');
    }),
  },
  {
    id: '5/out-of-scope-keeps-its-use',
    states: ['uses'],
    requirement: 'A ticket that is refused for the scope of the key keeps its use.',
    buildsOn: ['5/out-of-scope-refused'],
    cells: judging(['outOfScope'], SCANS, keepingItsUse).map((cell) => ({
      ...cell,
      keys: ['rest'],
      ...(isConsume(cell.endpoint) ? { uses: {} } : {}),
    })),
  },
  {
    id: '5/own-event',
    states: ['a key for its own event'],
    requirement: 'A key for selected events scans the tickets of those events.',
    cells: SCANS.map((endpoint) => lettingIn('single', endpoint, scopedKeyFor(endpoint))),
  },
  {
    id: '5/all-events',
    requirement: 'A key for all events scans the tickets of every event of the organisation.',
    buildsOn: ['5/out-of-scope-keeps-its-use', '2.3/field-types', '2.4/any-sender'],
    cells: SCANS.map((endpoint) => lettingIn('otherEvent', endpoint, keyFor(endpoint))),
  },
  {
    id: '5/other-organisation-refused',
    requirement:
      'A key for all events scans the tickets of its organisation: the ticket of another one is refused.',
    buildsOn: ['5/out-of-scope-refused'],
    cells: [
      ...on(SCANS, (endpoint) => refusingOther('all-events', endpoint, keyFor(endpoint))),
      ...on(SCANS, (endpoint) =>
        refusingOther('selected-events', endpoint, scopedKeyFor(endpoint)),
      ),
    ],
  },
  {
    id: '5/scope-or-state',
    level: 'unstated',
    requirement: 'What a ticket gets that is outside the scope: 403, or what its state says.',
    cells: [
      ...on(
        VALIDATES,
        (endpoint): Omit<Cell, 'endpoint'> => ({
          ...answerFor('used-up', 'otherEvent', endpoint),
          keys: ['rest', scopedKeyFor(endpoint)],
          uses: { otherEvent: 1 },
          async run(scan) {
            const { code } = scan.ticket('otherEvent');
            expectFields(await scan.consume(code), { status: 'consumed' });
            const { answer } = await scan.ask(endpoint, code, scopedKeyFor(endpoint));
            return describeAnswer(answer, 80);
          },
        }),
      ),
      ...on(SCANS, (endpoint) => answerFor('cancelled', 'otherEventCancelled', endpoint)),
      ...on(SCANS, (endpoint) => answerFor('expired', 'otherEventExpired', endpoint)),
    ],
  },
];

/** How many uses the ticket has, and had, is open: what is seen first is compared with what a further refusal leaves. */
async function keepingItsUse(
  _: Exchange,
  scan: Scan,
  { endpoint, sample }: { readonly endpoint: ScanEndpoint; readonly sample: string },
): Promise<void> {
  const first = scan.ticketOf(sample, 'otherEvent');
  const exchange = await scan.validate(first.code);
  const ticket = asShown(first, exchange);
  expectUses({ endpoint: 'validate', exchange, isGranted: true, ...ticket }, ticket.allowed);
  if (ticket.used === 0) return;
  await scan.ask(endpoint, ticket.code, scopedKeyFor(endpoint));
  await expectCounted(scan, ticket, 'validate');
}

function lettingIn(kind: TicketKind, endpoint: ScanEndpoint, key: KeyName): Cell {
  if (isConsume(endpoint)) return { ...countedCell(kind, endpoint, key) };
  return {
    endpoint,
    keys: [key],
    tickets: { [kind]: 1 },
    run: async (scan) => expectAccepted(await scan.ask(endpoint, scan.ticket(kind).code, key)),
  };
}

function refusingOther(
  variant: string,
  endpoint: ScanEndpoint,
  key: KeyName,
): Omit<Cell, 'endpoint'> {
  return {
    variant,
    keys: [key],
    tickets: { otherOrganisation: 1 },
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    async run(scan) {
      const exchange = await scan.ask(endpoint, scan.ticket('otherOrganisation').code, key);
      const { answer } = exchange;
      const json = isRecord(answer.json) ? answer.json : {};
      const isRefused = isDevice(endpoint) ? json['AcsRes'] === '0' : json['valid'] === false;
      if (!isRefused) scan.fail('the ticket refused', describeAnswer(answer), exchange);
    },
  };
}

function answerFor(
  variant: string,
  kind: TicketKind,
  endpoint: ScanEndpoint,
): Omit<Cell, 'endpoint'> {
  const key = scopedKeyFor(endpoint);
  return {
    variant,
    keys: [key],
    tickets: { [kind]: 1 },
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    async run(scan) {
      const { answer } = await scan.ask(endpoint, scan.ticket(kind).code, key);
      return describeAnswer(answer, 80);
    },
  };
}
