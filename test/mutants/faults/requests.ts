import type { IncomingMessage } from 'node:http';
import type { Incoming } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import {
  type Body,
  type FaultyServer,
  faults,
  faultsOn,
  parsed,
  REST,
  remembering,
  reply,
  step,
} from './faulty-server.ts';

const taking = (...methods: string[]): Alteration =>
  step('isMethodAllowed', ({ next }, method) => next() || methods.includes(method));

/** Has nothing there. */
const missing = reply((answer) => ({ ...answer, status: 404, body: { message: 'Not Found' } }));

const ENDPOINTS = [
  ...faults('4', {
    'takes any method': step('isMethodAllowed', () => true),
    'takes GET as well': taking('GET'),
    'takes PUT as well': taking('PUT'),
  }),
  ...faultsOn('validate', '4.1', { 'is not served': missing }),
  ...faultsOn('consume', '4.2', { 'is not served': missing }),
  ...faultsOn('heartbeat', '4.5', {
    'is not served': missing,
    'takes GET as well': taking('GET'),
  }),
];

/** Reads codes where the right server finds none, or not where it does. */
const reading = (
  read: (sent: { body: Body | undefined; text: string; incoming: Incoming }) => unknown,
): Alteration =>
  step('readCode', ({ next }, incoming) => {
    const text = incoming.body.toString('utf8');
    const code = read({ body: parsed(incoming.body), text, incoming });
    return code === undefined || code === '' || code === null ? next() : String(code);
  });

/** Reads the code of a body that was changed before. */
const repairing = (repair: (text: string) => string): Alteration =>
  step('readCode', ({ parts }, incoming, action) =>
    parts.readCode({ ...incoming, body: Buffer.from(repair(incoming.body.toString())) }, action),
  );

/** Throws at some bodies. */
const throwing = (isBad: (incoming: Incoming) => boolean): Alteration =>
  step('readCode', ({ next }, incoming) => {
    if (isBad(incoming)) throw new TypeError('cannot be read');
    return next();
  });

const isJson = ({ body }: Incoming) => {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
};

const BODIES = [
  ...faults('7.1', {
    'throws at a body that is not JSON': throwing((incoming) => !isJson(incoming)),
    'throws at a body of more than 2000 bytes': {
      alter: throwing(({ body }) => body.length > 2000),
      says: /a body of \d+ bytes or more, and none with a shorter one/,
    },
    'throws at the JSON value null': throwing(({ body }) => body.toString() === 'null'),
    'drops the connection on a body that is not JSON': {
      alter: step('readCode', ({ next }, incoming) => {
        if (!isJson(incoming)) (incoming.request as IncomingMessage).socket?.destroy();
        return next();
      }),
      shows: REST,
      says: /none, however often it was sent/,
    },
    'takes an empty body for an empty scan': reading(({ text }) => (text === '' ? 'nothing' : '')),
    'coerces ticketCode to a text': step('readCode', (_, { body }) => {
      const code = parsed(body)?.['ticketCode'];
      return code === undefined ? undefined : String(code) || undefined;
    }),
    'verifies an empty ticketCode': reading(({ body }) =>
      body?.['ticketCode'] === '' ? 'empty' : undefined,
    ),
    'repairs broken JSON': step('readCode', ({ parts, next }, incoming, action) => {
      const text = incoming.body.toString('utf8').replaceAll("'", '"').replace(/,\s*}/, '}');
      const readings = [text, `${text}}`].map((repaired) =>
        parts.readCode({ ...incoming, body: Buffer.from(repaired) }, action),
      );
      return next() ?? readings.find((code) => code !== undefined);
    }),
    'stops reading at the end of the JSON object': repairing((text) =>
      text.replace(/}[^}]*$/, '}'),
    ),
    'takes the first of an array of requests': reading(({ body }) =>
      Array.isArray(body) ? body[0]?.ticketCode : undefined,
    ),
    'takes the first of an array of codes': reading(({ body }) =>
      Array.isArray(body) ? body[0] : undefined,
    ),
    'takes a JSON text or number as the code': reading(({ body }) =>
      ['string', 'number'].includes(typeof body) ? body : undefined,
    ),
    'takes forms as well': reading(({ text }) => new URLSearchParams(text).get('ticketCode')),
    'takes ticketcode and code as well': reading(
      ({ body }) => body?.['ticketcode'] ?? body?.['code'],
    ),
    'compares the content type as text': step('readCode', ({ next }, { request }) =>
      request.headers['content-type'] === 'application/json' ? next() : undefined,
    ),
    'searches the body with a regular expression': step(
      'readCode',
      (_, { body }) => /"ticketCode":"([^"]+)"/.exec(body.toString('utf8'))?.[1],
    ),
    'does not read JSON escapes': reading(({ text }) => (text.includes('\\u') ? '\\u' : '')),
  }),
  ...faultsOn('consume', '7.1', {
    'coerces numbers': reading(({ body }) =>
      typeof body?.['ticketCode'] === 'number' ? body['ticketCode'] : undefined,
    ),
    'answers a body without a code by an empty scan': step(
      'readCode',
      ({ next }) => next() ?? 'none',
    ),
    'answers 422 to an array': reply((answer, { body }) =>
      Array.isArray(parsed(body)) ? { ...answer, status: 422 } : answer,
    ),
  }),
];

const echoing = (change: (body: Body, incoming: Incoming) => unknown): Alteration =>
  step('heartbeatBody', ({ next }, incoming) => change(next() as Body, incoming));

const HEARTBEATS = faults('4.5', {
  'answers every heartbeat with OK': echoing(() => ({ Key: 'OK' })),
  'calls the field key': echoing(({ Key }) => ({ key: Key })),
  'leaves Key out': echoing(() => ({})),
  'adds its time to the heartbeat': echoing((body) => ({ ...body, Now: 'now' })),
  'answers all heartbeats of a key with the first value': remembering(() => {
    let first: unknown;
    return echoing((body) => {
      first ??= body;
      return first;
    });
  }),
  'echoes the first 8 characters': echoing(({ Key }) => ({ Key: String(Key).slice(0, 8) })),
  'echoes the first 32 characters': echoing(({ Key }) => ({ Key: String(Key).slice(0, 32) })),
  'echoes a heartbeat of digits as a number': echoing((body) =>
    /^\d+$/.test(String(body['Key'])) ? { ...body, Key: Number(body['Key']) } : body,
  ),
  'reads heartbeats as Latin-1': echoing((_, { body, query }) => ({
    Key: parsed(Buffer.from(body.toString('latin1')))?.['Key'] ?? query.get('key'),
  })),
});

/** Servers that read requests in their own way. */
export const REQUEST_FAULTS: readonly FaultyServer[] = [...ENDPOINTS, ...BODIES, ...HEARTBEATS];
