import type { Cell, CheckCase, Needs } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import {
  describeAnswer,
  ENDPOINTS,
  type Exchange,
  isConsume,
  isDevice,
  SCANS,
  type ScanEndpoint,
  validateFor,
} from '../facts/exchange.ts';
import { isRecord, show } from '../facts/json.ts';
import {
  expectAbsent,
  expectAccepted,
  expectKeyRefused,
  expectOutOfScope,
  objectOf,
} from '../judging/expect.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { on } from '../samples/matrix.ts';
import { decoyFor, keyFor, scopedKeyFor, showGuest } from '../samples/samples.ts';
import { asShown, expectCounted } from '../samples/uses.ts';

/** What is refused the first time is let in at the n-th by servers that count or remember refusals. */
const REFUSALS = 7;

const BEATS_IN_A_ROW: Cell = {
  endpoint: 'heartbeat',
  keys: ['hardware'],
  async run(scan) {
    const good = scan.request('heartbeat', '');
    const keyless = keylessRequest('heartbeat', '');
    const [first, refused, last] = await scan.inARow([good, keyless, good]);
    if (refused) expectKeyRefused(refused, 'heartbeat');
    // whether a heartbeat with such a body is confirmed is not said
    if (first && last && first.answer.status !== last.answer.status)
      scan.fail(describeAnswer(first.answer), describeAnswer(last.answer), last);
  },
};

/** Section 5 and 2.3: an answer depends on its own request and its ticket, not on the requests before it. */
export const APART_CASES: readonly CheckCase[] = [
  {
    id: '2.3/nothing-of-another-ticket',
    states: ['another ticket', 'the fact Name'],
    buildsOn: ['2.3/ticket-id-as-issued', '2.3/holder-absent'],
    requirement: 'An answer has the holder, the name and the ticketId of its own ticket only.',
    cells: on(SCANS, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      ...(isConsume(endpoint)
        ? {
            tickets: { personalised: 1 },
            sharedCard: true,
            uses: { personalised: 1, permanent: 1 },
          }
        : { tickets: { personalised: 1, single: 1 } }),
      run: (scan) => tellApart(scan, endpoint),
    })),
  },
  {
    id: '5/each-request-by-its-own-key',
    states: ['a key by itself'],
    requirement:
      'Each request is judged by its own key: which keys came before, on the same connection or for the same ticket, changes nothing.',
    buildsOn: ['5/out-of-scope-refused', '5/all-events', '3.1/refused-key-takes-no-use'],
    cells: [...on(SCANS, keysInARow), BEATS_IN_A_ROW],
  },
  {
    id: '5/refused-key-stays-refused',
    requirement: 'An invalid key is refused however often it comes.',
    cells: on(ENDPOINTS, (endpoint) => ({
      ...(endpoint === 'heartbeat' ? {} : decoyFor(endpoint, 1)),
      async run(scan) {
        for (let i = 0; i < REFUSALS; i += 1) {
          const code = endpoint === 'heartbeat' ? '' : scan.decoy();
          const request = withKey(keylessRequest(endpoint, code), UNKNOWN_KEY);
          expectKeyRefused(await scan.sendRefused(request), endpoint);
        }
      },
    })),
  },
];

/** A ticket with a holder, and then one without on the same connection. */
async function tellApart(scan: Scan, endpoint: ScanEndpoint): Promise<void> {
  const { code } = scan.ticket('personalised');
  const { holder } = isDevice(endpoint) ? objectOf(await scan.validate(code)) : {};
  await showGuest(scan, 'personalised', endpoint, code);
  const other = isConsume(endpoint) ? scan.sharedCard() : scan.ticket('single').code;
  const [first, second] = (await scan.inARow([
    scan.request(endpoint, code),
    scan.request(endpoint, other),
  ])) as [Exchange, Exchange];
  expectAccepted(second);
  if (!isDevice(endpoint)) expectAbsent(second, ['holder']);
  const name = isDevice(endpoint) ? 'Name' : 'ticketId';
  const kept = objectOf(second)[name];
  // a display may show the same text for everybody, but not the name of one
  const isOwn = isDevice(endpoint) ? hasPartOf(holder, kept) : true;
  if (isOwn && kept === objectOf(first)[name])
    scan.fail(
      `the ${name} of its own ticket`,
      `the ${name} ${show(kept)} of the ticket before`,
      second,
      [name],
    );
}

function hasPartOf(holder: unknown, name: unknown): boolean {
  const parts = isRecord(holder) ? Object.values(holder) : [];
  return parts.some((part) => typeof part === 'string' && part && String(name).includes(part));
}

/**
 * A good key, none, one without access and the good one again show the same ticket on one connection. On consume a card
 * comes first and last, so that this ticket keeps its use.
 */
function keysInARow(endpoint: ScanEndpoint): Needs & Pick<Cell, 'run'> {
  const isSpending = isConsume(endpoint);
  return {
    keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
    tickets: { otherEvent: 1 },
    ...(isSpending ? { sharedCard: true, uses: { otherEvent: 1, permanent: 2 } } : {}),
    async run(scan) {
      const ticket = scan.ticket('otherEvent');
      const { code } = ticket;
      const good = scan.request(endpoint, isSpending ? scan.sharedCard() : code);
      const [first, looked, keyless, scoped, last] = (await scan.inARow([
        good,
        scan.request(validateFor(endpoint), code),
        keylessRequest(endpoint, code),
        scan.request(endpoint, code, scopedKeyFor(endpoint)),
        good,
      ])) as [Exchange, Exchange, Exchange, Exchange, Exchange];
      expectAccepted(first);
      expectKeyRefused(keyless, endpoint);
      expectOutOfScope(scoped);
      expectAccepted(last);
      // on a connection of its own: what takes a counted use is sent once
      if (isSpending) await expectCounted(scan, asShown(ticket, looked), endpoint);
    },
  };
}
