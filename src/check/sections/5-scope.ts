import type { Cell, CheckCase, Seen } from '../cases/case.ts';
import { judging, on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { expectFields, expectStatus } from '../judging/expect.ts';
import {
  DEVICE,
  isConsume,
  isDevice,
  LOOKS,
  SCANS,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { keyFor, sampleOf, scopedKeyFor } from '../samples/samples.ts';
import { OTHER_EVENT_REFUSED, type TicketKind } from '../target/target.ts';
import { countedCell } from './5-scoped-keys.ts';

const NOT_ALLOWED = { valid: false, status: 'rejected', reason: 'event_not_allowed' } as const;

/** Section 5, event scope: which tickets a key may scan. */
export const SCOPE_CASES: readonly CheckCase[] = [
  outOfScopeCase(
    'scope-on-validate',
    'validate',
    'A ticket of an event that the key has no access to gets 403 on validate, `rejected`, `event_not_allowed`.',
  ),
  outOfScopeCase(
    'scope-on-consume',
    'consume',
    'A ticket of an event that the key has no access to gets 403 on consume, and keeps its use.',
  ),
  outOfScopeCase(
    'scope-on-device-validate',
    'hw/validate',
    'A device whose key has no access to the event is denied on validate.',
  ),
  outOfScopeCase(
    'scope-on-device-consume',
    'hw/consume',
    'A device whose key has no access to the event is denied on consume, and the ticket keeps its use.',
  ),
  ownEventCase('scope-lets-own-event-in', 'validate'),
  ownEventCase('scope-consumes-own-event', 'consume'),
  ownEventCase('device-scope-consumes-own-event', 'hw/consume'),
  ownEventCase('device-scope-lets-own-event-in', 'hw/validate'),
  {
    id: '5/answer-to-a-used-up-ticket-out-of-scope',
    level: 'unstated',
    keys: ['rest', 'restScoped', 'hardwareScoped'],
    tickets: { otherEvent: 1 },
    uses: { otherEvent: 1 },
    requirement: 'What a used-up ticket gets that is outside the scope: 403, or `exhausted`.',
    cause:
      'Section 5 answers 403 and section 3.2 `exhausted`; which is looked at first is not said.',
    async run(scan) {
      const { code } = scan.ticket('otherEvent');
      expectFields(await scan.consume(code), { status: 'consumed' });
      return answersToScoped(scan, code);
    },
  },
  ...OTHER_EVENT_REFUSED.map((kind): CheckCase => {
    const state = kind === 'otherEventExpired' ? 'expired' : 'cancelled';
    return {
      id: `5/answer-to-${state === 'expired' ? 'an' : 'a'}-${state}-ticket-out-of-scope`,
      level: 'unstated',
      keys: ['restScoped', 'hardwareScoped'],
      tickets: { [kind]: 1 },
      uses: {},
      requirement: `What a ticket (${state}) gets that is outside the scope: 403, or what its state says.`,
      cause:
        'Section 5 answers 403; which is looked at first, the scope or the state, is not said.',
      run: (scan) => answersToScoped(scan, scan.ticket(kind).code),
    };
  }),
  {
    id: '5/all-events',
    requirement: 'A key for all events scans the tickets of every event of the organisation.',
    cause: 'Every key is bound to one event.',
    cells: [
      { endpoint: 'validate', ...lettingIn('otherEvent', 'validate') },
      countedCell('otherEvent', 'consume', 'rest'),
    ],
  },
  {
    id: '5/all-events-at-devices',
    requirement:
      'A hardware key for all events scans the tickets of every event of the organisation.',
    cause: 'Every key is bound to one event.',
    cells: [
      { endpoint: 'hw/validate', ...lettingIn('otherEvent', 'hw/validate') },
      countedCell('otherEvent', 'hw/consume', 'hardware'),
    ],
  },
  {
    id: '5/other-organisation-refused',
    requirement:
      'A key for all events scans the tickets of its organisation: the ticket of another one is refused.',
    cause: 'The event is looked up, and not whom it belongs to.',
    cells: [
      ...on(SCANS, (endpoint) => showingOther(endpoint, expectNoGrant(endpoint))),
      ...on(SCANS, (endpoint) => ({
        variant: 'selected events',
        ...showingOther(endpoint, expectNoGrant(endpoint), scopedKeyFor(endpoint)),
      })),
    ],
  },
  {
    id: '5/answer-to-another-organisation',
    level: 'unstated',
    requirement: 'What the ticket of another organisation gets.',
    cause:
      'Section 5 gives 403 where a key has no access to the event; other answers refuse as well.',
    cells: on(LOOKS, (endpoint) => showingOther(endpoint, ({ answer }) => describeAnswer(answer))),
  },
  {
    id: '5/scope-status-at-devices',
    level: 'unstated',
    requirement: 'The HTTP status of a scope violation on a device endpoint.',
    cause: 'Section 5 says 403, section 7.3 that hardware statuses are not shown.',
    cells: judging(['outOfScope'], DEVICE, ({ answer }) => `HTTP ${answer.status}`),
  },
];

async function answersToScoped(scan: Scan, code: string): Promise<string> {
  const seen: string[] = [];
  for (const endpoint of SCANS) {
    const { answer } = await scan.ask(endpoint, code, scopedKeyFor(endpoint));
    seen.push(`${endpoint}: ${describeAnswer(answer, 80)}`);
  }
  return seen.join('; ');
}

/** Refused, and on consume still good for a key that has access. */
function outOfScopeCase(name: string, endpoint: ScanEndpoint, requirement: string): CheckCase {
  return {
    id: `5/${name}`,
    requirement,
    cause: 'The scope is not checked on this endpoint, or only after the use was registered.',
    cells: judging(['outOfScope'], [endpoint], (exchange) => {
      if (isDevice(endpoint)) {
        expectFields(exchange, { AcsRes: '0', Note: DENIAL_NOTES.outOfScope });
        return;
      }
      expectFields(exchange, NOT_ALLOWED);
      expectStatus(exchange, 403);
    }).concat(isConsume(endpoint) ? keepingTheUse(endpoint) : leavingTheUse(endpoint)),
  };
}

function keepingTheUse(endpoint: ScanEndpoint): Cell {
  return {
    endpoint,
    variant: 'the ticket keeps its use',
    keys: ['rest', scopedKeyFor(endpoint)],
    tickets: { otherEvent: 1 },
    uses: {},
    async run(scan) {
      const { code } = scan.ticket('otherEvent');
      await scan.ask(endpoint, code, scopedKeyFor(endpoint));
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  };
}

/** The ticket of the shared answer, looked at with a key that has access. */
function leavingTheUse(endpoint: ScanEndpoint): Cell {
  const sample = sampleOf('outOfScope', endpoint);
  return {
    endpoint,
    variant: 'the ticket keeps its use',
    keys: ['rest'],
    samples: [sample],
    async run(scan) {
      await scan.sample(sample);
      const { code } = scan.ticketOf(sample, 'otherEvent');
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  };
}

function ownEventCase(name: string, endpoint: ScanEndpoint): CheckCase {
  const who = isDevice(endpoint) ? 'A hardware key' : 'A key';
  return {
    id: `5/${name}`,
    requirement: `${who} for selected events ${isConsume(endpoint) ? 'consumes' : 'scans'} the tickets of those events.`,
    cause: 'The list of events is compared wrongly, or consume wants a key for all events.',
    cells: [
      isConsume(endpoint)
        ? countedCell('single', endpoint, scopedKeyFor(endpoint))
        : { endpoint, ...lettingIn('single', endpoint, scopedKeyFor(endpoint)) },
    ],
  };
}

function lettingIn(
  kind: TicketKind,
  endpoint: ScanEndpoint,
  key = keyFor(endpoint),
): Omit<Cell, 'endpoint'> {
  return {
    keys: [key],
    tickets: { [kind]: 1 },
    ...(isConsume(endpoint) ? { uses: { [kind]: 1 } } : {}),
    async run(scan) {
      const exchange = await scan.ask(endpoint, scan.ticket(kind).code, key);
      expectFields(exchange, isDevice(endpoint) ? { AcsRes: '1' } : { valid: true });
    },
  };
}

function expectNoGrant(endpoint: ScanEndpoint) {
  return (exchange: Exchange, scan: Scan): void => {
    const { answer } = exchange;
    const json = isRecord(answer.json) ? answer.json : {};
    const isRefused = isDevice(endpoint) ? json['AcsRes'] === '0' : json['valid'] === false;
    if (!isRefused) scan.fail('the ticket refused', describeAnswer(answer), exchange);
  };
}

function showingOther(
  endpoint: ScanEndpoint,
  judge: (exchange: Exchange, scan: Scan) => Seen,
  key = keyFor(endpoint),
): Omit<Cell, 'endpoint'> {
  return {
    keys: [key],
    tickets: { otherOrganisation: 1 },
    ...(isConsume(endpoint) ? { uses: {} } : {}),
    run: async (scan) =>
      judge(await scan.ask(endpoint, scan.ticket('otherOrganisation').code, key), scan),
  };
}
