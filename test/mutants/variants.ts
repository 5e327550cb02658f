import type { Reply } from './reference/parts.ts';
import { type ServerOptions, writeReply } from './reference/server.ts';
import { device, reply, rest, status } from './twins/twin.ts';

/** A server that differs from the reference where the specification leaves it free. */
export interface Variant extends ServerOptions {
  readonly name: string;
  readonly concurrency?: number;
  /** False where the cases that change keys, one after the other, would take too long. */
  readonly keyHooks?: false;
  /** Ids that may warn, because a difference from the samples is the point. */
  readonly warns?: readonly string[];
}

const withHeaders = (headers: Record<string, string>) =>
  reply((answer) => ({ ...answer, headers: { ...answer.headers, ...headers } }));

const onDevices = (change: (answer: Reply) => Reply) =>
  reply((answer, path) => (path.includes('/hw/') ? change(answer) : answer));

const always200 = onDevices((answer) => ({ ...answer, status: 200 }));

/** Every time in a body as it would be written in another notation. */
function timesAs(write: (iso: string) => string) {
  return rest((body) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) =>
        typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)
          ? [name, write(value)]
          : [name, value],
      ),
    ),
  );
}

const inZone = (iso: string, hours: number, zone: string) =>
  new Date(Date.parse(iso) + hours * 3_600_000).toISOString().replace('Z', zone);

