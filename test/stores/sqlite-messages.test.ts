import { expect, test } from 'vitest';
import type { BatchRequest, ScanOutcome, ScanRequest } from '../../src/core/scan-requests.ts';
import {
  packBatch,
  packResult,
  unpackBatch,
  unpackResult,
} from '../../src/stores/sqlite/worker-messages.ts';
import { aTicket, NOW } from '../support/tickets.ts';

const rate = { ratePerSecond: 50, burst: 100 };
const ticket = aTicket();
const rest: ScanRequest = {
  kind: 'scan',
  keyId: 'key_a',
  now: NOW,
  rate,
  rotation: 0,
  operation: 'consume',
  subject: { kind: 'ticket', ticketId: ticket.id, eventId: ticket.eventId },
  serial: null,
  reader: null,
  retry: null,
};
const retry = { name: 'client a', bodyHash: 'b', expiresAt: NOW + 1, language: 'de' } as const;

const { rotation: _, ...withoutRotation } = rest;

const REQUESTS: BatchRequest[] = [
  rest,
  { ...rest, operation: 'validate', now: NOW + 1 },
  { ...rest, keyId: 'key_b', serial: 's', reader: '1', retry },
  { ...rest, serial: 's', reader: null },
  { ...rest, reader: '1' },
  { ...rest, retry },
  withoutRotation,
  { ...rest, rotation: 1 },
  { ...rest, rate: { ratePerSecond: 1, burst: 2 } },
  rest,
  { ...rest, subject: { ...rest.subject, typed: true } as ScanRequest['subject'] },
  { ...rest, device: 'turnstile' },
  { ...rest, events: [ticket.eventId] },
  { ...rest, subject: { kind: 'forged', excerpt: 'TS1.…' } },
  { ...rest, subject: { kind: 'unreadable', issue: 'not_json' } },
  { kind: 'heartbeat', keyId: 'key_a', now: NOW, rate, rotation: 0, contact: null },
  { kind: 'limited', keyId: 'key_a', now: NOW, rate, rotation: 0, waitMs: 3 },
];

const crossed = <Message>(message: Message): Message => JSON.parse(JSON.stringify(message));

test('every request of a batch arrives in the other thread as it was, in its place', () => {
  expect(unpackBatch(crossed(packBatch(REQUESTS)))).toStrictEqual(REQUESTS);
});

test('the scans of one key say once whose they are, and scans of tickets are lists', () => {
  const { callers, requests } = packBatch(REQUESTS);
  const { keyId, rotation } = rest;
  expect(callers).toEqual([
    { keyId, rate, rotation },
    { keyId: 'key_b', rate, rotation },
    { keyId, rate },
    { keyId, rate, rotation: 1 },
    { keyId, rate: { ratePerSecond: 1, burst: 2 }, rotation },
    { keyId, rate, rotation },
    { keyId, rate, rotation, device: 'turnstile' },
  ]);
  expect(requests.map((one) => ('kind' in one ? one.kind : `${one[0]} of ${one.length}`))).toEqual([
    '0 of 5',
    '0 of 5',
    '1 of 8',
    '0 of 8',
    '0 of 8',
    '0 of 8',
    '2 of 5',
    '3 of 5',
    '4 of 5',
    '5 of 5',
    'scan',
    '6 of 5',
    'scan',
    'scan',
    'scan',
    'heartbeat',
    'limited',
  ]);
});

/** The outcomes that are lists between the threads. */
const LISTS: ReadonlySet<string> = new Set([
  'a use',
  'a denial',
  'a denial without a ticket',
  'a direction',
  'a ticket that is not there',
]);

const forged = { ...rest, subject: { kind: 'forged', excerpt: 'TS1.…' } } as const;

test.each<[string, ScanRequest, ScanOutcome]>([
  ['a use', rest, decided({ status: 'consumed', ticket, scannedAt: NOW })],
  ['a denial', rest, decided({ status: 'rejected', reason: 'expired', ticket })],
  ['a denial without a ticket', rest, decided({ status: 'rejected', reason: 'invalid_ticket' })],
  ['a direction', rest, decided({ status: 'exhausted', ticket, direction: 'out' })],
  ['a ticket that is not there', rest, decided({ status: 'not_found' })],
  ['what was wrong with a body', rest, rejectedFor('not_json')],
  [
    'an answer in its first language',
    rest,
    decided({ status: 'validated', ticket, language: 'de' }),
  ],
  // A signing key was retired between the two requests.
  [
    'a repeated answer about a ticket whose code is not genuine any more',
    forged,
    decided({ status: 'exhausted', ticket }),
  ],
  [
    'a repeated answer about another ticket',
    rest,
    decided({ status: 'exhausted', ticket: { ...ticket, id: 'tkt_other' } }),
  ],
  ['a refusal', rest, { kind: 'limited', retryAfterSeconds: 2 }],
])('%s arrives as it was decided', (name, request, outcome) => {
  const result = { revision: 7, outcomes: [outcome] };
  const packed = packResult(result, [request]);
  expect(unpackResult(crossed(packed), [request])).toEqual(result);
  expect(packed.outcomes.map(Array.isArray)).toEqual([LISTS.has(name)]);
});

function decided(decision: Extract<ScanOutcome, { kind: 'decided' }>['decision']): ScanOutcome {
  return { kind: 'decided', decision };
}

function rejectedFor(fault: 'not_json'): ScanOutcome {
  return decided({ status: 'rejected', reason: 'missing_ticket_code', fault });
}
