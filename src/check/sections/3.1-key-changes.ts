import { type CheckCase, Undecided } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { isRecord } from '../facts/json.ts';
import { Deviation } from '../judging/deviation.ts';
import { expectKeyRefused, expectNotAccepted } from '../judging/expect-key.ts';
import { KeyAccessError, type KeyChange } from '../key-changes/access.ts';
import type { SpareName } from '../key-changes/spare-keys.ts';
import {
  ENDPOINTS,
  type Endpoint,
  HARDWARE,
  isConsume,
  isDevice,
  isRest,
  REST,
  SCANS,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { NO_TICKET } from '../samples/samples.ts';

const PHASE = { phase: 'key-changes', level: 'stated' } as const;

/**
 * Section 3.1: what is done to a key takes effect at once. Each endpoint is asked with the key before the change, so
 * that what it remembers of a key is remembered, and first thing after it. Enabling comes first: the others begin
 * with a key that works. Deletion comes last: it may end the key.
 */
export const KEY_CHANGE_CASES: readonly CheckCase[] = [
  {
    ...PHASE,
    id: '3.1/enabled-at-once',
    requirement: 'A key that is enabled again is accepted from the next request on.',
    cause: 'The state of keys is cached, also that of refused ones.',
    cells: on(ENDPOINTS, (endpoint) => ({
      ...changing(endpoint, ['disable-key', 'enable-key'], 2),
      async run(scan) {
        await acceptedAtFirst(scan, endpoint);
        await scan.spareKeys.disable(spareFor(endpoint));
        const { answer } = await askWithSpare(scan, endpoint);
        await scan.spareKeys.enable(spareFor(endpoint));
        expectAccepted(await askWithSpare(scan, endpoint), endpoint);
        // a heartbeat is no scan: it may be confirmed all the time
        const proves =
          endpoint === 'heartbeat' || !isAccepted(answer.json, answer.status, endpoint);
        return proves ? undefined : new Undecided('the key was accepted while it was disabled');
      },
    })),
  },
  {
    ...PHASE,
    id: '3.1/disabled-at-once',
    requirement: 'A key that is disabled is refused from the next request on.',
    cause:
      'The state of keys is cached, or looked at only after the answer; or the hook did not disable the key.',
    cells: on(ENDPOINTS, (endpoint) => ({
      ...changing(endpoint, ['disable-key', 'enable-key'], 1),
      ...(endpoint === 'heartbeat' ? { level: 'unstated' as const } : {}),
      async run(scan) {
        await acceptedAtFirst(scan, endpoint);
        await scan.spareKeys.disable(spareFor(endpoint));
        const after = await askWithSpare(scan, endpoint);
        if (endpoint === 'heartbeat') return describeAnswer(after.answer);
        if (isDevice(endpoint)) expectKeyRefused(after, endpoint);
        else expectNotAccepted(after);
        return undefined;
      },
    })),
  },
  {
    ...PHASE,
    id: '3.1/renamed-key-accepted',
    requirement: 'A key that got another name is accepted as before.',
    cause: 'Keys are found by their name, or a change of the name makes a new key.',
    cells: on(ENDPOINTS, (endpoint) => ({
      ...changing(endpoint, ['rename-key'], 2),
      async run(scan) {
        await acceptedAtFirst(scan, endpoint);
        await scan.spareKeys.rename(spareFor(endpoint));
        expectAccepted(await askWithSpare(scan, endpoint), endpoint);
      },
    })),
  },
  {
    ...PHASE,
    id: '3.1/narrower-scope-at-once',
    requirement: 'Tickets of events that a key has lost are refused from the next request on.',
    cause:
      'The scope of keys is cached, or is that of the time when the key was made; or the hook did not change it.',
    cells: on(SCANS, (endpoint) => ({
      ...scoping(endpoint, 1, {}),
      async run(scan) {
        await acceptedAtFirst(scan, endpoint);
        await scan.spareKeys.narrow(spareFor(endpoint), shownCode(scan, endpoint));
        expectOutOfScope(await askForOther(scan, endpoint), endpoint);
      },
    })),
  },
  {
    ...PHASE,
    id: '3.1/narrower-scope-keeps-its-events',
    requirement: 'Tickets of the events that a key keeps are let in after a change of its scope.',
    cause: 'A change of the scope makes a new key, or scopes are compared as a whole.',
    cells: on(SCANS, (endpoint) => ({
      ...changing(endpoint, ['scope-key'], 2),
      async run(scan) {
        await acceptedAtFirst(scan, endpoint);
        await scan.spareKeys.narrow(spareFor(endpoint), shownCode(scan, endpoint));
        expectAccepted(await askWithSpare(scan, endpoint), endpoint);
      },
    })),
  },
  {
    ...PHASE,
    id: '3.1/wider-scope-at-once',
    requirement: 'Tickets of events that a key has got are let in from the next request on.',
    cause: 'The scope of keys is cached, or refusals are.',
    cells: on(SCANS, (endpoint) => ({
      ...scoping(endpoint, 1, { otherEvent: 1 }),
      async run(scan) {
        await acceptedAtFirst(scan, endpoint);
        await scan.spareKeys.narrow(spareFor(endpoint), shownCode(scan, endpoint));
        const { answer } = await askForOther(scan, endpoint);
        await scan.spareKeys.widen(spareFor(endpoint));
        expectAccepted(await askForOther(scan, endpoint), endpoint);
        return isAccepted(answer.json, answer.status, endpoint)
          ? new Undecided('the ticket was let in before the key had its event')
          : undefined;
      },
    })),
  },
  {
    ...PHASE,
    id: '3.1/deleted-at-once',
    requirement: 'A key that is deleted gets 401 from the next request on, heartbeats included.',
    cause:
      'Deleted keys stay in a cache, or heartbeats look only at the form of a key; or the hook did not delete the key.',
    cells: on(ENDPOINTS, (endpoint) => ({
      ...changing(endpoint, ['delete-key'], 1),
      async run(scan) {
        const name = spareFor(endpoint);
        if (!scan.spareKeys.isDeleted(name) || scan.spareKeys.makesKeys) {
          await acceptedAtFirst(scan, endpoint);
          for (const other of name === 'spare' ? REST : HARDWARE)
            await scan.send(scan.request(other, NO_TICKET, name));
          await scan.spareKeys.delete(name);
        }
        expectKeyRefused(await askWithSpare(scan, endpoint), endpoint);
      },
    })),
  },
];

function spareFor(endpoint: Endpoint): SpareName {
  return isRest(endpoint) ? 'spare' : 'hardwareSpare';
}

/** What a cell needs that shows a good ticket with a spare key. @param uses how many a right server grants */
function changing(endpoint: Endpoint, changes: readonly KeyChange[], uses: number) {
  const tickets =
    endpoint === 'heartbeat'
      ? {}
      : isConsume(endpoint)
        ? { purse: true as const, uses: { permanent: uses } }
        : { tickets: { single: 1 } };
  return { keys: [spareFor(endpoint)], changes, ...tickets };
}

/** The same with a ticket of another event. */
function scoping(endpoint: ScanEndpoint, uses: number, others: { otherEvent?: number }) {
  const needs = changing(endpoint, ['scope-key'], uses);
  return {
    ...needs,
    tickets: { ...needs.tickets, otherEvent: 1 },
    ...(isConsume(endpoint) ? { uses: { ...needs.uses, ...others } } : {}),
  };
}

function shownCode(scan: Scan, endpoint: Endpoint): string {
  if (endpoint === 'heartbeat') return '';
  return isConsume(endpoint) ? scan.purse() : scan.ticket('single').code;
}

function askWithSpare(scan: Scan, endpoint: Endpoint): Promise<Exchange> {
  return scan.send(scan.request(endpoint, shownCode(scan, endpoint), spareFor(endpoint)));
}

function askForOther(scan: Scan, endpoint: ScanEndpoint): Promise<Exchange> {
  return scan.ask(endpoint, scan.ticket('otherEvent').code, spareFor(endpoint));
}

/** Makes the spare key ready and asks with it. @throws KeyAccessError when it is refused before any change */
async function acceptedAtFirst(scan: Scan, endpoint: Endpoint): Promise<void> {
  await scan.spareKeys.ready(spareFor(endpoint));
  const { answer } = await askWithSpare(scan, endpoint);
  if (isAccepted(answer.json, answer.status, endpoint)) return;
  throw new KeyAccessError(
    `the spare key was refused before it was changed: ${describeAnswer(answer, 120)}`,
  );
}

function expectAccepted(exchange: Exchange, endpoint: Endpoint): void {
  const { json, status } = exchange.answer;
  if (isAccepted(json, status, endpoint)) return;
  const expected = endpoint === 'heartbeat' ? 'the heartbeat confirmed' : 'the ticket let in';
  throw new Deviation(expected, describeAnswer(exchange.answer), exchange);
}

function isAccepted(json: unknown, status: number, endpoint: Endpoint): boolean {
  if (!isRecord(json)) return false;
  if (endpoint === 'heartbeat') return status < 400 && 'Key' in json;
  return isDevice(endpoint) ? json['AcsRes'] === '1' : json['valid'] === true;
}

function expectOutOfScope(exchange: Exchange, endpoint: ScanEndpoint): void {
  const { json } = exchange.answer;
  const body = isRecord(json) ? json : {};
  if (isDevice(endpoint) ? body['AcsRes'] === '0' : body['reason'] === 'event_not_allowed') return;
  const expected = isDevice(endpoint) ? 'AcsRes: "0"' : 'reason: "event_not_allowed"';
  throw new Deviation(expected, describeAnswer(exchange.answer), exchange);
}
