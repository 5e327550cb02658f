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
      ([kind, what, note]): Twin => ({
        name: `reader-${reader}-opens-for-${what}`,
        section: '2.4',
        fault: `opens for ${what.replaceAll('-', ' ')} at reader ${reader}`,
        caughtBy: [`2.4/${kind}-at-every-reader`],
        alter: openingWhere(isThere, note),
      }),
    ),
    {
      name: `reader-${reader}-says-nothing`,
      section: '2.4',
      fault: `denies every card with the same text at reader ${reader}`,
      caughtBy: ['2.4/unknown-at-every-reader', '2.4/out-of-scope-at-every-reader'],
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
      caughtBy: ['2.4/reader-index'],
      alter: (parts) => ({
        readCard: (incoming) =>
          isThere(parsed(incoming.body) ?? {}) ? undefined : parts.readCard(incoming),
      }),
    },
    {
      name: `reader-${reader}-uncounted`,
      section: '2.4',
      fault: `opens without counting at reader ${reader}`,
      caughtBy: ['2.4/counted-at-every-reader'],
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
      caughtBy: ['2.4/counted-at-every-reader'],
      alter: uncountedWhere(isThere),
    }),
  ),
  {
    name: 'device-result-number',
    section: '2.4',
    fault: 'sends AcsRes as a number',
    caughtBy: ['2.4/granted-fields', '2.4/all-values-are-strings'],
    alter: device((body) => ({ ...body, AcsRes: Number(body['AcsRes']) })),
  },
  {
    name: 'device-result-word',
    section: '2.4',
    fault: 'sends AcsRes as true and false',
    caughtBy: ['2.4/acs-res-values'],
    alter: device((body) => ({ ...body, AcsRes: granted(body) ? 'true' : 'false' })),
  },
  {
    name: 'device-time-number',
    section: '2.4',
    fault: 'sends Time as a number',
    caughtBy: ['2.4/all-values-are-strings'],
    alter: device((body) => ({ ...body, Time: Number(body['Time']) })),
  },
  {
    name: 'device-time-zero',
    section: '2.4',
    fault: 'grants with a door-open time of 0',
    caughtBy: ['2.4/time-of-a-grant', '4.3/granted'],
    alter: device((body) => ({ ...body, Time: '0' })),
  },
  {
    name: 'device-time-with-unit',
    section: '2.4',
    fault: 'sends Time with a unit',
    caughtBy: ['2.4/time-of-a-grant'],
    alter: device((body) => (granted(body) ? { ...body, Time: '5s' } : body)),
  },
  {
    name: 'device-time-on-denial',
    section: '2.4',
    fault: 'leaves the door-open time in a denial',
    caughtBy: ['2.4/denied-fields', '2.4/denials-keep-the-door-shut', '4.3/expired-denied'],
    alter: device((body) => ({ ...body, Time: '5' })),
  },
  {
    name: 'device-act-index-missing',
    section: '2.4',
    fault: 'leaves ActIndex out of a grant',
    caughtBy: ['2.4/granted-fields', '2.4/act-index-values'],
    alter: device((body) => (granted(body) ? without(body, 'ActIndex') : body)),
  },
  {
    name: 'device-act-index-word',
    section: '2.4',
    fault: 'names the relay IN',
    caughtBy: ['2.4/act-index-values'],
    alter: device((body) => (granted(body) ? { ...body, ActIndex: 'IN' } : body)),
  },
  {
    name: 'device-act-index-on-denial',
    section: '2.4',
    fault: 'names the OUT relay in a denial',
    caughtBy: ['2.4/denied-fields'],
    alter: device((body) => (granted(body) ? body : { ...body, ActIndex: '1' })),
  },
  {
    name: 'device-name-missing',
    section: '2.4',
    fault: 'leaves Name out of a grant',
    caughtBy: ['2.4/granted-fields', '4.3/granted'],
    alter: device((body) => without(body, 'Name')),
  },
  {
    name: 'device-name-by-characters',
    section: '2.4',
    fault: 'cuts Name to 16 characters instead of bytes',
    caughtBy: ['2.4/name-of-a-holder', '2.4/name-bytes'],
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
    caughtBy: ['2.4/name-of-a-holder'],
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
    caughtBy: ['2.4/name-of-a-holder', '2.4/name-bytes'],
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
    caughtBy: ['2.4/note-bytes'],
    alter: device((body) =>
      granted(body) ? body : { ...body, Note: `${body['Note']} - bitte zur Kasse gehen` },
    ),
  },
  {
    name: 'device-note-missing',
    section: '2.4',
    fault: 'leaves Note out of a denial',
    caughtBy: ['2.4/denied-fields', '7.3/errors-in-device-format'],
    alter: device((body) => (granted(body) ? body : without(body, 'Note'))),
  },
  {
    name: 'device-denied-by-http',
    section: '2.4',
    fault: 'answers denials at devices in the REST format',
    caughtBy: ['2.4/denied-fields', '7.3/errors-in-device-format'],
    alter: device((body) =>
      granted(body) ? body : { valid: false, status: 'rejected', message: 'no' },
    ),
  },
  {
    name: 'card-taken-literally',
    section: '2.4',
    fault: 'does not decode Card',
    caughtBy: ['2.4/card-is-decoded'],
    alter: () => ({ readCard: ({ body }) => JSON.parse(body.toString('utf8')).Card ?? '' }),
  },
  {
    name: 'card-in-hexadecimal',
    section: '2.4',
    fault: 'decodes Card as hexadecimal',
    caughtBy: ['2.4/card-is-decoded'],
    alter: () => ({
      readCard: ({ body }) =>
        Buffer.from(`${JSON.parse(body.toString('utf8')).Card}`, 'hex').toString(),
    }),
  },
  {
    name: 'unreadable-card-crashes',
    section: '2.4',
    fault: 'throws at a Card that decodes to no text',
    caughtBy: ['2.4/card-noise'],
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
    caughtBy: ['2.4/card-unreadable', '2.4/card-noise'],
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
    caughtBy: ['2.4/card-empty'],
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
    caughtBy: ['2.4/card-missing', '2.4/card-no-string'],
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
    caughtBy: ['2.4/reader-index'],
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
    caughtBy: ['2.4/any-serial'],
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
    caughtBy: ['2.4/two-readers-one-ticket'],
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
