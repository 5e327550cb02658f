import { seededRandom } from '../../src/kit/random.ts';
import { VARIATIONS, type VariationName, variedBy } from '../../src/testing/vary/variations.ts';
import { reading } from './faults/codes.ts';
import {
  device,
  isDevice,
  mapped,
  parsed,
  reply,
  rest,
  status,
  step,
} from './faults/faulty-server.ts';
import type { Reply } from './reference/parts.ts';
import { type ServerOptions, writeReply } from './reference/server.ts';

/** A server that differs from the reference where the specification leaves it free. */
export interface Variant extends ServerOptions {
  readonly name: string;
  readonly concurrency?: number;
  /** False where the cases that change keys, one after the other, would take too long. */
  readonly keyHooks?: false;
  /** Ids that may warn, because a difference from the samples is the point. */
  readonly warns?: readonly string[];
}

const onDevices = (change: (answer: Reply) => Reply) =>
  reply((answer, incoming) => (isDevice(incoming) ? change(answer) : answer));

const always200 = onDevices((answer) => ({ ...answer, status: 200 }));

/** Every time in a body as it would be written in another notation. */
const timesAs = (write: (iso: string) => string) =>
  rest(mapped(write, 'validFrom', 'validUntil', 'scannedAt'));

const inZone = (iso: string, hours: number, zone: string) =>
  new Date(Date.parse(iso) + hours * 3_600_000).toISOString().replace('Z', zone);

