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

const DENIED = { AcsRes: '0', ActIndex: '0', Time: '0', Note: 'Ungültiges Ticket' };
const MISSING = {
  valid: false,
  status: 'rejected',
  reason: 'missing_ticket_code',
  message: 'Unknown member',
};

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
    name: 'blanks and marks that nobody sees are taken off the ends of a code',
    alter: reading((code) => code.replace(/^[\s\0\u200b\ufeff]+|[\s\0\u200b\ufeff=]+$/g, '')),
  },
  { name: '501 for other methods', alter: reply((answer) => ({ ...answer, status: 501 }), 405) },
  {
    name: 'an empty 204 for OPTIONS, and no body for HEAD',
    write(response, answer) {
      const { method } = response.req;
      if (method === 'OPTIONS') response.writeHead(204, { allow: 'POST, OPTIONS' }).end();
      else if (method === 'HEAD') response.writeHead(200, { 'content-length': 512 }).end();
      else writeReply(response, answer);
    },
  },
  {
    name: '406 for formats that it does not make',
    alter: reply((answer, { request }) =>
      /json|\*/.test(request.headers.accept ?? '*')
        ? answer
        : { status: 406, headers: { 'content-type': 'text/plain' }, body: 'Not Acceptable' },
    ),
  },
  {
    name: 'messages in the language that a client prefers',
    alter: reply((answer, { request }) => {
      const body = answer.body as { valid?: boolean };
      const isGerman = /^de/.test(request.headers['accept-language'] ?? '');
      if (!isGerman || body.valid === undefined) return answer;
      return { ...answer, body: { ...body, message: body.valid ? 'Gültig' : 'Nicht gültig' } };
    }),
  },
  {
    name: '400 for readers above one byte and for serials that are no text of 1 to 64 letters',
    alter: reply((answer, incoming) => {
      if (!/hw\/(validate|consume)$/.test(incoming.path) || answer.status !== 200) return answer;
      const { Reader, Serial } = parsed(incoming.body) ?? {};
      const isReader = Number.isInteger(Reader) && Number(Reader) >= 0 && Number(Reader) < 256;
      const isSerial = /^[\P{Cc}]{1,64}$/u.test(typeof Serial === 'string' ? Serial : '');
      return isReader && isSerial ? answer : { ...answer, status: 400, body: DENIED };
    }),
  },
  {
    name: '400 for members that it does not know',
    alter: reply((answer, incoming) => {
      const names = Object.keys(parsed(incoming.body) ?? {});
      const isKnown = (name: string) => ['ticketCode', 'Card', 'Serial', 'Reader'].includes(name);
      if (incoming.path.endsWith('heartbeat') || names.every(isKnown)) return answer;
      if (answer.status !== 200) return answer;
      return isDevice(incoming)
        ? { ...answer, status: 400, body: DENIED }
        : { ...answer, status: 400, body: MISSING };
    }),
  },
  {
    name: 'the page of a firewall for odd characters in a key, a code or a body',
    alter: reply((answer, { request, query, body }) => {
      const key = `${request.headers['x-api-key'] ?? ''}${[...query].join()}`;
      const sent = body.toString();
      const isOdd = /['"%*<>[\]{}\0\n?^]|\.\./.test(key) || /' OR |<b>|%0[0A]/.test(sent);
      const headers = { 'content-type': 'text/html' };
      return isOdd ? { status: 403, headers, body: '<h1>Blocked</h1>' } : answer;
    }),
  },
  {
    name: 'a session cookie in each answer, which is no key',
    alter: reply((answer) => ({
      ...answer,
      headers: {
        ...answer.headers,
        'set-cookie': 'sid=8c1f; Path=/; Expires=Wed, 01 Dec 2027 10:00:00 GMT; HttpOnly',
      },
    })),
  },
  {
    name: 'its health where X-Original-URL asks for it',
    alter: reply((answer, { request }) =>
      request.headers['x-original-url'] === '/health'
        ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' }
        : answer,
    ),
  },
  {
    name: '405 for a POST that a header calls otherwise',
    alter: reply((answer, { request, method }) => {
      const other = request.headers['x-http-method-override'] ?? method;
      return other === method ? answer : { ...answer, status: 405, body: { message: 'No' } };
    }),
  },
  {
    name: '400 for a host or an origin that it does not know',
    alter: reply((answer, { request }) =>
      request.headers['x-forwarded-host'] !== undefined || request.headers.origin !== undefined
        ? { status: 400, headers: { 'content-type': 'text/plain' }, body: 'Bad host' }
        : answer,
    ),
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

/** A checker stays below the limits. */
const NEVER_MET: readonly VariationName[] = ['retry-after'];
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
