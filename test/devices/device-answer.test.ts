import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { deny, deviceAnswer } from '../../src/devices/device-answer.ts';
import { deviceText } from '../../src/devices/device-model.ts';
import { contactFrom, heartbeatAnswer } from '../../src/devices/heartbeat.ts';

const ticket: Ticket = {
  id: 'tkt_event1_0',
  eventId: 'event1',
  ticketType: 'multi',
  usesAllowed: 10,
  usesConsumed: 3,
  holder: null,
  validFrom: null,
  validUntil: null,
  createdAt: 0,
  lastConsumedAt: null,
  cancelledAt: null,
};
const auto = { relay: 'auto', openSeconds: 5 } as const;
const validated = (changes: Partial<Ticket> = {}): Decision => ({
  status: 'validated',
  ticket: { ...ticket, ...changes },
});

describe('a grant', () => {
  test.each([
    [null, 'in'],
    ['0', 'in'],
    ['1', 'out'],
    ['2', 'in'],
    ['3', 'out'],
    ['-1', 'out'],
    ['x', 'in'],
    ['', 'in'],
    ['1.5', 'in'],
  ] as const)('at reader %j opens %s', (reader, relay) => {
    expect(deviceAnswer(validated(), reader, auto)).toEqual({
      granted: true,
      relay,
      openSeconds: 5,
      name: 'Mehrfachkarte',
      note: 'Ticket gültig (3/10)',
    });
  });

  test('takes the key’s own door settings before the reader', () => {
    expect(deviceAnswer(validated(), '0', { relay: 'out', openSeconds: 9 })).toMatchObject({
      relay: 'out',
      openSeconds: 9,
    });
  });

  test.each([
    [{ ticketType: 'single', usesAllowed: 1 }, 'Einzelticket'],
    [{ usesAllowed: 9999 }, 'Dauerkarte'],
    [{ holder: { firstName: 'Ada', lastName: 'Lovelace' } }, 'Ada Lovelace'],
    [{ holder: { firstName: '', lastName: 'Lovelace' } }, 'Lovelace'],
    [{ holder: { firstName: 'Ada', lastName: '' } }, 'Ada'],
    [{ holder: { firstName: 'Wilhelmina', lastName: 'Müller' } }, 'Wilhelmina Müll'],
  ] as const)('%j shows %s', (changes, name) => {
    expect(deviceAnswer(validated(changes as Partial<Ticket>), null, auto)).toMatchObject({ name });
  });
});

test.each([
  [{ status: 'exhausted', ticket }, 'Ticket erschöpft'],
  [{ status: 'not_found' }, 'Ticket nicht gefunden'],
  [{ status: 'rejected', reason: 'invalid_ticket' }, 'Ungültiges Ticket'],
  [{ status: 'rejected', reason: 'missing_ticket_code' }, 'Ungültiges Ticket'],
  [{ status: 'rejected', reason: 'event_not_allowed' }, 'Kein Zugriff'],
  [{ status: 'rejected', reason: 'ticket_cancelled', ticket }, 'Ticket storniert'],
  [{ status: 'rejected', reason: 'not_yet_valid', ticket }, 'Noch nicht gültig'],
  [{ status: 'rejected', reason: 'expired', ticket }, 'Ticket abgelaufen'],
] as [Decision, string][])('%j is denied with %s', (decision, note) => {
  expect(deviceAnswer(decision, null, auto)).toEqual({ granted: false, note });
});

test.each([
  ['key_refused', 'Kein Zugriff'],
  ['too_many_requests', 'Zu viele Anfragen'],
  ['server_error', 'Serverfehler'],
] as const)('%s says %s', (name, note) => expect(deny(name)).toEqual({ granted: false, note }));

test.each([
  ['x', 'x'],
  [5, '5'],
  [0, '0'],
  ['', null],
  [null, null],
  [true, null],
  [{}, null],
  [undefined, null],
  ['y'.repeat(65), 'y'.repeat(65)],
])('the device’s value %j is the text %j', (value, text) => expect(deviceText(value)).toBe(text));

describe('a heartbeat', () => {
  const body = (json?: Record<string, unknown>) => ({ text: '', json });
  const query = (text: string) => new URLSearchParams(text);

  test.each([
    [{ Key: 'B' }, 'Key=Q&key=k', 'B'],
    [{ Key: '' }, 'Key=Q', ''],
    [{ Key: 7 }, 'Key=Q', 7],
    [{ Key: null }, 'Key=Q', 'Q'],
    [{ Key: {} }, 'key=k', 'k'],
    [undefined, 'Key=Q&key=k', 'Q'],
    [undefined, 'key=k', 'k'],
    [{}, 'key=k', 'k'],
  ])('of %j with %s echoes %j', (json, text, Key) => {
    expect(heartbeatAnswer(body(json), query(text))).toBe(JSON.stringify({ Key }));
  });

  test('tells what the device says of itself, and where it came from otherwise', () => {
    const said = { Serial: 'S', ID: 'I', IP: '10.0.0.1', Ver: 'V' };
    const model = 'access-controller';
    expect(contactFrom(body(said), '1.2.3.4')).toEqual({
      model,
      serial: 'S',
      address: '10.0.0.1',
      firmware: 'V',
    });
    expect(contactFrom(body({ ID: 'I' }), '1.2.3.4')).toEqual({
      model,
      serial: 'I',
      address: '1.2.3.4',
      firmware: '',
    });
    expect(contactFrom(body(undefined), '1.2.3.4')).toEqual({
      model,
      serial: '',
      address: '1.2.3.4',
      firmware: '',
    });
  });
});
