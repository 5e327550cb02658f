import type { IncomingMessage } from 'node:http';
import { type Key, signatureOf, type Ticket, type World } from './world.ts';

export interface Incoming {
  readonly request: Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'url'>;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

export interface Outcome {
  readonly status: string;
  readonly reason?: string;
  readonly ticket?: Ticket;
  readonly scannedAt?: string;
}

export interface Reply {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export type Action = 'validate' | 'consume';
export type Side = 'rest' | 'hardware' | 'heartbeat';

/** The steps of the reference server. A faulty server replaces one or a few of them. */
export interface Parts {
  isMethodAllowed(method: string, incoming: Incoming): boolean;
  keyOf(incoming: Incoming, side: Side): string | undefined;
  acceptKey(value: string | undefined, side: Side, action: Action | undefined): Key | undefined;
  withinLimit(key: Key, incoming: Incoming): boolean;
  /** Whether the key has requests left in this month; heartbeats are never refused for it. */
  withinMonth(key: Key, side: Side): boolean;
  readCode(incoming: Incoming, action: Action): string | undefined;
  readCard(incoming: Incoming): string | undefined;
  /** The ticket id of a genuine code. */
  verify(code: string, side: Side, action: Action): string | undefined;
  inScope(key: Key, ticketId: string, side: Side, action: Action): boolean;
  find(ticketId: string): Ticket | undefined;
  /** The first rule that refuses the ticket, or undefined. */
  refuse(ticket: Ticket, action: Action, side: Side, key: Key): Outcome | undefined;
  register(ticket: Ticket, side: Side, key: Key): void | Promise<void>;
  /** When the use was registered, as the answer says it. */
  timeOfScan(): string;
  statusOf(outcome: Outcome, side: Side): number;
  restBody(outcome: Outcome, action: Action): Record<string, unknown>;
  deviceBody(outcome: Outcome, action: Action): Record<string, unknown>;
  heartbeatBody(incoming: Incoming): unknown;
  unauthorised(side: Side): Reply;
  limited(side: Side): Reply;
  badRequest(side: Side): Reply;
  /** The last word on every answer. */
  finish(reply: Reply, incoming: Incoming): Reply;
}

const MESSAGES: Readonly<Record<string, string>> = {
  validated: 'Ticket is valid',
  consumed: 'Ticket consumed',
  exhausted: 'All uses are used up',
  not_found: 'Ticket does not exist',
  invalid_ticket: 'Invalid ticket signature',
  event_not_allowed: 'No access to this event',
  ticket_cancelled: 'Ticket was cancelled',
  not_yet_valid: 'Ticket is not valid yet',
  expired: 'Ticket has expired',
  missing_ticket_code: 'ticketCode is missing',
};

const NOTES: Readonly<Record<string, string>> = {
  exhausted: 'Ticket erschöpft',
  not_found: 'Ticket nicht gefunden',
  invalid_ticket: 'Ungültiges Ticket',
  event_not_allowed: 'Kein Zugriff',
  ticket_cancelled: 'Ticket storniert',
  not_yet_valid: 'Noch nicht gültig',
  expired: 'Ticket abgelaufen',
};

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
});

