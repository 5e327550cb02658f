import type { Cell, CheckCase } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { usesInNote } from '../facts/device-answer.ts';
import { isRecord, show } from '../facts/json.ts';
import { countIn, expectAbsent, expectFields, objectOf } from '../judging/expect.ts';
import { expectKeyRefused } from '../judging/expect-key.ts';
import { ENDPOINTS, isConsume, isDevice, SCANS, type ScanEndpoint } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange, type RequestSpec } from '../requests/exchange.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { baitFor, keyFor, scopedKeyFor } from '../samples/samples.ts';

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
    requirement: 'An answer has the holder, the name and the ticketId of its own ticket only.',
    cause: 'Fields of the request before on the same connection are kept.',
    cells: on(SCANS, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      ...(isConsume(endpoint)
        ? { tickets: { personalised: 1 }, purse: true, uses: { personalised: 1, permanent: 1 } }
        : { tickets: { personalised: 1, single: 1 } }),
      run: (scan) => tellApart(scan, endpoint),
    })),
  },
  {
    id: '5/each-request-by-its-own-key',
    requirement:
      'Each request is judged by its own key: which keys came before, on the same connection or for the same ticket, changes nothing.',
    cause: 'The key or its scope is kept for a connection, or what it decided for a ticket.',
    cells: [...on(SCANS, keysInARow), BEATS_IN_A_ROW],
  },
  {
    id: '5/refused-key-stays-refused',
    requirement: 'An invalid key is refused however often it comes.',
    cause: 'After some tries a cache or a failing look-up lets the key in.',
    cells: on(ENDPOINTS, (endpoint) => ({
      ...(endpoint === 'heartbeat' ? {} : baitFor(endpoint, 1)),
      async run(scan) {
        for (let i = 0; i < REFUSALS; i += 1) {
          const code = endpoint === 'heartbeat' ? '' : scan.bait();
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
  const other = isConsume(endpoint) ? scan.purse() : scan.ticket('single').code;
  const [first, second] = (await scan.inARow([
    scan.request(endpoint, code),
    scan.request(endpoint, other),
  ])) as [Exchange, Exchange];
  expectGranted(second, endpoint);
  if (!isDevice(endpoint)) expectAbsent(second, ['holder']);
  const name = isDevice(endpoint) ? 'Name' : 'ticketId';
  const kept = objectOf(second)[name];
  // a display may show the same text for everybody, but not the name of one
  const isOwn = isDevice(endpoint) ? hasPartOf(holder, kept) : true;
  if (isOwn && kept === objectOf(first)[name])
    scan.fail(`the ${name} of its own ticket`, `the ${name} ${show(kept)} of the ticket before`);
}

function hasPartOf(holder: unknown, name: unknown): boolean {
  const parts = isRecord(holder) ? Object.values(holder) : [];
  return parts.some((part) => typeof part === 'string' && part && String(name).includes(part));
}

/**
 * A good key, none, one without access and the good one again show the same ticket on one connection. On consume a card
 * comes first and last, so that this ticket keeps its use.
 */
function keysInARow(endpoint: ScanEndpoint): Omit<Cell, 'endpoint'> {
  const keys = [keyFor(endpoint), scopedKeyFor(endpoint)];
  if (!isConsume(endpoint))
    return {
      keys,
      tickets: { otherEvent: 1 },
      async run(scan) {
        const { code } = scan.ticket('otherEvent');
        const good = scan.request(endpoint, code);
        const [first, ...others] = await scan.inARow([
          good,
          ...refusedOf(scan, endpoint, code),
          good,
        ]);
        expectGranted(first, endpoint);
        expectRefusedThenGranted(others, endpoint);
      },
    };
  return {
    keys,
    tickets: { otherEvent: 1 },
    purse: true,
    uses: { otherEvent: 1, permanent: 2 },
    async run(scan) {
      const { code } = scan.ticket('otherEvent');
      const good = scan.request(endpoint, scan.purse());
      const look = scan.request(endpoint === 'consume' ? 'validate' : 'hw/validate', code);
      const [first, , ...others] = await scan.inARow([
        good,
        look,
        ...refusedOf(scan, endpoint, code),
        good,
      ]);
      expectGranted(first, endpoint);
      expectRefusedThenGranted(others, endpoint);
      // on a connection of its own: what takes a counted use is sent once
      const last = await scan.ask(endpoint, code);
      expectGranted(last, endpoint);
      const used = isDevice(endpoint)
        ? usesInNote(objectOf(last)['Note'])?.used
        : countIn(last, 'usesConsumed');
      if (used !== 1) scan.fail('1 use counted', describeAnswer(last.answer), last);
    },
  };
}

function refusedOf(scan: Scan, endpoint: ScanEndpoint, code: string): RequestSpec[] {
  return [keylessRequest(endpoint, code), scan.request(endpoint, code, scopedKeyFor(endpoint))];
}

function expectRefusedThenGranted(exchanges: readonly Exchange[], endpoint: ScanEndpoint): void {
  const [keyless, scoped, good] = exchanges;
  if (!keyless || !scoped) return;
  expectKeyRefused(keyless, endpoint);
  expectFields(
    scoped,
    isDevice(endpoint) ? { AcsRes: '0' } : { valid: false, reason: 'event_not_allowed' },
  );
  expectGranted(good, endpoint);
}

function expectGranted(exchange: Exchange | undefined, endpoint: ScanEndpoint): void {
  if (!exchange) return;
  expectFields(exchange, isDevice(endpoint) ? { AcsRes: '1' } : { valid: true });
}