export const VARIANTS: readonly Variant[] = [
  {
    name: 'other field order',
    alter: reply((answer) => ({
      ...answer,
      body: Object.fromEntries(Object.entries(answer.body as object).reverse()),
    })),
  },
  {
    name: 'extra headers',
    alter: withHeaders({
      'x-request-id': 'a1b2',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=31536000',
      'set-cookie': 'lb=1',
      via: '1.1 gateway',
    }),
  },
  {
    name: 'other message texts',
    alter: rest((body) => ({ ...body, message: `Text ${body['status']}: à bientôt!` })),
  },
  { name: 'another identifier form', ticketForm: (id) => `${id}-0f3c` },
  { name: 'long identifiers', ticketForm: (id) => `tkt_${id}_${'x'.repeat(120)}` },
  {
    name: '400 for an invalid signature',
    alter: status(({ reason }, side) =>
      reason === 'invalid_ticket' && side === 'rest' ? 400 : undefined,
    ),
  },
  {
    name: '422 for an invalid signature',
    alter: status(({ reason }) => (reason === 'invalid_ticket' ? 422 : undefined)),
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
    alter: status((outcome, side) => {
      if (side !== 'hardware') return undefined;
      return { exhausted: 409, rejected: 422, not_found: 404 }[outcome.status] ?? 200;
    }),
  },
  {
    name: 'a plain 401 at devices',
    alter: (parts) => ({ unauthorised: () => parts.unauthorised('rest') }),
  },
  {
    name: 'Connection: close',
    alter: withHeaders({ connection: 'close' }),
  },
  {
    name: 'connections closed soon after an answer, unannounced',
    write(response, answer) {
      const { socket } = response;
      writeReply(response, answer);
      setTimeout(() => socket?.destroy(), 20);
    },
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
    name: 'chunked bodies, a few bytes each',
    write(response, answer) {
      response.writeHead(answer.status, answer.headers);
      for (const byte of Buffer.from(JSON.stringify(answer.body)))
        response.write(Buffer.from([byte]));
      response.end();
    },
  },
  {
    name: 'pretty-printed JSON with other escapes',
    write(response, answer) {
      const text = JSON.stringify(answer.body, null, 2).replace(
        /[\u0080-\uffff]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      writeReply(response, { ...answer, body: `\n${text}\n` });
    },
  },
  {
    name: 'content type with a charset',
    alter: withHeaders({ 'content-type': 'Application/JSON; Charset=UTF-8' }),
  },
  {
    name: 'text/plain at devices',
    alter: onDevices((answer) => ({ ...answer, headers: { 'content-type': 'text/plain' } })),
  },
  {
    name: 'a different Name',
    alter: device((body) => (body['Name'] ? { ...body, Name: 'Bitte eintreten!' } : body)),
  },
  {
    name: 'an empty Name',
    alter: device((body) => (body['Name'] ? { ...body, Name: '' } : body)),
  },
  {
    name: 'ActIndex "1"',
    alter: device((body) => (body['AcsRes'] === '1' ? { ...body, ActIndex: '1' } : body)),
  },
  {
    name: 'a door-open time of 30 seconds',
    alter: device((body) => (body['AcsRes'] === '1' ? { ...body, Time: '30' } : body)),
  },
  {
    name: 'other text for a cancelled ticket at devices',
    alter: device((body) =>
      body['Note'] === 'Ticket storniert' ? { ...body, Note: 'Gesperrt' } : body,
    ),
  },
  { name: 'times with an offset', alter: timesAs((iso) => inZone(iso, 2, '+02:00')) },
  { name: 'times without fractions', alter: timesAs((iso) => iso.replace(/\.\d+/, '')) },
  { name: 'times in microseconds', alter: timesAs((iso) => iso.replace('Z', '123Z')) },
  { name: 'times without a zone', alter: timesAs((iso) => inZone(iso, 1, '')) },
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
    name: 'more fields in valid results',
    warns: ['1/other-fields'],
    alter: rest((body) =>
      body['valid'] ? { ...body, eventId: 'main', gate: { zone: 'A' } } : body,
    ),
  },
  {
    name: "the heartbeat echoes the query's key",
    alter: () => ({ heartbeatBody: ({ query }) => ({ Key: query.get('key') }) }),
  },
  {
    name: 'the heartbeat echoes the serial',
    alter: (parts) => ({
      heartbeatBody(incoming) {
        try {
          return {
            Key: JSON.parse(incoming.body.toString('utf8')).Serial ?? incoming.query.get('key'),
          };
        } catch {
          return parts.heartbeatBody(incoming);
        }
      },
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
    alter: (parts) => ({
      verify: (code, side, action) =>
        parts.verify(code.trim().replace(/[=\0]+$/, ''), side, action),
    }),
  },
  {
    name: 'a prefix in either letter case',
    alter: (parts) => ({
      verify: (code, side, action) => parts.verify(code.replace(/^ref\./, 'REF.'), side, action),
    }),
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
    alter: reply((answer) => (answer.status === 405 ? { ...answer, status: 404 } : answer)),
  },
  {
    name: 'the page of a proxy for bodies and headers that it does not take',
    alter: () => ({
      finish: (answer, { request, body }) =>
        body.length > 3000 || String(request.headers['x-api-key']).includes(',')
          ? { status: 413, headers: { 'content-type': 'text/html' }, body: '<h1>Too large</h1>' }
          : answer,
    }),
  },
  {
    name: 'the number of an order in results',
    warns: ['1/other-fields'],
    alter: rest((body) => (body['valid'] ? { ...body, orderNumber: 'A-17' } : body)),
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
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        parts.find(id) === undefined || parts.inScope(key, id, side, action),
    }),
  },
  {
    name: 'disabled keys get 403',
    alter: (_, world) => ({
      finish(answer, incoming) {
        const key = world.keys.get(String(incoming.request.headers['x-api-key']));
        return key && !key.active
          ? { ...answer, status: 403, body: { message: 'Key disabled' } }
          : answer;
      },
    }),
  },
  {
    name: 'a repeated key is taken once',
    alter: (parts) => ({
      keyOf: (incoming, side) => parts.keyOf(incoming, side)?.split(', ')[0],
    }),
  },
  {
    name: 'exhausted tickets show their window too',
    warns: ['2.3/exhausted-only'],
    alter: rest((body, { status, ticket }) =>
      status === 'exhausted' && ticket
        ? { ...body, validFrom: ticket.validFrom, validUntil: ticket.validUntil }
        : body,
    ),
  },
  {
    name: 'a request id in every refusal',
    warns: [
      '1/other-fields',
      '2.3/rejected-for-signature-only',
      '2.3/out-of-scope-only',
      '2.3/not-found-only',
      '2.3/exhausted-only',
    ],
    alter: rest((body) => (body['valid'] ? body : { ...body, requestId: 'a1b2' })),
  },
  {
    name: 'Name on a denial',
    warns: ['2.4/name-absent-on-denial'],
    alter: device((body) => ({ Name: 'Gast', ...body })),
  },
  {
    name: 'slow answers: 1 s each',
    concurrency: 60,
    keyHooks: false,
    write(response, answer) {
      setTimeout(writeReply, 1000, response, answer);
    },
  },
];
