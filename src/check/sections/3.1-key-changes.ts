import { type CheckCase, Inconclusive, type Needs, type Seen } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import {
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  HARDWARE,
  isConsume,
  isRest,
  REST,
  SCANS,
  type ScanEndpoint,
} from '../facts/exchange.ts';
import {
  expectAccepted,
  expectDisabledKeyRefused,
  expectKeyRefused,
  expectOutOfScope,
  isAccepted,
} from '../judging/expect.ts';
import { KeyAccessError, type KeyChange, type SpareName } from '../key-changes/spare-keys.ts';
import { on } from '../samples/matrix.ts';
import { NO_TICKET } from '../samples/samples.ts';

/** A change of a key, made between two requests to the same endpoint. */
interface Changed<E extends Endpoint> {
  readonly id: string;
  readonly requirement: string;
  readonly endpoints: readonly E[];
  readonly changes: readonly KeyChange[];
  readonly buildsOn?: readonly string[];
  /** How often a right server lets the ticket in. */
  readonly grants: number;
  /** The same for a ticket of another event, where one is shown. */
  readonly otherGrants?: number;
  /** What follows the first request. */
  run(scan: Scan, endpoint: E, key: SpareName): Promise<Seen>;
}

/**
 * Section 3.1: what is done to a key takes effect at once. Each endpoint is asked with the key before the change, so
 * that what it remembers of a key is remembered, and first thing after it. Enabling comes first: the others begin
 * with a key that works. Deletion comes last: it may end the key.
 */
export const KEY_CHANGE_CASES: readonly CheckCase[] = [
  changeCase({
    id: '3.1/enabled-at-once',
    requirement: 'A key that is enabled again is accepted from the next request on.',
    endpoints: ENDPOINTS,
    changes: ['disable-key', 'enable-key'],
    grants: 2,
    async run(scan, endpoint, key) {
      await scan.spareKeys.disable(key);
      const disabled = await askWithSpare(scan, endpoint);
      await scan.spareKeys.enable(key);
      expectAccepted(await askWithSpare(scan, endpoint));
      // a heartbeat is no scan: it may be confirmed all the time
      const proves = endpoint === 'heartbeat' || !isAccepted(disabled);
      return proves ? undefined : new Inconclusive('the key was accepted while it was disabled');
    },
  }),
  changeCase({
    id: '3.1/disabled-at-once',
    requirement: 'A key that is disabled is refused from the next request on.',
    endpoints: ENDPOINTS,
    buildsOn: ['3.1/disabled-key-refused', '3.1/enabled-at-once'],
    changes: ['disable-key', 'enable-key'],
    grants: 1,
    async run(scan, endpoint, key) {
      await scan.spareKeys.disable(key);
      const after = await askWithSpare(scan, endpoint);
      if (endpoint === 'heartbeat') return describeAnswer(after.answer);
      return expectDisabledKeyRefused(after, endpoint);
    },
  }),
  changeCase({
    id: '3.1/renamed-key-accepted',
    requirement: 'A key that got another name is accepted as before.',
    endpoints: ENDPOINTS,
    changes: ['rename-key'],
    grants: 2,
    async run(scan, endpoint, key) {
      await scan.spareKeys.rename(key);
      expectAccepted(await askWithSpare(scan, endpoint));
    },
  }),
  changeCase({
    id: '3.1/narrower-scope-at-once',
    requirement: 'Tickets of events that a key has lost are refused from the next request on.',
    endpoints: SCANS,
    buildsOn: ['5/out-of-scope-refused', '3.1/enabled-at-once', '3.1/disabled-at-once'],
    changes: ['scope-key'],
    grants: 1,
    otherGrants: 0,
    async run(scan, endpoint, key) {
      await scan.spareKeys.narrow(key, shownCode(scan, endpoint));
      expectOutOfScope(await askForOther(scan, endpoint, key));
    },
  }),
  changeCase({
    id: '3.1/narrower-scope-keeps-its-events',
    requirement: 'Tickets of the events that a key keeps are let in after a change of its scope.',
    endpoints: SCANS,
    buildsOn: ['5/own-event'],
    changes: ['scope-key'],
    grants: 2,
    async run(scan, endpoint, key) {
      await scan.spareKeys.narrow(key, shownCode(scan, endpoint));
      expectAccepted(await askWithSpare(scan, endpoint));
    },
  }),
  changeCase({
    id: '3.1/wider-scope-at-once',
    requirement: 'Tickets of events that a key has got are let in from the next request on.',
    endpoints: SCANS,
    buildsOn: [
      '3.2/each-use-is-counted',
      '5/out-of-scope-keeps-its-use',
      '3.1/disabled-at-once',
      '3.1/narrower-scope-at-once',
    ],
    changes: ['scope-key'],
    grants: 1,
    otherGrants: 1,
    async run(scan, endpoint, key) {
      await scan.spareKeys.narrow(key, shownCode(scan, endpoint));
      const narrow = await askForOther(scan, endpoint, key);
      await scan.spareKeys.widen(key);
      expectAccepted(await askForOther(scan, endpoint, key));
      return isAccepted(narrow)
        ? new Inconclusive('the ticket was let in before the key had its event')
        : undefined;
    },
  }),
  changeCase({
    id: '3.1/deleted-at-once',
    requirement: 'A key that is deleted gets 401 from the next request on, heartbeats included.',
    endpoints: ENDPOINTS,
    buildsOn: [
      '3.1/deleted-key-refused',
      '3.1/enabled-at-once',
      '3.1/disabled-at-once',
      '3.1/narrower-scope-at-once',
      '3.1/wider-scope-at-once',
    ],
    changes: ['delete-key'],
    grants: 1,
    async run(scan, endpoint, key) {
      if (!scan.spareKeys.isDeleted(key)) {
        for (const other of isRest(endpoint) ? REST : HARDWARE)
          await scan.send(scan.request(other, NO_TICKET, key));
        await scan.spareKeys.delete(key);
      }
      expectKeyRefused(await askWithSpare(scan, endpoint), endpoint);
    },
  }),
];