/** The right behaviour, written as plainly as possible. */
export function referenceParts(world: World): Parts {
  return {
    isMethodAllowed: (method) => method === 'POST',
    keyOf(incoming, side) {
      if (side !== 'rest') return incoming.query.get('key') ?? undefined;
      const header = incoming.request.headers['x-api-key'];
      return typeof header === 'string' ? header : undefined;
    },
    acceptKey(value, side) {
      const key = world.keys.get(value ?? '');
      const type = side === 'rest' ? 'rest' : 'hardware';
      return key?.active && key.type === type ? key : undefined;
    },
    withinLimit(key) {
      const now = world.clock.now();
      key.tokens = Math.min(100, key.tokens + ((now - key.filledAt) / 1000) * 50);
      key.filledAt = now;
      if (key.tokens < 1) return false;
      key.tokens -= 1;
      return true;
    },
    withinMonth: (key, side) => side === 'heartbeat' || !key.isSpent,
    readCode({ body }) {
      try {
        const { ticketCode } = JSON.parse(body.toString('utf8'));
        return typeof ticketCode === 'string' && ticketCode !== '' ? ticketCode : undefined;
      } catch {
        return undefined;
      }
    },
    readCard({ body }) {
      try {
        const { Card } = JSON.parse(body.toString('utf8'));
        return typeof Card === 'string' ? Buffer.from(Card, 'base64').toString('utf8') : undefined;
      } catch {
        return undefined;
      }
    },
    verify(code) {
      const [prefix, id, signature, ...rest] = code.split('.');
      if (prefix !== 'REF' || !id || rest.length > 0) return undefined;
      return signature === signatureOf(world, `REF.${id}`) ? id : undefined;
    },
    inScope(key, ticketId) {
      const event = /(main|other|foreign)/.exec(ticketId)?.[1] ?? '';
      return key.events === 'all' ? event !== 'foreign' : key.events.includes(event);
    },
    find: (ticketId) => world.tickets.get(ticketId),
    refuse(ticket) {
      const now = world.clock.wallNow();
      const rejected = (reason: string) => ({ status: 'rejected', reason, ticket });
      if (ticket.cancelled) return rejected('ticket_cancelled');
      if (ticket.validFrom !== null && Date.parse(ticket.validFrom) > now)
        return rejected('not_yet_valid');
      if (ticket.validUntil !== null && Date.parse(ticket.validUntil) < now)
        return rejected('expired');
      if (ticket.usesConsumed >= ticket.usesAllowed) return { status: 'exhausted', ticket };
      return undefined;
    },
    register(ticket) {
      ticket.usesConsumed += 1;
    },
    timeOfScan: () => new Date(world.clock.wallNow()).toISOString(),
    statusOf({ status, reason }) {
      if (reason === 'event_not_allowed') return 403;
      return status === 'not_found' ? 404 : 200;
    },
    restBody(outcome) {
      const { status, reason, ticket, scannedAt } = outcome;
      const body: Record<string, unknown> = {
        valid: status === 'validated' || status === 'consumed',
        status,
        ...optional('reason', reason),
        message: MESSAGES[reason ?? status],
      };
      // a rejected ticket shows nothing of itself: which fields it may show is not said
      if (!ticket || reason !== undefined) return body;
      Object.assign(body, ticketFields(ticket));
      if (status === 'exhausted') return body;
      return {
        ...body,
        ...optional('holder', ticket.holder),
        validFrom: ticket.validFrom,
        validUntil: ticket.validUntil,
        ...optional('scannedAt', scannedAt),
      };
    },
    deviceBody(outcome) {
      const { status, reason, ticket } = outcome;
      if (!ticket || (status !== 'validated' && status !== 'consumed')) {
        return {
          AcsRes: '0',
          ActIndex: '0',
          Time: '0',
          Note: NOTES[reason ?? status] ?? 'Serverfehler',
        };
      }
      return {
        AcsRes: '1',
        ActIndex: '0',
        Time: '5',
        Name: cut(
          ticket.holder ? `${ticket.holder.firstName} ${ticket.holder.lastName}` : 'Willkommen',
        ),
        Note: `Ticket gültig (${ticket.usesConsumed}/${ticket.usesAllowed})`,
      };
    },
    heartbeatBody(incoming) {
      const echo = incoming.query.get('key');
      try {
        const { Key } = JSON.parse(incoming.body.toString('utf8'));
        return { Key: typeof Key === 'string' ? Key : echo };
      } catch {
        return { Key: echo };
      }
    },
    unauthorised: (side) =>
      side === 'rest'
        ? json(401, { message: 'Forbidden' })
        : json(401, { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Kein Zugriff' }),
    limited: (side) =>
      side === 'rest'
        ? json(429, { message: 'Too Many Requests' })
        : json(429, { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Zu viele Anfragen' }),
    badRequest: (side) =>
      side === 'rest'
        ? json(400, {
            valid: false,
            status: 'rejected',
            reason: 'missing_ticket_code',
            message: MESSAGES['missing_ticket_code'],
          })
        : json(400, { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Ungültiges Ticket' }),
    finish: (reply) => reply,
  };
}

const optional = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value });

function ticketFields({ id, type, usesAllowed, usesConsumed }: Ticket) {
  const usesRemaining = usesAllowed - usesConsumed;
  return { ticketId: id, ticketType: type, usesAllowed, usesConsumed, usesRemaining };
}

/** At most 16 bytes, never inside a character. */
function cut(text: string, bytesMax = 16): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytesMax) break;
    kept += character;
  }
  return kept;
}
