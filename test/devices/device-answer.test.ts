import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { deny, deviceAnswer } from '../../src/scan/devices/device-answer.ts';
import { deviceText } from '../../src/scan/devices/device-model.ts';
import { contactFrom, heartbeatAnswer } from '../../src/scan/devices/heartbeat.ts';
import { fc } from '../support/fast-check.ts';
import { aTicket } from '../support/tickets.ts';

const ticket = aTicket({ ticketType: 'multi', usesAllowed: 10, usesConsumed: 3 });
const bodyOf = (text: string) => ({ text, json: JSON.parse(text) as Record<string, unknown> });
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
    ['out', 'in', '0', 'out'],
    ['out', 'auto', '0', 'out'],
    ['in', 'auto', '1', 'in'],
    ['in', 'out', '0', 'out'],
  ] as const)(
    'for the way %s, with the relay set to %s, at reader %s opens %s',
    (direction, relay, reader, opened) => {
      const decision = { ...validated(), direction };
      expect(deviceAnswer(decision, reader, { relay, openSeconds: 5 })).toMatchObject({
        relay: opened,
      });
    },
  );

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

  test.each([
    [undefined, 'Ada Lovelace', 'Mehrfachkarte'],
    ['holder', 'Ada Lovelace', 'Mehrfachkarte'],
    ['kind', 'Mehrfachkarte', 'Mehrfachkarte'],
    ['none', '', ''],
  ] as const)(
    'of a key that says %s for its displays shows %j, without a holder %j',
    (nameOnDisplay, named, unnamed) => {
      const holder = { firstName: 'Ada', lastName: 'Lovelace' };
      const door = { ...auto, nameOnDisplay };
      expect(deviceAnswer(validated({ holder }), null, door)).toMatchObject({ name: named });
      expect(deviceAnswer(validated(), null, door)).toMatchObject({ name: unnamed });
    },
  );
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
  ['"x"', 'x'],
  ['5', '5'],
  ['0', '0'],
  ['""', null],
  ['null', null],
  ['true', null],
  ['{}', null],
  [`"${'y'.repeat(65)}"`, 'y'.repeat(65)],
  ['12345678901234567890', '12345678901234567890'],
  ['1.0', '1.0'],
  ['1e400', '1e400'],
  ['-0', '-0'],
])('the device’s value %s is the text %j', (value, text) => {
  expect(deviceText(bodyOf(`{"Serial":${value}}`), 'Serial')).toBe(text);
  expect(deviceText(bodyOf('{}'), 'Serial')).toBeNull();
});

test.each([
  ['white space', '{ "Serial" :\n 1.0 }'],
  ['an escape elsewhere', '{"Card":"a\\/b","Serial":1.0}'],
  ['the name escaped', '{"S\\u0065rial":1.0}'],
  ['the same name deeper', '{"x":{"Serial":7},"Serial":1.0}'],
  ['the same name in a list', '{"Serial":1.0,"x":[{"Serial":7}]}'],
  ['the name as a value', '{"x":"Serial","Serial":1.0}'],
  ['the name in a value', '{"x":"\\"Serial\\":7","Serial":1.0}'],
  ['the member twice', '{"Serial":7,"Serial":1.0}'],
])('a number keeps its digits beside %s', (_name, text) => {
  expect(deviceText(bodyOf(text), 'Serial')).toBe('1.0');
});

test('a number is read as JSON reads it, in the digits that were sent', () => {
  const json = fc.json({ maxDepth: 3 });
  fc.assert(
    fc.property(
      fc.string(),
      json,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      json,
      (name, before, number, after) => {
        const key = JSON.stringify(name);
        const text = `{"a":${before},${key}:${number},"b":${after}}`;
        fc.pre(name !== 'a' && name !== 'b' && name !== '__proto__');
        expect(deviceText(bodyOf(text), name)).toBe(String(number));
      },
    ),
  );
});

describe('a heartbeat', () => {
  const body = (json?: Record<string, unknown>) => ({ text: JSON.stringify(json ?? ''), json });
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

  test.each(['12345678901234567890', '1.0', '1e400', '-0', '0.10', '17'])(
    'echoes the number %s in its own digits',
    (digits) => {
      const text = `{"Serial":"S","Key":${digits}}`;
      expect(heartbeatAnswer(bodyOf(text), query('key=k'))).toBe(`{"Key":${digits}}`);
    },
  );

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
