import type { Socket } from 'node:net';
import type { Parts } from '../../reference/parts.ts';
import { type HistoryTwin, isDevice, socketOf, Tally, twin } from './twin.ts';

type Body = Record<string, unknown>;

/** Servers whose answers hold what belongs to an earlier one. */
export const LEAK_TWINS: readonly HistoryTwin[] = [
  restField('holder-of-the-one-before', 'shows the holder of the ticket before', (body, last) => ({
    ...body,
    ...(body['holder'] === undefined && last['holder'] !== undefined
      ? { holder: last['holder'] }
      : {}),
  })),
  restField(
    'ticket-id-of-the-one-before',
    'shows every ninth time the ticketId of the ticket before',
    (body, last, n) =>
      n % 9 === 0 && last['ticketId'] !== undefined
        ? { ...body, ticketId: last['ticketId'] }
        : body,
  ),
  restField('window-sticks', 'shows the validUntil of a ticket before', (body, last) =>
    body['validUntil'] === null && last['validUntil']
      ? { ...body, validUntil: last['validUntil'] }
      : body,
  ),
  restField(
    'type-sticks',
    'shows the ticketType of the ticket before on every fifth answer',
    (body, last, n) =>
      n % 5 === 0 && last['ticketType'] !== undefined
        ? { ...body, ticketType: last['ticketType'] }
        : body,
  ),
  twin('name-of-the-one-before', 'shows a device the name of the holder before', () => {
    let last: unknown;
    return (parts) => ({
      deviceBody(outcome, action) {
        const body = parts.deviceBody(outcome, action);
        const before = last;
        if (outcome.ticket?.holder) last = body['Name'];
        return body['Name'] !== undefined && before !== undefined
          ? { ...body, Name: before }
          : body;
      },
    });
  }),
  twin(
    'ticket-id-of-the-connection',
    'shows the ticketId of the first ticket of a connection',
    () => {
      const first = new WeakMap<Socket, unknown>();
      return (parts) => ({
        finish(reply, incoming) {
          const right = parts.finish(reply, incoming);
          const { ticketId } = right.body as Body;
          if (ticketId === undefined) return right;
          const socket = socketOf(incoming);
          const known = first.get(socket) ?? ticketId;
          first.set(socket, known);
          return { ...right, body: { ...(right.body as Body), ticketId: known } };
        },
      });
    },
  ),
  twin('ticket-in-a-refusal', 'shows the ticket before in a refusal on the same connection', () => {
    const last = new WeakMap<Socket, unknown>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        if (isDevice(incoming)) return right;
        const body = right.body as Body;
        const socket = socketOf(incoming);
        const ticketId = last.get(socket);
        if (body['ticketId'] !== undefined) last.set(socket, body['ticketId']);
        return body['status'] === 'rejected' && ticketId !== undefined
          ? { ...right, body: { ...body, ticketId } }
          : right;
      },
    });
  }),
  twin('heartbeat-of-the-one-before', 'echoes the heartbeat before on every third', () => {
    let last: unknown;
    const tally = new Tally<string>();
    return (parts) => ({
      heartbeatBody(incoming) {
        const right = parts.heartbeatBody(incoming);
        const before = last;
        last = right;
        return before !== undefined && tally.add('') % 3 === 0 ? before : right;
      },
    });
  }),
  twin('note-of-the-one-before', 'shows a device the numbers of the card before', () => {
    let last: string | undefined;
    return (parts) => ({
      deviceBody(outcome, action) {
        const body = parts.deviceBody(outcome, action);
        const before = last;
        if (body['AcsRes'] !== '1') return body;
        last = String(body['Note']);
        return before !== undefined && before !== last && action === 'validate'
          ? { ...body, Note: before }
          : body;
      },
    });
  }),
  twin('denial-sticks', 'shows a device the reason of the denial before', () => {
    let last: unknown;
    return (parts) => ({
      deviceBody(outcome, action) {
        const body = parts.deviceBody(outcome, action);
        if (body['AcsRes'] === '1') return body;
        const before = last;
        last = body['Note'];
        return before === undefined ? body : { ...body, Note: before };
      },
    });
  }),
  twin('reason-sticks', 'shows software the reason of the rejection before', () => {
    let last: unknown;
    return (parts: Parts) => ({
      restBody(outcome, action) {
        const body = parts.restBody(outcome, action);
        if (body['status'] !== 'rejected') return body;
        const before = last;
        last = body['reason'];
        return before === undefined ? body : { ...body, reason: before };
      },
    });
  }),
];

/** @param change gets the fields of the last answers as well, and how many there were */
function restField(
  name: string,
  fault: string,
  change: (body: Body, last: Body, n: number) => Body,
): HistoryTwin {
  return twin(name, fault, () => {
    let last: Body = {};
    const tally = new Tally<string>();
    return (parts) => ({
      restBody(outcome, action) {
        const right = parts.restBody(outcome, action);
        const before = last;
        if (right['valid'] === true) {
          const known = Object.entries(right).filter(([, value]) => value !== null);
          last = { ...last, ...Object.fromEntries(known) };
        }
        return right['valid'] === true ? change(right, before, tally.add('')) : right;
      },
    });
  });
}
