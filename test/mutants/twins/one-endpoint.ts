import type { Endpoint } from '../../../src/check/index.ts';
import type { Reply } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import { device, parsed, reply, rest, status, without } from './twin.ts';

/** A server that errs on one endpoint only. */
export interface OneEndpointTwin {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** What is wrong there, as the end of a sentence that begins with "A server". */
  readonly fault: string;
  /** Planted on that endpoint alone. */
  readonly alter: Alteration;
}

const OPEN = { AcsRes: '1', ActIndex: '0', Time: '5', Name: 'Gast', Note: 'Ticket gültig (1/1)' };
const body = (answer: Reply) => answer.body as Record<string, unknown>;
const isCard = (result: Record<string, unknown>) => Number(result['usesAllowed']) > 1;

/** Takes further keys for good ones. */
function alsoTaking(
  right: (given: string, known: string) => boolean,
  find: 'query' | 'header' = 'query',
  type: 'rest' | 'hardware' = 'hardware',
): Alteration {
  return (parts, world) => ({
    keyOf: (incoming, side) => {
      const header = incoming.request.headers['x-api-key'];
      const other = find === 'header' && typeof header === 'string' ? header : undefined;
      return parts.keyOf(incoming, side) ?? other;
    },
    acceptKey: (value, side, action) =>
      parts.acceptKey(value, side, action) ??
      (value === undefined
        ? undefined
        : [...world.keys.values()].find(
            (key) => key.active && !key.isSpent && key.type === type && right(value, key.value),
          )),
  });
}

/** Reads codes more loosely before they are verified. */
const reading = (loosen: (code: string) => string): Alteration => {
  return (parts) => ({
    verify: (code, side, action) =>
      parts.verify(code, side, action) ?? parts.verify(loosen(code), side, action),
  });
};

