import { isGranted, rest, type Twin, without } from './twin.ts';

const shifted = (time: unknown, hours: number) =>
  typeof time === 'string' ? new Date(Date.parse(time) + hours * 3_600_000).toISOString() : time;
const ofTicket = (body: Record<string, unknown>) => body['ticketId'] !== undefined;

export const RESULT_TWINS: readonly Twin[] = [
  {
    name: 'no-message',
    section: '2.3',
    fault: 'has no message in its results',
    alter: rest((body) => without(body, 'message')),
  },
  {
    name: 'empty-message',
    section: '2.3',
    fault: 'has an empty message for exhausted tickets',
    alter: rest((body) => (body['status'] === 'exhausted' ? { ...body, message: '' } : body)),
  },
  {
    name: 'valid-as-text',
    section: '2.3',
    fault: 'sends valid as a text',
    alter: rest((body) => ({ ...body, valid: String(body['valid']) })),
  },
  {
    name: 'valid-as-number',
    section: '2.3',
    fault: 'sends valid as 1 and 0',
    alter: rest((body) => ({ ...body, valid: Number(body['valid']) })),
  },
  {
    name: 'valid-on-exhausted',
    section: '2.3',
    fault: 'says valid true of an exhausted ticket',
    alter: rest((body) => (body['status'] === 'exhausted' ? { ...body, valid: true } : body)),
  },
  {
    name: 'valid-missing-on-not-found',
    section: '2.3',
    fault: 'leaves valid out of not_found',
    alter: rest((body) => (body['status'] === 'not_found' ? without(body, 'valid') : body)),
  },
  {
    name: 'status-in-capitals',
    section: '2.3',
    fault: 'writes the status in capitals',
    alter: rest((body) => ({ ...body, status: String(body['status']).toUpperCase() })),
  },
  {
    name: 'status-ok',
    section: '2.3',
    fault: 'says `ok` instead of `validated`',
    alter: rest((body) => (body['status'] === 'validated' ? { ...body, status: 'ok' } : body)),
  },
  {
    name: 'uses-as-text',
    section: '2.3',
    fault: 'sends the use counters as texts',
    alter: rest((body) =>
      ofTicket(body)
        ? {
            ...body,
            usesAllowed: String(body['usesAllowed']),
            usesConsumed: String(body['usesConsumed']),
          }
        : body,
    ),
  },
  {
    name: 'remaining-off-by-one',
    section: '2.3',
    fault: 'counts the present use as remaining',
    alter: rest((body, { status }) =>
      isGranted({ status }) ? { ...body, usesRemaining: Number(body['usesRemaining']) + 1 } : body,
    ),
  },
  {
    name: 'used-up-ticket-is-multi',
    section: '2.3',
    fault: 'calls a single ticket a card once it is used up',
    alter: rest((body, { status }) =>
      status === 'exhausted' ? { ...body, ticketType: 'multi' } : body,
    ),
  },
  {
    name: 'remaining-missing',
    section: '2.3',
    fault: 'leaves usesRemaining out',
    alter: rest((body) => without(body, 'usesRemaining')),
  },
  {
    name: 'consumed-uses-missing',
    section: '2.3',
    fault: 'leaves usesConsumed out of consume results',
    alter: rest((body, { status }) =>
      status === 'consumed' ? without(body, 'usesConsumed') : body,
    ),
  },
  {
    name: 'uses-before-the-use',
    section: '2.3',
    fault: 'shows the counters from before the use',
    alter: rest((body, { status }) =>
      status === 'consumed'
        ? {
            ...body,
            usesConsumed: Number(body['usesConsumed']) - 1,
            usesRemaining: Number(body['usesRemaining']) + 1,
          }
        : body,
    ),
  },
  {
    name: 'uses-start-at-one',
    section: '2.3',
    fault: 'shows an unused ticket with one use',
    alter: rest((body) =>
      body['status'] === 'validated' && body['usesConsumed'] === 0
        ? { ...body, usesConsumed: 1, usesRemaining: Number(body['usesAllowed']) - 1 }
        : body,
    ),
  },
  {
    name: 'uses-allowed-are-what-is-left',
    section: '2.3',
    fault: 'shows the remaining uses as allowed',
    alter: rest((body) =>
      ofTicket(body) && body['ticketType'] === 'multi'
        ? { ...body, usesAllowed: body['usesRemaining'], usesConsumed: 0 }
        : body,
    ),
  },
  {
    name: 'uses-allowed-by-default',
    section: '2.3',
    fault: 'shows every card as a 10-use card',
    alter: rest((body) =>
      body['usesAllowed'] === 5
        ? { ...body, usesAllowed: 10, usesRemaining: 10 - Number(body['usesConsumed']) }
        : body,
    ),
  },
  {
    name: 'ticket-id-missing',
    section: '2.3',
    fault: 'leaves ticketId out',
    alter: rest((body) => without(body, 'ticketId')),
  },
  {
    name: 'ticket-id-number',
    section: '2.3',
    fault: 'sends a row number as ticketId',
    alter: rest((body) => (ofTicket(body) ? { ...body, ticketId: 4711 } : body)),
  },
  {
    name: 'ticket-id-of-event',
    section: '2.3',
    fault: "sends the event's id as ticketId",
    alter: rest((body, { ticket }) =>
      ofTicket(body) ? { ...body, ticketId: ticket?.event } : body,
    ),
  },
  {
    name: 'ticket-id-of-request',
    section: '2.3',
    fault: 'makes a ticketId anew for each answer',
    alter: rest((body) => (ofTicket(body) ? { ...body, ticketId: `tkt_${Math.random()}` } : body)),
  },
  {
    name: 'ticket-type-missing',
    section: '2.3',
    fault: 'leaves ticketType out of exhausted results',
    alter: rest((body) => (body['status'] === 'exhausted' ? without(body, 'ticketType') : body)),
  },
  {
    name: 'open-window-left-out',
    section: '2.3',
    fault: 'leaves validFrom and validUntil out when there is no window',
    alter: rest((body) =>
      without(body, ...['validFrom', 'validUntil'].filter((name) => body[name] === null)),
    ),
  },
  {
    name: 'open-window-empty',
    section: '2.3',
    fault: 'sends an empty text for an open start',
    alter: rest((body) => (body['validFrom'] === null ? { ...body, validFrom: '' } : body)),
  },
  {
    name: 'open-window-far',
    section: '2.3',
    fault: 'sends a far date for an open end',
    alter: rest((body) =>
      body['validUntil'] === null ? { ...body, validUntil: '9999-12-31T23:59:59Z' } : body,
    ),
  },
  {
    name: 'window-in-seconds',
    section: '2.3',
    fault: 'sends the window in seconds since 1970',
    alter: rest((body) =>
      typeof body['validUntil'] === 'string'
        ? { ...body, validUntil: Math.floor(Date.parse(body['validUntil']) / 1000) }
        : body,
    ),
  },
  {
    name: 'window-without-time',
    section: '2.3',
    fault: 'sends the end of the window as a day',
    alter: rest((body) =>
      typeof body['validUntil'] === 'string'
        ? { ...body, validUntil: body['validUntil'].slice(0, 10) }
        : body,
    ),
  },
  {
    name: 'window-in-local-format',
    section: '2.3',
    fault: 'sends times in a local format',
    alter: rest((body) =>
      typeof body['validFrom'] === 'string'
        ? { ...body, validFrom: body['validFrom'].replace('T', ' ').replace(/\..*/, '') }
        : body,
    ),
  },
  {
    name: 'window-swapped',
    section: '2.3',
    fault: 'swaps validFrom and validUntil',
    alter: rest((body) =>
      ofTicket(body) && 'validFrom' in body
        ? { ...body, validFrom: body['validUntil'], validUntil: body['validFrom'] }
        : body,
    ),
  },
  {
    name: 'window-in-local-time',
    section: '2.3',
    fault: 'sends local time marked as UTC',
    alter: rest((body) =>
      ofTicket(body) && 'validFrom' in body
        ? {
            ...body,
            validFrom: shifted(body['validFrom'], 1),
            validUntil: shifted(body['validUntil'], 1),
          }
        : body,
    ),
  },
  {
    name: 'holder-null',
    section: '2.3',
    fault: 'sends holder null for tickets without one',
    alter: rest((body) => (body['status'] === 'validated' ? { holder: null, ...body } : body)),
  },
  {
    name: 'holder-empty',
    section: '2.3',
    fault: 'sends an empty holder for tickets without one',
    alter: rest((body) =>
      body['status'] === 'validated' ? { holder: { firstName: '', lastName: '' }, ...body } : body,
    ),
  },
  {
    name: 'holder-as-text',
    section: '2.3',
    fault: 'sends the holder as one text',
    alter: rest((body) => (body['holder'] ? { ...body, holder: 'Zoë Grünwäldli-Ðorđević' } : body)),
  },
  {
    name: 'holder-missing',
    section: '2.3',
    fault: 'never shows the holder',
    alter: rest((body) => without(body, 'holder')),
  },
  {
    name: 'holder-missing-on-consume',
    section: '2.3',
    fault: 'shows the holder on validate only',
    alter: rest((body, { status }) => (status === 'consumed' ? without(body, 'holder') : body)),
  },
  {
    name: 'holder-in-snake-case',
    section: '2.3',
    fault: 'calls the fields first_name and last_name',
    alter: rest((body) =>
      body['holder'] ? { ...body, holder: { first_name: 'Zoë', last_name: 'Grünwäldli' } } : body,
    ),
  },
  {
    name: 'holder-swapped',
    section: '2.3',
    fault: 'swaps first and last name',
    alter: rest((body, { ticket }) =>
      body['holder'] && ticket?.holder
        ? {
            ...body,
            holder: { firstName: ticket.holder.lastName, lastName: ticket.holder.firstName },
          }
        : body,
    ),
  },
  {
    name: 'holder-without-accents',
    section: '2.3',
    fault: 'loses the accents of names',
    alter: rest((body, { ticket }) =>
      body['holder'] && ticket?.holder
        ? {
            ...body,
            holder: {
              firstName: 'Zoe',
              lastName: ticket.holder.lastName.normalize('NFD').replace(/[\u0300-\u036f]/g, ''),
            },
          }
        : body,
    ),
  },
  {
    name: 'scanned-at-missing',
    section: '2.3',
    fault: 'leaves scannedAt out',
    alter: rest((body) => without(body, 'scannedAt')),
  },
  {
    name: 'scanned-at-null-on-validate',
    section: '2.3',
    fault: 'sends scannedAt null on validate',
    alter: rest((body, { status }) =>
      status === 'validated' ? { ...body, scannedAt: null } : body,
    ),
  },
  {
    name: 'scanned-at-in-milliseconds',
    section: '2.3',
    fault: 'sends scannedAt in milliseconds since 1970',
    alter: rest((body) => (body['scannedAt'] ? { ...body, scannedAt: Date.now() } : body)),
  },
  {
    name: 'scanned-at-of-creation',
    section: '2.3',
    fault: 'sends the time of creation as scannedAt',
    alter: rest((body) =>
      body['scannedAt'] ? { ...body, scannedAt: shifted(body['scannedAt'], -50) } : body,
    ),
  },
  {
    name: 'scanned-at-in-local-time',
    section: '2.3',
    fault: 'sends scannedAt in local time marked as UTC',
    alter: rest((body) =>
      body['scannedAt'] ? { ...body, scannedAt: shifted(body['scannedAt'], 1) } : body,
    ),
  },
  {
    name: 'scanned-at-of-first-use',
    section: '2.3',
    fault: 'keeps the scannedAt of the first use',
    alter: (parts) => {
      const first = new Map<string, unknown>();
      return {
        restBody(outcome, action) {
          const body = parts.restBody(outcome, action);
          const id = outcome.ticket?.id ?? '';
          if (!body['scannedAt']) return body;
          first.set(id, first.get(id) ?? body['scannedAt']);
          return { ...body, scannedAt: first.get(id) };
        },
      };
    },
  },
  {
    name: 'exhausted-without-ticket',
    section: '2.3',
    fault: 'says nothing about an exhausted ticket',
    alter: rest((body) =>
      body['status'] === 'exhausted'
        ? { valid: false, status: 'exhausted', message: 'All uses are used up' }
        : body,
    ),
  },
  {
    name: 'exhausted-below-zero',
    section: '2.3',
    fault: 'shows -1 uses remaining on an exhausted ticket',
    alter: rest((body) => (body['status'] === 'exhausted' ? { ...body, usesRemaining: -1 } : body)),
  },
  {
    name: 'exhausted-without-its-uses',
    section: '2.3',
    fault: 'shows an exhausted ticket as unused',
    alter: rest((body) =>
      body['status'] === 'exhausted' ? { ...body, usesConsumed: 0, usesRemaining: 0 } : body,
    ),
  },
  {
    name: 'exhausted-as-rejected',
    section: '2.3',
    fault: 'rejects an exhausted ticket with a reason of its own',
    alter: rest((body) =>
      body['status'] === 'exhausted' ? { ...body, status: 'rejected', reason: 'exhausted' } : body,
    ),
  },
  {
    name: 'cancelled-by-another-name',
    section: '2.3',
    fault: 'gives `cancelled` as the reason',
    alter: rest((body) =>
      body['reason'] === 'ticket_cancelled' ? { ...body, reason: 'cancelled' } : body,
    ),
  },
  {
    name: 'window-reasons-swapped',
    section: '2.3',
    fault: 'swaps `expired` and `not_yet_valid`',
    alter: rest((body) => {
      const other = { expired: 'not_yet_valid', not_yet_valid: 'expired' }[String(body['reason'])];
      return other ? { ...body, reason: other } : body;
    }),
  },
  {
    name: 'expired-unseen',
    section: '2.3',
    fault: 'does not look at validUntil',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        parts.refuse({ ...ticket, validUntil: null }, action, side, key),
    }),
  },
  {
    name: 'window-start-unseen',
    section: '2.3',
    fault: 'does not look at validFrom',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        parts.refuse({ ...ticket, validFrom: null }, action, side, key),
    }),
  },
  {
    name: 'cancelled-unseen',
    section: '2.3',
    fault: 'lets cancelled tickets in',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        parts.refuse({ ...ticket, cancelled: false }, action, side, key),
    }),
  },
  {
    name: 'no-reason',
    section: '2.3',
    fault: 'rejects without a reason',
    alter: rest((body) => without(body, 'reason')),
  },
  {
    name: 'not-found-as-rejected',
    section: '2.3',
    fault: 'rejects tickets that do not exist',
    alter: rest((body) =>
      body['status'] === 'not_found'
        ? { ...body, status: 'rejected', reason: 'invalid_ticket' }
        : body,
    ),
  },
];
