import type { Incoming } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import { device, parsed, type Twin, without } from './twin.ts';

const granted = (body: Record<string, unknown>) => body['AcsRes'] === '1';

const OPEN = { AcsRes: '1', ActIndex: '0', Time: '5', Name: 'Gast', Note: 'Ticket gültig (1/1)' };

/** Opens for what it should refuse, by the text of the refusal, where a device sends this. */
function openingWhere(
  isThere: (sent: Record<string, unknown>) => boolean,
  note: string,
): Alteration {
  return (parts) => ({
    finish(answer, incoming) {
      const body = answer.body as Record<string, unknown>;
      return isThere(parsed(incoming.body) ?? {}) && body['Note'] === note
        ? { ...answer, status: 200, body: OPEN }
        : parts.finish(answer, incoming);
    },
  });
}

/** Opens without counting where a device sends this. */
function uncountedWhere(isThere: (sent: Record<string, unknown>) => boolean): Alteration {
  return (parts) => {
    let isCounted = true;
    return {
      readCard(incoming: Incoming) {
        isCounted = !isThere(parsed(incoming.body) ?? {});
        return parts.readCard(incoming);
      },
      register: (ticket, side, key) =>
        side === 'hardware' && !isCounted ? undefined : parts.register(ticket, side, key),
    };
  };
}

const REFUSALS = [
  ['forged', 'forged-codes', 'Ungültiges Ticket'],
  ['exhausted', 'used-up-tickets', 'Ticket erschöpft'],
  ['cancelled', 'cancelled-tickets', 'Ticket storniert'],
  ['expired', 'expired-tickets', 'Ticket abgelaufen'],
  ['not-yet-valid', 'coming-tickets', 'Noch nicht gültig'],
  ['unknown', 'unknown-tickets', 'Ticket nicht gefunden'],
  ['out-of-scope', 'other-events', 'Kein Zugriff'],
] as const;

/** What a server may do otherwise at one of its readers. */
const ofReaders = [1, 2].flatMap((reader): Twin[] => {
  const isThere = ({ Reader }: Record<string, unknown>) => Reader === reader;
  return [
    ...REFUSALS.map(
      ([, what, note]): Twin => ({
        name: `reader-${reader}-opens-for-${what}`,
        section: '2.4',
        fault: `opens for ${what.replaceAll('-', ' ')} at reader ${reader}`,
        alter: openingWhere(isThere, note),
      }),
    ),
    {
      name: `reader-${reader}-says-nothing`,
      section: '2.4',
      fault: `denies every card with the same text at reader ${reader}`,
      alter: (parts) => ({
        finish(answer, incoming) {
          const body = answer.body as Record<string, unknown>;
          const isDenial = isThere(parsed(incoming.body) ?? {}) && body['AcsRes'] === '0';
          return parts.finish(
            isDenial ? { ...answer, body: { ...body, Note: 'Ungültiges Ticket' } } : answer,
            incoming,
          );
        },
      }),
    },
    {
      name: `reader-${reader}-refused`,
      section: '2.4',
      fault: `opens for nobody at reader ${reader}`,
      alter: (parts) => ({
        readCard: (incoming) =>
          isThere(parsed(incoming.body) ?? {}) ? undefined : parts.readCard(incoming),
      }),
    },
    {
      name: `reader-${reader}-uncounted`,
      section: '2.4',
      fault: `opens without counting at reader ${reader}`,
      alter: uncountedWhere(isThere),
    },
  ];
});

