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
    alter: rest((body) =>
      body['status'] === 'validated' ? { ...body, status: 'consumed' } : body,
    ),
  },
  {
    name: 'validated-201',
    section: '4.1',
    fault: 'answers 201 on validate',
    alter: status((outcome) => (outcome.status === 'validated' ? 201 : undefined)),
  },
  {
    name: 'charset-refused',
    section: '4.1',
    fault: 'compares the content type as text',
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
    alter: () => ({
      readCode: ({ body }) => /"ticketCode":"([^"]+)"/.exec(body.toString('utf8'))?.[1],
    }),
  },
  {
    name: 'json-escapes-kept',
    section: '4.1',
    fault: 'does not read JSON escapes',
    alter: (parts) => ({
      readCode: (incoming, action) =>
        incoming.body.includes('\\u') ? '\\u' : parts.readCode(incoming, action),
    }),
  },
  {
    name: 'windowed-refused',
    section: '4.1',
    fault: 'refuses tickets that have an end',
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
    alter: rest((body, { ticket, status: value }) =>
      value === 'validated' && ticket?.lastScan ? { ...body, scannedAt: ticket.lastScan } : body,
    ),
  },
  {
    name: 'consume-says-validated',
    section: '4.2',
    fault: 'says validated on consume',
    alter: rest((body) =>
      body['status'] === 'consumed' ? { ...body, status: 'validated' } : body,
    ),
  },
  {
    name: 'consumed-202',
    section: '4.2',
    fault: 'answers 202 on consume',
    alter: status((outcome) => (outcome.status === 'consumed' ? 202 : undefined)),
  },
  {
    name: 'consume-of-cancelled',
    section: '4.2',
    fault: 'consumes cancelled tickets',
    alter: overlook(({ reason }, action) => reason === 'ticket_cancelled' && action === 'consume'),
  },
  {
    name: 'consume-of-expired',
    section: '4.2',
    fault: 'consumes expired tickets',
    alter: overlook(
      ({ reason }, action, side) => reason === 'expired' && action === 'consume' && side === 'rest',
    ),
  },
  {
    name: 'consume-of-not-yet-valid',
    section: '4.2',
    fault: 'consumes tickets that are not valid yet',
    alter: overlook(({ reason }, action) => reason === 'not_yet_valid' && action === 'consume'),
  },
  {
    name: 'consume-creates',
    section: '4.2',
    fault: 'creates unknown tickets on consume',
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
    alter: (parts) => ({
      readCode: (incoming, action) =>
        parts.readCode(incoming, action) ?? (action === 'consume' ? 'none' : undefined),
    }),
  },
  {
    name: 'device-consume-of-cancelled',
    section: '4.3',
    fault: 'opens doors for cancelled tickets on consume',
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'ticket_cancelled' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-consume-of-expired',
    section: '4.3',
    fault: 'opens doors for expired tickets on consume',
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'expired' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-consume-poor',
    section: '4.3',
    fault: 'answers consume at devices without Name and Note',
    alter: device((body, _, action) =>
      action === 'consume' ? without(body, 'Name', 'Note') : body,
    ),
  },
  {
    name: 'device-validate-of-cancelled',
    section: '4.4',
    fault: 'opens doors for cancelled tickets on validate',
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'ticket_cancelled' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-exhausted',
    section: '4.4',
    fault: 'opens doors for exhausted tickets on validate',
    alter: overlook(
      (outcome, action, side) =>
        outcome.status === 'exhausted' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-refuses-permanent',
    section: '4.4',
    fault: 'does not know permanent cards at devices',
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
    alter: () => ({ heartbeatBody: () => ({ Key: 'OK' }) }),
  },
  {
    name: 'heartbeat-lower-case',
    section: '4.5',
    fault: 'calls the field key',
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
    alter: (parts) => ({
      heartbeatBody: (incoming) => ({ ...(parts.heartbeatBody(incoming) as object), Now: 'now' }),
    }),
  },
  {
    name: 'heartbeat-open',
    section: '4.5',
    fault: 'confirms heartbeats without a key',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        side === 'heartbeat' ? [...world.keys.values()][2] : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'heartbeat-of-rest-key',
    section: '4.5',
    fault: 'confirms heartbeats with a REST key',
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
    alter: refusing(({ usesAllowed }) => usesAllowed === 5),
  },
  {
    name: 'permanent-refused-on-rest',
    section: '4.1',
    fault: 'does not know permanent cards on REST',
    alter: refusing(({ usesAllowed }, _, side) => usesAllowed === 9999 && side === 'rest'),
  },
  {
    name: 'personalised-not-consumed',
    section: '4.2',
    fault: 'wants an identity check before it consumes personalised tickets',
    alter: refusing(({ holder }, action) => holder !== undefined && action === 'consume'),
  },
  {
    name: 'consume-of-exhausted',
    section: '4.2',
    fault: 'consumes exhausted tickets',
    alter: overlook(
      ({ status: value }, action, side) =>
        value === 'exhausted' && action === 'consume' && side === 'rest',
    ),
  },
  {
    name: 'device-consume-of-exhausted',
    section: '4.3',
    fault: 'opens doors for exhausted tickets on consume',
    alter: overlook(
      ({ status: value }, action, side) =>
        value === 'exhausted' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-consume-of-not-yet-valid',
    section: '4.3',
    fault: 'opens doors for tickets that are not valid yet on consume',
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'not_yet_valid' && action === 'consume' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-expired',
    section: '4.4',
    fault: 'opens doors for expired tickets on validate',
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'expired' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-not-yet-valid',
    section: '4.4',
    fault: 'opens doors for tickets that are not valid yet on validate',
    alter: overlook(
      ({ reason }, action, side) =>
        reason === 'not_yet_valid' && action === 'validate' && side === 'hardware',
    ),
  },
  {
    name: 'device-validate-of-unknown',
    section: '4.4',
    fault: 'opens doors for tickets that do not exist on validate',
    alter: device((body, { status: value }, action) =>
      value === 'not_found' && action === 'validate' ? OPEN : body,
    ),
  },
  {
    name: 'device-consume-of-unknown',
    section: '4.3',
    fault: 'opens doors for tickets that do not exist on consume',
    alter: device((body, { status: value }, action) =>
      value === 'not_found' && action === 'consume' ? OPEN : body,
    ),
  },
  {
    name: 'device-validate-refuses-single',
    section: '4.4',
    fault: 'refuses single tickets when a device validates',
    alter: refusing(
      ({ usesAllowed }, action, side) =>
        usesAllowed === 1 && action === 'validate' && side === 'hardware',
    ),
  },
];
