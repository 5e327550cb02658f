import type { Incoming } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import {
  type Body,
  CONSUME,
  DEVICE,
  ENDPOINTS,
  type FaultyServer,
  faults,
  isCard,
  isConsume,
  isDevice,
  REST,
  remembering,
  reply,
  SCANS,
  showing,
  step,
  ticketIn,
  together,
} from './faulty-server.ts';

type Headers = Incoming['request']['headers'];

const taking = (isTaken: (method: string, incoming: Incoming) => boolean): Alteration =>
  step('isMethodAllowed', ({ next }, method, incoming) => next() || isTaken(method, incoming));

const METHODS = faults('4', {
  'maps HEAD to the code of POST': showing(
    CONSUME,
    taking((method) => method === 'HEAD'),
  ),
  'answers OPTIONS as it answers POST': showing(
    ENDPOINTS,
    taking((method) => method === 'OPTIONS'),
  ),
  'takes QUERY for POST': showing(
    ENDPOINTS,
    taking((method) => method === 'QUERY'),
  ),
  'makes a POST of a GET whose X-HTTP-Method-Override says so': showing(
    ENDPOINTS,
    taking((_, { request }) => request.headers['x-http-method-override'] === 'POST'),
  ),
  'makes a POST of a GET whose query has _method': showing(
    ENDPOINTS,
    taking((_, { query }) => query.get('_method') === 'POST'),
  ),
  'takes the use of a PUT, and answers 405': showing(
    CONSUME,
    step('finish', ({ next, world }, _, incoming) => {
      const ticket = ticketIn(world, incoming);
      const isTaken = incoming.method === 'PUT' && incoming.path.endsWith('/consume');
      if (isTaken && ticket) ticket.usesConsumed += 1;
      return next();
    }),
  ),
});

const headersOf = ({ request }: Incoming): Headers => request.headers;

/** Changes what is answered to some clients. */
const answering = (
  isThere: (headers: Headers) => boolean,
  change: (body: Body, status: number) => unknown,
): Alteration =>
  reply((answer, incoming) =>
    isThere(headersOf(incoming))
      ? { ...answer, body: change(answer.body as Body, answer.status) }
      : answer,
  );

const prefers = (language: string) => (headers: Headers) =>
  String(headers['accept-language']).toLowerCase().startsWith(language);

const ENGLISH_NOTES: Readonly<Record<string, string>> = {
  'Ticket erschöpft': 'Ticket used up',
  'Ticket abgelaufen': 'Ticket expired',
  'Ungültiges Ticket': 'Invalid ticket',
  'Ticket nicht gefunden': 'Ticket not found',
  'Noch nicht gültig': 'Not valid yet',
};

const html = reply((answer, incoming) =>
  /^text\/html/.test(String(headersOf(incoming).accept)) && !isDevice(incoming)
    ? { ...answer, headers: { 'content-type': 'text/html' }, body: '<h1>Ticket</h1>' }
    : answer,
);

const HEADERS = [
  ...faults('7.2', {
    'translates Forbidden for those who prefer German': showing(
      REST,
      answering(prefers('de'), (body, status) =>
        status === 401 && 'message' in body ? { message: 'Kein Zugang' } : body,
      ),
    ),
    'sends an empty message to those who prefer German': showing(
      REST,
      answering(prefers('de'), (body) => ('valid' in body ? { ...body, message: '' } : body)),
    ),
    'translates the status words into French': showing(
      REST,
      answering(prefers('fr'), (body) => ('valid' in body ? { ...body, status: 'refusé' } : body)),
    ),
    'shows a page to those who prefer HTML': showing(REST, html),
    'wraps answers for those who send X-Requested-With': showing(
      REST,
      answering(
        (headers) => headers['x-requested-with'] !== undefined,
        (data) => ({ data }),
      ),
    ),
  }),
  ...faults('7.3', {
    'shows English Notes to those who prefer English': showing(
      DEVICE,
      answering(prefers('en'), (body) =>
        'Note' in body
          ? { ...body, Note: ENGLISH_NOTES[String(body['Note'])] ?? body['Note'] }
          : body,
      ),
    ),
    'shows Notes without umlauts to those who accept Latin-1': showing(
      DEVICE,
      answering(
        (headers) => headers['accept-charset'] !== undefined,
        (body) =>
          'Note' in body
            ? {
                ...body,
                Note: String(body['Note'])
                  .replaceAll('ü', 'ue')
                  .replaceAll('ö', 'oe')
                  .replaceAll('Ü', 'Ue'),
              }
            : body,
      ),
    ),
  }),
  ...faults('4', {
    'throws at a language that it cannot read': showing(
      SCANS,
      step('finish', ({ next }, _, incoming) => {
        if (prefers('*')(headersOf(incoming))) throw new RangeError('Incorrect locale information');
        return next();
      }),
    ),
    'calls its answers gzip where that is accepted, and sends them plain': showing(
      SCANS,
      reply((answer, incoming) =>
        String(headersOf(incoming)['accept-encoding']).startsWith('gzip')
          ? { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } }
          : answer,
      ),
    ),
    'refuses what came over two proxies': showing(
      ENDPOINTS,
      reply((answer, incoming) =>
        String(headersOf(incoming)['x-forwarded-for']).includes(', ')
          ? { ...answer, status: 403, body: { message: 'Spoofed' } }
          : answer,
      ),
    ),
    'reads its charset in lower case only': showing(
      SCANS,
      together(
        step('readCode', ({ next }, incoming) => (isOddType(incoming) ? undefined : next())),
        step('readCard', ({ next }, incoming) => (isOddType(incoming) ? undefined : next())),
      ),
    ),
    'answers a client with cookies from its cache': showing(
      SCANS,
      remembering(() => {
        let last: unknown;
        return reply((answer, incoming) => {
          const isHit = headersOf(incoming).cookie?.includes('session=') && last !== undefined;
          if (isHit) return { ...answer, body: last };
          if (!isDevice(incoming) && answer.status === 200) last = answer.body;
          return answer;
        });
      }),
    ),
  }),
];

const isProxied = (incoming: Incoming) => headersOf(incoming)['x-forwarded-for'] !== undefined;

const OF_USES = faults('4', {
  'does not know the tickets that nobody used, where a proxy sends them to be consumed': showing(
    CONSUME,
    (parts, world) => {
      const isUnused = (incoming: Incoming) =>
        isConsume(incoming) && isProxied(incoming) && !ticketIn(world, incoming)?.usesConsumed;
      return {
        readCode: (incoming, action) =>
          isUnused(incoming) ? 'x' : parts.readCode(incoming, action),
        readCard: (incoming) => (isUnused(incoming) ? 'x' : parts.readCard(incoming)),
      };
    },
  ),
  'takes two uses of a card that a proxy sends to be consumed': showing(
    CONSUME,
    step('finish', ({ next, world }, answer, incoming) => {
      const ticket = ticketIn(world, incoming);
      const { valid, AcsRes } = answer.body as Body;
      const isUsed = valid === true || AcsRes === '1';
      if (ticket && isCard(ticket) && isConsume(incoming) && isProxied(incoming) && isUsed)
        ticket.usesConsumed += 1;
      return next();
    }),
  ),
});

function isOddType(incoming: Incoming): boolean {
  return String(headersOf(incoming)['content-type']).includes('UTF-8');
}

/** Servers that answer to what a client says of itself, or to other methods. */
export const CLIENT_FAULTS: readonly FaultyServer[] = [...METHODS, ...HEADERS, ...OF_USES];