function changeCase<E extends Endpoint>(one: Changed<E>): CheckCase {
  const { id, requirement, endpoints, buildsOn = [] } = one;
  return {
    id,
    phase: 'key-changes',
    requirement,
    buildsOn,
    cause: 'The server still goes by what the key was before, or the hook did not change it.',
    cells: on(endpoints, (endpoint) => ({
      ...needsOf(one, endpoint),
      ...(id === '3.1/disabled-at-once' && endpoint === 'heartbeat' ? { level: 'unstated' } : {}),
      async run(scan) {
        const key = spareFor(endpoint);
        // a key that a target names can be deleted once: what follows asks with the deleted one
        if (!scan.spareKeys.isDeleted(key) || scan.spareKeys.makesKeys)
          await acceptedAtFirst(scan, endpoint, key);
        return one.run(scan, endpoint, key);
      },
    })),
  };
}

function spareFor(endpoint: Endpoint): SpareName {
  return isRest(endpoint) ? 'spare' : 'hardwareSpare';
}

function needsOf(
  { changes, grants, otherGrants }: Pick<Changed<never>, 'changes' | 'grants' | 'otherGrants'>,
  endpoint: Endpoint,
): Needs {
  const keys = [spareFor(endpoint)];
  if (endpoint === 'heartbeat') return { keys, changes };
  const other = otherGrants === undefined ? {} : { otherEvent: 1 };
  if (!isConsume(endpoint)) return { keys, changes, tickets: { single: 1, ...other } };
  const uses = { permanent: grants, ...(otherGrants ? { otherEvent: otherGrants } : {}) };
  return { keys, changes, sharedCard: true, tickets: other, uses };
}

function shownCode(scan: Scan, endpoint: Endpoint): string {
  if (endpoint === 'heartbeat') return '';
  return isConsume(endpoint) ? scan.sharedCard() : scan.ticket('single').code;
}

function askWithSpare(scan: Scan, endpoint: Endpoint): Promise<Exchange> {
  return scan.send(scan.request(endpoint, shownCode(scan, endpoint), spareFor(endpoint)));
}

function askForOther(scan: Scan, endpoint: ScanEndpoint, key: SpareName): Promise<Exchange> {
  return scan.ask(endpoint, scan.ticket('otherEvent').code, key);
}

/** Makes the spare key ready and asks with it. @throws KeyAccessError when it is refused before any change */
async function acceptedAtFirst(scan: Scan, endpoint: Endpoint, key: SpareName): Promise<void> {
  await scan.spareKeys.ready(key);
  const exchange = await askWithSpare(scan, endpoint);
  if (isAccepted(exchange)) return;
  throw new KeyAccessError(
    `the spare key was refused before it was changed: ${describeAnswer(exchange.answer, 120)}`,
  );
}
