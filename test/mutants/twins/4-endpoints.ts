import type { Action, Side } from '../reference/parts.ts';
import type { Ticket } from '../reference/world.ts';
import {
  device,
  overlook,
  type Parts,
  parsed,
  reply,
  rest,
  status,
  type Twin,
  without,
} from './twin.ts';

const OPEN = { AcsRes: '1', ActIndex: '0', Time: '5', Name: 'Gast', Note: 'Ticket gültig (0/1)' };

/** Refuses tickets that the right server lets in. */
function refusing(isRefused: (ticket: Ticket, action: Action, side: Side) => boolean) {
  return (parts: Parts): Partial<Parts> => ({
    refuse: (ticket, action, side, key) =>
      isRefused(ticket, action, side)
        ? { status: 'rejected', reason: 'ticket_cancelled', ticket }
        : parts.refuse(ticket, action, side, key),
  });
}

export const ENDPOINT_TWINS: readonly Twin[] = [
  {
    name: 'validate-says-consumed',
    section: '4.1',
    fault: 'says consumed on validate',
    caughtBy: ['4.1/single-validated'],
    alter: rest((body) =>
      body['status'] === 'validated' ? { ...body, status: 'consumed' } : body,
    ),
  },
  {
    name: 'validated-201',
    section: '4.1',
    fault: 'answers 201 on validate',
    caughtBy: ['4.1/single-validated'],
    alter: status((outcome) => (outcome.status === 'validated' ? 201 : undefined)),
  },
  {
    name: 'charset-refused',
    section: '4.1',
    fault: 'compares the content type as text',
    caughtBy: ['4.1/charset'],
    alter: (parts) => ({
      readCode: (incoming, action) =>
        incoming.request.headers['content-type'] === 'application/json'
          ? parts.readCode(incoming, action)
          : undefined,
    }),
  },
  {
    name: 'json-by-expression',
    section: '4.1',
    fault: 'searches the body with a regular expression',
    caughtBy: ['4.1/json-whitespace', '4.1/json-escapes', '7.1/400-for-text-after-json'],
    alter: () => ({
      readCode: ({ body }) => /"ticketCode":"([^"]+)"/.exec(body.toString('utf8'))?.[1],
    }),
  },
  {
    name: 'json-escapes-kept',
    section: '4.1',
    fault: 'does not read JSON escapes',
    caughtBy: ['4.1/json-escapes'],
    alter: (parts) => ({
      readCode: (incoming, action) =>
        incoming.body.includes('\\u') ? '\\u' : parts.readCode(incoming, action),
    }),
  },
  {
    name: 'windowed-refused',
    section: '4.1',
    fault: 'refuses tickets that have an end',
    caughtBy: ['4.1/windowed-validated', '4.2/windowed-consumed', '4.4/windowed-granted'],
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        ticket.validUntil
          ? { status: 'rejected', reason: 'expired', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'window-compared-as-text',
    section: '4.1',
    fault: 'compares the start of the window with now as a number',
    caughtBy: ['4.1/windowed-validated'],
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        ticket.validFrom !== null && !(Number(ticket.validFrom) < Date.now())
          ? { status: 'rejected', reason: 'not_yet_valid', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'personalised-refused',
    section: '4.1',
    fault: 'refuses personalised tickets',
    caughtBy: ['4.1/personalised-validated', '4.4/personalised-granted'],
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        ticket.holder
          ? { status: 'rejected', reason: 'invalid_ticket', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'last-scan-on-validate',
    section: '4.1',
    fault: 'shows the time of the last use on validate',
    caughtBy: ['4.1/no-scanned-at-after-a-use', '2.3/scanned-at-only-when-consumed'],
    alter: rest((body, { ticket, status: value }) =>
      value === 'validated' && ticket?.lastScan ? { ...body, scannedAt: ticket.lastScan } : body,
    ),
  },
  {
    name: 'consume-says-validated',
    section: '4.2',
    fault: 'says validated on consume',
    caughtBy: ['4.2/single-consumed'],
    alter: rest((body) =>
      body['status'] === 'consumed' ? { ...body, status: 'validated' } : body,
    ),
  },
  {
    name: 'consumed-202',
    section: '4.2',
    fault: 'answers 202 on consume',
    caughtBy: ['4.2/multi-consumed'],
    alter: status((outcome) => (outcome.status === 'consumed' ? 202 : undefined)),
  },
  {
    name: 'consume-of-cancelled',
    section: '4.2',
    fault: 'consumes cancelled tickets',
    caughtBy: ['4.2/cancelled-not-consumed'],
    alter: overlook(({ reason }, action) => reason === 'ticket_cancelled' && action === 'consume'),
  },
  {
    name: 'consume-of-expired',
    section: '4.2',
    fault: 'consumes expired tickets',
    caughtBy: ['4.2/expired-not-consumed'],
    alter: overlook(
      ({ reason }, action, side) => reason === 'expired' && action === 'consume' && side === 'rest',
    ),
  },
  {
    name: 'consume-of-not-yet-valid',
    section: '4.2',
    fault: 'consumes tickets that are not valid yet',
    caughtBy: ['4.2/not-yet-valid-not-consumed'],
    alter: overlook(({ reason }, action) => reason === 'not_yet_valid' && action === 'consume'),
  },
  {
    name: 'consume-creates',
    section: '4.2',
    fault: 'creates unknown tickets on consume',
    caughtBy: ['4.2/unknown-not-consumed', '7.1/404-for-unknown-on-consume'],
    alter: (parts, world) => {
      let action = '';
      return {
        verify(code, side, wanted) {
          action = wanted;
          return parts.verify(code, side, wanted);
        },
        find: (id) =>
          parts.find(id) ??
          (action === 'consume'
            ? [...world.tickets.values()].find((one) => one.usesAllowed === 9999)
            : undefined),
      };
    },
  },
  {
    name: 'consume-without-code',
    section: '4.2',
    fault: 'answers consume without a code by an empty scan',
    caughtBy: ['4.2/missing-code'],
    alter: (parts) => ({
      readCode: (incoming, action) =>
        parts.readCode(incoming, action) ?? (action === 'consume' ? 'none' : undefined),
    }),
  },
  {
    name: 'device-consume-of-cancelled',
    section: '4.3',
    fault: 'opens doors for cancelled tickets on consume',
    caughtBy: ['4.3/cancelled-denied'],
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'ticket_cancelled' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-consume-of-expired',
    section: '4.3',
    fault: 'opens doors for expired tickets on consume',
    caughtBy: ['4.3/expired-denied', '7.3/note-expired-on-consume'],
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'expired' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-consume-poor',
    section: '4.3',
    fault: 'answers consume at devices without Name and Note',
    caughtBy: ['4.3/granted', '7.3/note-granted-on-consume'],
    alter: device((body, _, action) =>
      action === 'consume' ? without(body, 'Name', 'Note') : body,
    ),
  },
  {
    name: 'device-validate-of-cancelled',
    section: '4.4',
    fault: 'opens doors for cancelled tickets on validate',
    caughtBy: ['4.4/cancelled-denied'],
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'ticket_cancelled' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-exhausted',
    section: '4.4',
    fault: 'opens doors for exhausted tickets on validate',
    caughtBy: ['4.4/exhausted-denied', '7.3/note-exhausted'],
    alter: overlook(
      (outcome, action, side) =>
        outcome.status === 'exhausted' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-refuses-permanent',
    section: '4.4',
    fault: 'does not know permanent cards at devices',
    caughtBy: ['4.4/permanent-granted'],
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        side === 'hardware' && ticket.usesAllowed === 9999
          ? { status: 'exhausted', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'heartbeat-missing',
    section: '4.5',
    fault: 'has no heartbeat',
    caughtBy: ['4.5/answers', '4.5/single-field', '4.5/key-from-request'],
    alter: reply((answer, path) =>
      path === '/scan/hw/heartbeat'
        ? { ...answer, status: 404, body: { message: 'Not Found' } }
        : answer,
    ),
  },
  {
    name: 'heartbeat-fixed',
    section: '4.5',
    fault: 'answers every heartbeat with OK',
    caughtBy: ['4.5/key-from-request'],
    alter: () => ({ heartbeatBody: () => ({ Key: 'OK' }) }),
  },
  {
    name: 'heartbeat-lower-case',
    section: '4.5',
    fault: 'calls the field key',
    caughtBy: ['4.5/single-field'],
    alter: (parts) => ({
      heartbeatBody: (incoming) => ({
        key: (parts.heartbeatBody(incoming) as { Key: string }).Key,
      }),
    }),
  },
  {
    name: 'heartbeat-with-more',
    section: '4.5',
    fault: 'adds its time to the heartbeat',
    caughtBy: ['4.5/single-field'],
    alter: (parts) => ({
      heartbeatBody: (incoming) => ({ ...(parts.heartbeatBody(incoming) as object), Now: 'now' }),
    }),
  },
  {
    name: 'heartbeat-open',
    section: '4.5',
    fault: 'confirms heartbeats without a key',
    caughtBy: ['4.5/without-key', '4.5/unknown-key'],
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        side === 'heartbeat' ? [...world.keys.values()][2] : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'heartbeat-of-rest-key',
    section: '4.5',
    fault: 'confirms heartbeats with a REST key',
    caughtBy: ['4.5/rest-key'],
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        side === 'heartbeat' && world.keys.get(value ?? '')?.type === 'rest'
          ? world.keys.get(value ?? '')
          : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'heartbeat-of-deleted-key',
    section: '4.5',
    fault: 'confirms heartbeats with a deleted key',
    caughtBy: ['4.5/deleted-key'],
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        side === 'heartbeat' && world.deletedKeys.has(value ?? '')
          ? [...world.keys.values()][2]
          : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'heartbeat-cached',
    section: '4.5',
    fault: 'answers all heartbeats of a key with the first value',
    caughtBy: ['4.5/key-of-this-request'],
    alter: (parts) => {
      let first: unknown;
      return {
        heartbeatBody(incoming) {
          first ??= parts.heartbeatBody(incoming);
          return first;
        },
      };
    },
  },
  {
    name: 'heartbeat-cut',
    section: '4.5',
    fault: 'echoes the first 8 characters',
    caughtBy: ['4.5/key-from-request'],
    alter: (parts) => ({
      heartbeatBody: (incoming) => ({
        Key: (parts.heartbeatBody(incoming) as { Key: string }).Key.slice(0, 8),
      }),
    }),
  },
  {
    name: 'heartbeat-mangled',
    section: '4.5',
    fault: 'reads heartbeats as Latin-1',
    caughtBy: ['4.5/key-of-this-request'],
    alter: () => ({
      heartbeatBody: ({ body, query }) => {
        const object = parsed(Buffer.from(body.toString('latin1')));
        return { Key: object?.['Key'] ?? query.get('key') };
      },
    }),
  },
  {
    name: 'heartbeat-consumes',
    section: '4.5',
    fault: 'consumes a card that is in a heartbeat',
    caughtBy: ['4.5/takes-no-use'],
    alter: (parts, world) => ({
      heartbeatBody(incoming) {
        const code = parts.readCard(incoming);
        const ticket = world.tickets.get(code?.split('.')[1] ?? '');
        if (ticket) ticket.usesConsumed += 1;
        return parts.heartbeatBody(incoming);
      },
    }),
  },
  {
    name: 'multi-refused',
    section: '4.1',
    fault: 'does not know multi-use cards',
    caughtBy: ['4.1/multi-validated', '4.4/multi-granted'],
    alter: refusing(({ usesAllowed }) => usesAllowed === 5),
  },
  {
    name: 'permanent-refused-on-rest',
    section: '4.1',
    fault: 'does not know permanent cards on REST',
    caughtBy: ['4.1/permanent-validated'],
    alter: refusing(({ usesAllowed }, _, side) => usesAllowed === 9999 && side === 'rest'),
  },
  {
    name: 'personalised-not-consumed',
    section: '4.2',
    fault: 'wants an identity check before it consumes personalised tickets',
    caughtBy: ['4.2/personalised-consumed'],
    alter: refusing(({ holder }, action) => holder !== undefined && action === 'consume'),
  },
  {
    name: 'consume-of-exhausted',
    section: '4.2',
    fault: 'consumes exhausted tickets',
    caughtBy: ['4.2/exhausted-not-consumed'],
    alter: overlook(
      ({ status: value }, action, side) =>
        value === 'exhausted' && action === 'consume' && side === 'rest',
    ),
  },
  {
    name: 'device-consume-of-exhausted',
    section: '4.3',
    fault: 'opens doors for exhausted tickets on consume',
    caughtBy: ['4.3/exhausted-denied', '7.3/note-exhausted-on-consume'],
    alter: overlook(
      ({ status: value }, action, side) =>
        value === 'exhausted' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-consume-of-not-yet-valid',
    section: '4.3',
    fault: 'opens doors for tickets that are not valid yet on consume',
    caughtBy: ['4.3/not-yet-valid-denied', '7.3/note-not-yet-valid-on-consume'],
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'not_yet_valid' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-expired',
    section: '4.4',
    fault: 'opens doors for expired tickets on validate',
    caughtBy: ['4.4/expired-denied', '7.3/note-expired'],
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'expired' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-not-yet-valid',
    section: '4.4',
    fault: 'opens doors for tickets that are not valid yet on validate',
    caughtBy: ['4.4/not-yet-valid-denied', '7.3/note-not-yet-valid'],
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'not_yet_valid' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-unknown',
    section: '4.4',
    fault: 'opens doors for tickets that do not exist on validate',
    caughtBy: ['4.4/unknown-denied', '7.3/note-not-found'],
    alter: device((body, { status: value }, action) =>
      value === 'not_found' && action === 'validate' ? OPEN : body,
    ),
  },
  {
    name: 'device-consume-of-unknown',
    section: '4.3',
    fault: 'opens doors for tickets that do not exist on consume',
    caughtBy: ['4.3/unknown-denied', '7.3/note-not-found-on-consume'],
    alter: device((body, { status: value }, action) =>
      value === 'not_found' && action === 'consume' ? OPEN : body,
    ),
  },
  {
    name: 'device-validate-refuses-single',
    section: '4.4',
    fault: 'refuses single tickets when a device validates',
    caughtBy: ['4.4/single-granted', '2.4/granted-fields'],
    alter: refusing(
      ({ usesAllowed }, action, side) =>
        usesAllowed === 1 && action === 'validate' && side === 'hardware',
    ),
  },
];