const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** One endpoint of a service that is right elsewhere: such a fault shows on no other endpoint. */
export const ONE_ENDPOINT_TWINS: readonly OneEndpointTwin[] = [
  {
    name: 'door-opens-for-forged-codes',
    endpoint: 'hw/consume',
    fault: 'opens the door for forged codes',
    alter: device((answer, { reason }) => (reason === 'invalid_ticket' ? OPEN : answer)),
  },
  {
    name: 'door-takes-a-rest-key',
    endpoint: 'hw/consume',
    fault: 'opens doors with a REST key',
    alter: alsoTaking((given, known) => given === known, 'query', 'rest'),
  },
  {
    name: 'door-takes-the-key-in-the-header',
    endpoint: 'hw/consume',
    fault: 'opens doors with the key in a header',
    alter: alsoTaking((given, known) => given === known, 'header'),
  },
  {
    name: 'door-takes-a-cut-key',
    endpoint: 'hw/consume',
    fault: 'opens doors with a key that lacks its last letter',
    alter: alsoTaking((given, known) => given === known.slice(0, -1)),
  },
  {
    name: 'door-has-another-note-for-forged-codes',
    endpoint: 'hw/consume',
    fault: 'shows another Note for a forged code',
    alter: device((answer, { reason }) =>
      reason === 'invalid_ticket' ? { ...answer, Note: 'Ticket ungültig' } : answer,
    ),
  },
  {
    name: 'door-has-another-note-for-the-scope',
    endpoint: 'hw/consume',
    fault: 'shows another Note for a scope violation',
    alter: device((answer, { reason }) =>
      reason === 'event_not_allowed' ? { ...answer, Note: 'Falsche Veranstaltung' } : answer,
    ),
  },
  {
    name: 'exhausted-without-its-ticket-on-consume',
    endpoint: 'consume',
    fault: 'leaves ticketId, ticketType and usesAllowed out of an exhausted result',
    alter: rest((result) =>
      result['status'] === 'exhausted'
        ? without(result, 'ticketId', 'ticketType', 'usesAllowed')
        : result,
    ),
  },
  {
    name: 'exhausted-409-on-consume',
    endpoint: 'consume',
    fault: 'answers 409 to an exhausted ticket',
    alter: status((outcome) => (outcome.status === 'exhausted' ? 409 : undefined)),
  },
  {
    name: 'refused-410-on-consume',
    endpoint: 'consume',
    fault: 'answers 410 to cancelled and expired tickets, and to those that are not valid yet',
    alter: status(({ reason }) =>
      ['ticket_cancelled', 'expired', 'not_yet_valid'].includes(String(reason)) ? 410 : undefined,
    ),
  },
  {
    name: 'unauthorised-in-other-words-on-consume',
    endpoint: 'consume',
    fault: 'answers 401 with another text and another field',
    alter: reply((answer) =>
      answer.status === 401
        ? { ...answer, body: { message: 'Unauthorized', statusCode: 401 } }
        : answer,
    ),
  },
  {
    name: 'fourth-segment-on-consume',
    endpoint: 'consume',
    fault: 'takes a code with a fourth segment',
    alter: reading((code) => code.split('.').slice(0, 3).join('.')),
  },
  {
    name: 'other-letter-case-on-consume',
    endpoint: 'consume',
    fault: 'takes a signature in the other letter case',
    alter: reading((code) => {
      const [prefix, id, signature = ''] = code.split('.');
      return `${prefix}.${id}.${swapCase(signature)}`;
    }),
  },
  {
    name: 'empty-key-on-consume',
    endpoint: 'consume',
    fault: 'takes an empty key',
    alter: alsoTaking((given) => given === '', 'query', 'rest'),
  },
  {
    name: 'cut-key-on-consume',
    endpoint: 'consume',
    fault: 'takes a key that lacks its last letter',
    alter: alsoTaking((given, known) => given === known.slice(0, -1), 'query', 'rest'),
  },
  {
    name: 'array-422-on-consume',
    endpoint: 'consume',
    fault: 'answers 422 to an array',
    alter: (parts) => ({
      finish: (answer, incoming) =>
        Array.isArray(parsed(incoming.body))
          ? { ...answer, status: 422 }
          : parts.finish(answer, incoming),
    }),
  },
  {
    name: 'disabled-key-on-heartbeat',
    endpoint: 'heartbeat',
    fault: 'confirms the heartbeat of a disabled key',
    // section 3.1 speaks of scans: reported, not judged
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        parts.acceptKey(value, side, action) ??
        [...world.keys.values()].find((key) => key.value === value && key.type === 'hardware'),
    }),
  },
  {
    name: 'heartbeat-by-get',
    endpoint: 'heartbeat',
    fault: 'confirms a heartbeat that is sent by GET',
    alter: () => ({ isMethodAllowed: (method) => method === 'POST' || method === 'GET' }),
  },
  {
    name: 'heartbeat-with-the-key-in-a-header',
    endpoint: 'heartbeat',
    fault: 'takes the key of a heartbeat from a header',
    alter: alsoTaking((given, known) => given === known, 'header'),
  },
  {
    name: 'cards-without-their-ticket-on-consume',
    endpoint: 'consume',
    fault: 'leaves ticketId, ticketType and the window out of the results of cards',
    alter: rest((result) =>
      result['status'] === 'consumed' && isCard(result)
        ? without(result, 'ticketId', 'ticketType', 'validFrom', 'validUntil')
        : result,
    ),
  },
  {
    name: 'cards-without-window-on-validate',
    endpoint: 'validate',
    fault: 'leaves the window out of the results of cards',
    alter: rest((result) => (isCard(result) ? without(result, 'validFrom', 'validUntil') : result)),
  },
  {
    name: 'door-refuses-permanent-cards',
    endpoint: 'hw/consume',
    fault: 'refuses permanent cards',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        ticket.usesAllowed === 9999
          ? { status: 'exhausted', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'door-refuses-windows',
    endpoint: 'hw/consume',
    fault: 'refuses tickets with a window',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        ticket.validFrom !== null && ticket.validUntil !== null
          ? { status: 'rejected', reason: 'expired', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'door-does-not-open-for-cards',
    endpoint: 'hw/consume',
    fault: 'grants cards with a Time of "0" and without a Name',
    alter: device((answer, { ticket }) =>
      answer['AcsRes'] === '1' && Number(ticket?.usesAllowed) > 1
        ? without({ ...answer, Time: '0' }, 'Name')
        : answer,
    ),
  },
  {
    name: 'door-shows-whole-names',
    endpoint: 'hw/consume',
    fault: 'does not cut the names of holders',
    alter: device((answer, { ticket }) =>
      answer['AcsRes'] === '1' && ticket?.holder
        ? { ...answer, Name: `${ticket.holder.firstName} ${ticket.holder.lastName}` }
        : answer,
    ),
  },
  {
    name: 'holder-swapped-on-consume',
    endpoint: 'consume',
    fault: 'swaps first and last name',
    alter: rest((result, { ticket }) =>
      result['holder'] && ticket?.holder
        ? {
            ...result,
            holder: { firstName: ticket.holder.lastName, lastName: ticket.holder.firstName },
          }
        : result,
    ),
  },
  {
    name: 'window-shifted-on-consume',
    endpoint: 'consume',
    fault: 'shows a validUntil that is two hours off',
    alter: rest((result) =>
      typeof result['validUntil'] === 'string'
        ? {
            ...result,
            validUntil: new Date(Date.parse(result['validUntil']) + 7_200_000).toISOString(),
          }
        : result,
    ),
  },
  {
    name: 'another-ticket-id-on-consume',
    endpoint: 'consume',
    fault: 'shows another ticketId',
    alter: rest((result) =>
      result['status'] === 'consumed'
        ? { ...result, ticketId: `${result['ticketId']}-used` }
        : result,
    ),
  },
  {
    name: 'cards-called-single-on-consume',
    endpoint: 'consume',
    fault: 'calls cards `single`',
    alter: rest((result) => (isCard(result) ? { ...result, ticketType: 'single' } : result)),
  },
  {
    name: 'forged-503-on-consume',
    endpoint: 'consume',
    fault: 'answers 503 to forged codes',
    alter: status(({ reason }) => (reason === 'invalid_ticket' ? 503 : undefined)),
  },
  {
    name: 'scope-200-on-consume',
    endpoint: 'consume',
    fault: 'answers 200 to a scope violation',
    alter: reply((answer) =>
      body(answer)['reason'] === 'event_not_allowed' ? { ...answer, status: 200 } : answer,
    ),
  },
  {
    name: 'holder-null-on-consume',
    endpoint: 'consume',
    fault: 'shows holder null for tickets without one',
    alter: rest((result) =>
      result['status'] === 'consumed' ? { holder: null, ...result } : result,
    ),
  },
];