const OWN_VARIANTS: readonly Variant[] = [
  { name: 'another identifier form', ticketForm: (id) => `${id}-0f3c` },
  { name: 'long identifiers', ticketForm: (id) => `tkt_${id}_${'x'.repeat(120)}` },
  {
    name: '422 for an invalid signature',
    alter: status({ invalid_ticket: 422 }),
  },
  { name: '200 for everything at devices', alter: always200 },
  {
    name: '4xx for every denial at devices',
    alter: onDevices((answer) =>
      (answer.body as { AcsRes?: string }).AcsRes === '0' ? { ...answer, status: 403 } : answer,
    ),
  },
  {
    name: 'REST statuses at devices',
    alter: status({ exhausted: 409, rejected: 422, not_found: 404 }, 'hardware'),
  },
  {
    name: 'a plain 401 at devices',
    warns: ['7.3/refused-key-device-format'],
    alter: step('unauthorised', ({ parts }) => parts.unauthorised('rest')),
  },
  {
    name: 'HTTP/1.0 answers: no length, the end of the connection ends the body',
    write(response, answer) {
      response.sendDate = false;
      const socket = response.socket;
      const text = JSON.stringify(answer.body);
      const headers = Object.entries(answer.headers).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket?.end(`HTTP/1.0 ${answer.status} Whatever\r\n${headers.join('')}\r\n${text}`);
    },
  },
  {
    name: 'ActIndex "1"',
    alter: device('granted', { ActIndex: '1' }),
  },
  {
    name: 'times without a zone',
    warns: ['2.3/times-name-their-zone'],
    alter: timesAs((iso) => iso.replace('Z', '')),
  },
  {
    name: 'fields for a price and an e-mail address that are null',
    warns: ['1/other-fields'],
    alter: rest('granted', { price: null, email: null, buyer: { email: null } }),
  },
  { name: 'times in another zone', alter: timesAs((iso) => inZone(iso, 2, '+02:00')) },
  {
    name: '411 for a body in chunks',
    warns: ['4.1/same-body-in-another-form'],
    alter: reply((answer, { request }) =>
      'transfer-encoding' in request.headers
        ? { status: 411, headers: {}, body: { message: 'Length Required' } }
        : answer,
    ),
  },
  {
    name: '400 for long codes, 413 for longer ones',
    alter: (parts) => ({
      finish: (answer, { body, path }) =>
        body.length > 1600
          ? { ...parts.badRequest(path.includes('/hw/') ? 'hardware' : 'rest'), status: 413 }
          : answer,
    }),
  },
  {
    name: 'another charset announced',
    warns: ['1/charset-as-sent'],
    alter: reply((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'application/json; charset=iso-8859-1' },
    })),
  },
  {
    name: 'times in the basic form',
    alter: timesAs((iso) => iso.replace(/[-:]/g, '').replace(/\.\d+/, '')),
  },
  {
    name: 'rejected tickets show themselves',
    alter: rest((body, { reason, ticket }) =>
      ticket && ['ticket_cancelled', 'expired', 'not_yet_valid'].includes(String(reason))
        ? {
            ...body,
            ticketId: ticket.id,
            ticketType: ticket.type,
            usesAllowed: ticket.usesAllowed,
            usesConsumed: ticket.usesConsumed,
            usesRemaining: ticket.usesAllowed - ticket.usesConsumed,
            validFrom: ticket.validFrom,
            validUntil: ticket.validUntil,
          }
        : body,
    ),
  },
  {
    name: 'the heartbeat echoes the serial',
    alter: step('heartbeatBody', ({ next }, { body, query }) => {
      const sent = parsed(body);
      return sent ? { Key: sent['Serial'] ?? query.get('key') } : next();
    }),
  },
  {
    name: 'the heartbeat takes no body',
    alter: (parts) => ({
      finish: (answer, incoming) =>
        incoming.path.endsWith('heartbeat') && incoming.body.length > 0 && answer.status === 200
          ? { ...parts.badRequest('hardware') }
          : answer,
    }),
  },
  {
    name: 'codes are trimmed, padding is taken off',
    alter: reading((code) => code.trim().replace(/[=\0]+$/, '')),
  },
  {
    name: 'a prefix in either letter case',
    alter: reading((code) => code.replace(/^ref\./, 'REF.')),
  },
  {
    name: 'the scope is looked at before the signature',
    alter: (parts) => {
      let key: Parameters<typeof parts.inScope>[0] | undefined;
      return {
        acceptKey(value, side, action) {
          key = parts.acceptKey(value, side, action);
          return key;
        },
        verify(code, side, action) {
          const id = code.split('.')[1] ?? '';
          const isOutside = key && /other/.test(id) && !parts.inScope(key, id, side, action);
          return isOutside ? id : parts.verify(code, side, action);
        },
      };
    },
  },
  {
    name: '400 for parameters of the query and for devices that it does not know',
    alter: (parts) => ({
      finish: (answer, incoming) =>
        incoming.path.includes('/hw/') &&
        answer.status === 200 &&
        (incoming.query.size > 1 || incoming.body.includes('"Serial":""'))
          ? parts.badRequest('hardware')
          : answer,
    }),
  },
  {
    name: '404 for other methods and 400 for what is odd',
    alter: reply((answer) => ({ ...answer, status: 404 }), 405),
  },
  {
    name: 'the page of a proxy for bodies and headers that it does not take',
    alter: reply((answer, { request, body }) =>
      body.length > 3000 || String(request.headers['x-api-key']).includes(',')
        ? { status: 413, headers: { 'content-type': 'text/html' }, body: '<h1>Too large</h1>' }
        : answer,
    ),
  },
  {
    name: 'the number of an order in results',
    warns: ['1/other-fields'],
    alter: rest('granted', { orderNumber: 'A-17' }),
  },
  {
    name: 'closed connections for other methods',
    write(response, answer) {
      if (response.req.method === 'POST') writeReply(response, answer);
      else response.destroy();
    },
  },
  {
    name: 'the body is read before the key is looked at',
    alter: (parts) => ({
      finish: (answer, incoming) =>
        answer.status === 401 &&
        incoming.path === '/scan/validate' &&
        incoming.body.toString() === 'x'
          ? parts.badRequest('rest')
          : answer,
    }),
  },
  {
    name: 'existence is looked at before the scope',
    alter: step('inScope', ({ next, parts }, _, id) => parts.find(id) === undefined || next()),
  },
  {
    name: 'disabled keys get 403',
    alter: step('finish', ({ next, world }, _, { request }) => {
      const key = world.keys.get(String(request.headers['x-api-key']));
      return key && !key.active
        ? { ...next(), status: 403, body: { message: 'Key disabled' } }
        : next();
    }),
  },
  {
    name: 'a repeated key is taken once',
    alter: step('keyOf', ({ next }) => next()?.split(', ')[0]),
  },
  {
    name: 'exhausted tickets show their window too',
    warns: ['2.3/refusal-fields-only'],
    alter: rest('exhausted', (body, { ticket }) => ({
      ...body,
      validFrom: ticket?.validFrom,
      validUntil: ticket?.validUntil,
    })),
  },
  {
    name: 'a request id in every refusal',
    warns: ['1/other-fields', '2.3/refusal-fields-only'],
    alter: rest('denied', { requestId: 'a1b2' }),
  },
  {
    name: 'Name on a denial',
    warns: ['2.4/name-absent-on-denial'],
    alter: device((body) => ({ Name: 'Gast', ...body })),
  },
];

/** Warnings that a difference is meant to cause. */
const WARNED: Partial<Record<VariationName, readonly string[]>> = {
  'more-members': ['1/other-fields'],
};
/** Waiting for answers leaves the processor free. */
const SLOW = { concurrency: 60, keyHooks: false } as const;

/** A checker asks for no compression, and stays below the limits. */
const NEVER_MET: readonly VariationName[] = ['compressed', 'retry-after'];
let asked = 0;

/** What `serve --vary` does, each for every answer. */
const VARIED: readonly Variant[] = VARIATIONS.filter(({ name }) => !NEVER_MET.includes(name)).map(
  (variation, index) => ({
    name: `${variation.name}: ${variation.meaning}`,
    ...(WARNED[variation.name] && { warns: WARNED[variation.name] }),
    ...(variation.name === 'slow' && SLOW),
    write(response, { status, headers, body }) {
      asked += 1;
      const answer = {
        status,
        headers,
        text: typeof body === 'string' ? body : JSON.stringify(body),
      };
      variedBy(variation, answer, response.req, seededRandom((index << 16) + asked)).send(response);
    },
  }),
);

export const VARIANTS: readonly Variant[] = [...VARIED, ...OWN_VARIANTS];