export const DEVICE_TWINS: readonly Twin[] = [
  ...ofReaders,
  ...(
    [
      ['reader-7', 'at reader 7', ({ Reader }) => Reader === 7],
      ['empty-serial', 'for a device with an empty serial', ({ Serial }) => Serial === ''],
      ['no-serial', 'for a device without a serial', ({ Serial }) => Serial === undefined],
      ['number-serial', 'for a device with a number as serial', ({ Serial }) => Serial === 4711],
      [
        'long-serial',
        'for a device with a long serial',
        ({ Serial }) => String(Serial).length > 64,
      ],
      [
        'odd-serial',
        'for a serial of other letters',
        ({ Serial }) => /[^\w-]/.test(String(Serial)),
      ],
    ] satisfies [string, string, Parameters<typeof uncountedWhere>[0]][]
  ).map(
    ([name, where, isThere]): Twin => ({
      name: `${name}-uncounted`,
      section: '2.4',
      fault: `opens without counting ${where}`,
      alter: uncountedWhere(isThere),
    }),
  ),
  {
    name: 'device-result-number',
    section: '2.4',
    fault: 'sends AcsRes as a number',
    alter: device((body) => ({ ...body, AcsRes: Number(body['AcsRes']) })),
  },
  {
    name: 'device-result-word',
    section: '2.4',
    fault: 'sends AcsRes as true and false',
    alter: device((body) => ({ ...body, AcsRes: granted(body) ? 'true' : 'false' })),
  },
  {
    name: 'device-time-number',
    section: '2.4',
    fault: 'sends Time as a number',
    alter: device((body) => ({ ...body, Time: Number(body['Time']) })),
  },
  {
    name: 'device-time-zero',
    section: '2.4',
    fault: 'grants with a door-open time of 0',
    alter: device((body) => ({ ...body, Time: '0' })),
  },
  {
    name: 'device-time-with-unit',
    section: '2.4',
    fault: 'sends Time with a unit',
    alter: device((body) => (granted(body) ? { ...body, Time: '5s' } : body)),
  },
  {
    name: 'device-time-on-denial',
    section: '2.4',
    fault: 'leaves the door-open time in a denial',
    alter: device((body) => ({ ...body, Time: '5' })),
  },
  {
    name: 'device-act-index-missing',
    section: '2.4',
    fault: 'leaves ActIndex out of a grant',
    alter: device((body) => (granted(body) ? without(body, 'ActIndex') : body)),
  },
  {
    name: 'device-act-index-word',
    section: '2.4',
    fault: 'names the relay IN',
    alter: device((body) => (granted(body) ? { ...body, ActIndex: 'IN' } : body)),
  },
  {
    name: 'device-act-index-on-denial',
    section: '2.4',
    fault: 'names the OUT relay in a denial',
    alter: device((body) => (granted(body) ? body : { ...body, ActIndex: '1' })),
  },
  {
    name: 'device-name-missing',
    section: '2.4',
    fault: 'leaves Name out of a grant',
    alter: device((body) => without(body, 'Name')),
  },
  {
    name: 'device-name-by-characters',
    section: '2.4',
    fault: 'cuts Name to 16 characters instead of bytes',
    alter: device((body, { ticket }) =>
      granted(body) && ticket?.holder
        ? { ...body, Name: `${ticket.holder.firstName} ${ticket.holder.lastName}`.slice(0, 16) }
        : body,
    ),
  },
  {
    name: 'device-name-cut-in-a-character',
    section: '2.4',
    fault: 'cuts Name in the middle of a character',
    alter: device((body, { ticket }) =>
      granted(body) && ticket?.holder
        ? {
            ...body,
            Name: Buffer.from(`${ticket.holder.lastName}`).subarray(0, 14).toString('utf8'),
          }
        : body,
    ),
  },
  {
    name: 'device-name-whole',
    section: '2.4',
    fault: 'does not cut Name',
    alter: device((body, { ticket }) =>
      granted(body) && ticket?.holder
        ? { ...body, Name: `${ticket.holder.firstName} ${ticket.holder.lastName}` }
        : body,
    ),
  },
  {
    name: 'device-note-too-long',
    section: '2.4',
    fault: 'adds advice to a Note',
    alter: device((body) =>
      granted(body) ? body : { ...body, Note: `${body['Note']} - bitte zur Kasse gehen` },
    ),
  },
  {
    name: 'device-note-missing',
    section: '2.4',
    fault: 'leaves Note out of a denial',
    alter: device((body) => (granted(body) ? body : without(body, 'Note'))),
  },
  {
    name: 'device-denied-by-http',
    section: '2.4',
    fault: 'answers denials at devices in the REST format',
    alter: device((body) =>
      granted(body) ? body : { valid: false, status: 'rejected', message: 'no' },
    ),
  },
  {
    name: 'card-taken-literally',
    section: '2.4',
    fault: 'does not decode Card',
    alter: () => ({ readCard: ({ body }) => JSON.parse(body.toString('utf8')).Card ?? '' }),
  },
  {
    name: 'card-in-hexadecimal',
    section: '2.4',
    fault: 'decodes Card as hexadecimal',
    alter: () => ({
      readCard: ({ body }) =>
        Buffer.from(`${JSON.parse(body.toString('utf8')).Card}`, 'hex').toString(),
    }),
  },
  {
    name: 'unreadable-card-crashes',
    section: '2.4',
    fault: 'throws at a Card that decodes to no text',
    alter: (parts) => ({
      readCard(incoming) {
        const code = parts.readCard(incoming);
        if (code?.includes('\ufffd')) throw new Error('bad text');
        return code;
      },
    }),
  },
  {
    name: 'unreadable-card-in-rest-format',
    section: '2.4',
    fault: 'answers an unreadable Card in the REST format',
    alter: (parts) => ({
      readCard(incoming) {
        const code = parts.readCard(incoming) ?? '';
        return code.startsWith('REF.') ? code : undefined;
      },
      badRequest: () => parts.badRequest('rest'),
    }),
  },
  {
    name: 'empty-card-opens',
    section: '2.4',
    fault: 'answers an empty Card with the last one',
    alter: (parts, world) => {
      const someCode = () => {
        const ticket = [...world.tickets.values()].find(({ usesAllowed }) => usesAllowed === 9999);
        return ticket?.id;
      };
      return {
        readCard: (incoming) => parts.readCard(incoming) || 'LAST',
        verify: (code, side, action) =>
          code === 'LAST' ? someCode() : parts.verify(code, side, action),
      };
    },
  },
  {
    name: 'missing-card-opens',
    section: '2.4',
    fault: 'opens to a request without Card, as to a push of the exit button',
    alter: (parts) => ({
      badRequest: (side) =>
        side === 'hardware'
          ? {
              ...parts.badRequest(side),
              status: 200,
              body: {
                AcsRes: '1',
                ActIndex: '1',
                Time: '5',
                Name: 'Exit',
                Note: 'Ticket gültig (0/1)',
              },
            }
          : parts.badRequest(side),
    }),
  },
  {
    name: 'reader-unknown',
    section: '2.4',
    fault: 'knows only the readers 0 and 1',
    alter: (parts) => ({
      readCard(incoming) {
        const { Reader } = JSON.parse(incoming.body.toString('utf8'));
        return Reader > 1 ? undefined : parts.readCard(incoming);
      },
    }),
  },
  {
    name: 'serial-unknown',
    section: '2.4',
    fault: 'wants serials of letters and digits',
    alter: (parts) => ({
      readCard(incoming) {
        const { Serial } = JSON.parse(incoming.body.toString('utf8'));
        return /^[\w-]+$/.test(Serial) ? parts.readCard(incoming) : undefined;
      },
    }),
  },
  {
    name: 'answer-of-the-reader-kept',
    section: '2.4',
    fault: 'keeps the last answer of a reader',
    alter: (parts) => {
      let last: Record<string, unknown> | undefined;
      return {
        deviceBody(outcome, action) {
          const body = parts.deviceBody(outcome, action);
          if (body['AcsRes'] === '1') last = body;
          return last ?? body;
        },
      };
    },
  },
];
