import { DEVICE, type Endpoint } from './endpoints.ts';

const REST: readonly Endpoint[] = ['validate', 'consume'];

/** Faults that an endpoint may have: the specification says nothing about it there. By twin, with the reason. */
interface Freedom {
  readonly reason: string;
  readonly endpoints: readonly Endpoint[];
  readonly twins: readonly string[];
}

export const FREEDOMS: readonly Freedom[] = [
  {
    reason:
      'section 1 speaks of JSON responses for own software; the header of an answer to a device is not shown',
    endpoints: [...DEVICE, 'heartbeat'],
    twins: ['html-content-type', 'no-content-type', 'plain-text-refusals'],
  },
  {
    reason: 'section 7.3: HTTP status codes of hardware endpoint errors are not shown',
    endpoints: DEVICE,
    twins: ['scope-200', 'exhausted-409', 'expired-403', 'not-yet-valid-425', 'unknown-200'],
  },
  {
    reason:
      'sections 7.1 and 7.2 are about REST; how a device is told of a refused key is not shown, nor with which status',
    endpoints: [...DEVICE, 'heartbeat'],
    twins: [
      'unauthorised-text',
      'unauthorised-with-more',
      'unknown-key-told',
      'deleted-key-told',
      'deleted-key-gone',
    ],
  },
  {
    reason: 'section 3.1 speaks of scans, and a heartbeat is none',
    endpoints: ['heartbeat'],
    twins: ['disabled-hardware-key-accepted', 'disabled-hardware-key-in-query'],
  },
  {
    reason: 'the twin itself sends UTF-8 there',
    endpoints: [...DEVICE, 'heartbeat'],
    twins: ['latin-1'],
  },
];

/** Faults that no single request shows, and the endpoints where they are. */
export const SHOWN_BY_HISTORY: Readonly<Record<string, readonly Endpoint[]>> = {
  'validate-takes-the-last-use': ['validate'],
  'device-validate-takes-the-last-use-but-one': ['hw/validate'],
  'scanned-at-of-first-use': ['consume'],
  'last-scan-on-validate': ['validate'],
  'race-window': ['consume', 'hw/consume'],
  'race-window-at-devices': ['hw/consume'],
  'lost-update': ['consume', 'hw/consume'],
  'busy-is-exhausted': ['consume', 'hw/consume'],
  ...Object.fromEntries(
    ['reader-7', 'empty-serial', 'no-serial', 'number-serial', 'long-serial', 'odd-serial'].map(
      (sender) => [`${sender}-uncounted`, ['hw/consume'] as const],
    ),
  ),
  'permanent-lost-update': ['consume', 'hw/consume'],
  'permanent-busy-is-exhausted': ['consume', 'hw/consume'],
  'losers-of-a-race-crash': ['consume', 'hw/consume'],
  'full-waiting-room': ['consume', 'hw/consume'],
  'uses-come-back': ['consume', 'hw/consume'],
  'refusals-end': ['validate', 'consume', 'hw/validate', 'hw/consume'],
  'answers-mixed-up': ['consume'],
  'hundred-ends-early': ['consume', 'hw/consume'],
  'hundred-free-later': ['consume', 'hw/consume'],
  'hundred-without-end': ['consume', 'hw/consume'],
  'note-of-two-digits-cut': ['hw/consume'],
  'key-with-a-letter-without-case': [
    'validate',
    'consume',
    'hw/validate',
    'hw/consume',
    'heartbeat',
  ],
  ...Object.fromEntries(
    ['multi', 'hundred', 'personalised', 'windowed'].map((kind) => [
      `${kind}-old-count-on-validate`,
      ['validate', 'hw/validate'],
    ]),
  ),
  'note-without-uses-on-validate': ['hw/validate'],
  'validate-gives-a-use-back': ['validate', 'hw/validate'],
  'name-of-the-one-before-at-once': DEVICE,
  'holder-of-the-one-before-at-once': REST,
  'ticket-id-of-the-connection-at-once': REST,
  'key-by-connection-at-once': [...REST, ...DEVICE, 'heartbeat'],
  'scope-by-connection-at-once': [...REST, ...DEVICE],
  'refusal-by-connection-at-once': [...REST, ...DEVICE, 'heartbeat'],
  'scope-remembered-at-once': ['validate', 'hw/validate'],
  'scope-refusal-remembered-at-once': [...REST, ...DEVICE],
  'key-refusal-wears-out-at-once': REST,
  'device-key-refusal-wears-out-at-once': [...DEVICE, 'heartbeat'],
  'signature-remembered-rest-validate-at-once': ['validate'],
  'signature-remembered-rest-consume-at-once': ['consume'],
  'signature-remembered-hardware-validate-at-once': ['hw/validate'],
  'signature-remembered-hardware-consume-at-once': ['hw/consume'],
  'signature-remembered-by-connection-at-once': [...REST, ...DEVICE],
  'second-on-a-connection-lost-at-once': ['consume', 'hw/consume'],
  'counter-by-connection-at-once': ['consume', 'hw/consume'],
  'lock-by-key-at-once': ['consume', 'hw/consume'],
  'validate-writes-back-at-once': ['validate', 'hw/validate'],
};
