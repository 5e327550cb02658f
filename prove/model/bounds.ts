import type { Scan } from './store.ts';
import type { Bound, Budget } from './system.ts';

/** A validate and the ways to consume: by software, once or with a name, and at a device, without a serial or with one. */
const WAYS: readonly Omit<Scan, 'value'>[] = [
  { operation: 'validate', name: '', device: false, code: 0 },
  { operation: 'consume', name: '', device: false, code: 0 },
  { operation: 'consume', name: 'request', device: false, code: 1 },
  { operation: 'consume', name: 'card', device: true, code: 0 },
  { operation: 'consume', name: '', device: true, code: 0 },
  { operation: 'consume', name: 'request 2', device: false, code: 1 },
];

/** Decided as one before it is: only a faulty service takes them for the same, or tells them apart. */
const ALIKE: readonly number[] = [WAYS.length - 2, WAYS.length - 1];

const TERMS = {
  usesAllowed: 2,
  validFrom: 1,
  validUntil: 2,
  keptFor: (name: string) => (name === 'card' ? 1 : 2),
  lastTick: 3,
};

/** Three requests, with one step of the clock and one change by an administrator. */
const THREE_REQUESTS: Bound = {
  ...TERMS,
  scans: scansWith([0, 1], (_, index) => !ALIKE.includes(index)),
  requests: 3,
  left: { clock: 1, kill: 1, promotion: 1, change: 1 },
};

/** Two requests, with two changes, among them a second rotation of the key. */
const TWO_CHANGES: Bound = {
  ...THREE_REQUESTS,
  scans: scansWith([0, 1, 2], (_, index) => !ALIKE.includes(index)),
  requests: 2,
  lastTick: 4,
  left: { clock: 1, kill: 1, promotion: 1, change: 2 },
};

/** Two requests, with two steps of the clock: there and back. */
const TWO_STEPS: Bound = { ...TWO_CHANGES, left: { ...TWO_CHANGES.left, clock: 2, change: 1 } };

/** The same for a ticket of one use. */
const SINGLE: Bound = { ...THREE_REQUESTS, usesAllowed: 1 };

/** Every state within these is looked at; docs/gate/reliability.md says so. */
export const SEARCHED: readonly Bound[] = [THREE_REQUESTS, TWO_CHANGES, TWO_STEPS, SINGLE];

/** A second's worth of both, for every run of the tests. */
export const SMALL: Bound = { ...THREE_REQUESTS, requests: 2 };

/** What shows a faulty service: requests alone, with two steps of the clock, with a change by an administrator, with both, with two changes. */
export const SHOWN_BY = {
  requests: showing({ clock: 0, change: 0 }),
  clock: showing({ clock: 2, change: 0 }),
  change: showing({ clock: 0, change: 1 }),
  both: { ...showing({ clock: 1, change: 1 }), requests: 2 },
  changes: {
    ...showing({ clock: 0, change: 2 }),
    scans: scansWith([0, 1, 2], () => true),
    requests: 2,
  },
};

function showing(left: Pick<Budget, 'clock' | 'change'>): Bound {
  const scans = scansWith([0], () => true);
  return { ...THREE_REQUESTS, scans, left: { ...THREE_REQUESTS.left, ...left } };
}

function scansWith(
  values: readonly number[],
  chosen: (way: Omit<Scan, 'value'>, index: number) => boolean,
): Scan[] {
  return WAYS.filter(chosen).flatMap((way) => values.map((value) => ({ ...way, value })));
}
