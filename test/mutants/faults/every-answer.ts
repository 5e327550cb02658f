import type { Incoming, Reply } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { World } from '../reference/world.ts';
import {
  type Body,
  CONSUME,
  codeIn,
  DEVICE,
  type FaultyServer,
  faults,
  idIn,
  isDevice,
  isOpenEnd,
  overlooking,
  REST,
  remembering,
  rest,
  showing,
  step,
  ticketIn,
  together,
} from './faulty-server.ts';

type Changed = (reply: Reply, incoming: Incoming, world: World) => Reply;

/** Changes answers that only some requests of a run get. */
const answers = (change: Changed): Alteration =>
  step('finish', ({ next, world }, _, incoming) => change(next(), incoming, world));

const bodyOf = ({ body }: Reply): Body => (typeof body === 'object' && body ? { ...body } : {});

const withBody = (reply: Reply, change: Body): Reply => ({
  ...reply,
  body: { ...bodyOf(reply), ...change },
});

/** True for a key that may scan the tickets of some events only. */
const isScoped = ({ request, query }: Incoming, { keys }: World): boolean => {
  const value = query.get('key') ?? request.headers['x-api-key'];
  return typeof value === 'string' && Array.isArray(keys.get(value)?.events);
};

/** Changes what validate says to software about tickets that a device has been shown before. */
const afterDevices = (change: (reply: Reply) => Reply): Alteration =>
  remembering(() => {
    const seen = new Set<string>();
    return answers((reply, incoming) => {
      const id = idIn(codeIn(incoming));
      if (isDevice(incoming)) seen.add(id);
      return incoming.path === '/scan/validate' && seen.has(id) ? change(reply) : reply;
    });
  });

const htmlOf = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const isOut = ({ usesConsumed, usesAllowed }: Body): boolean =>
  usesConsumed !== undefined && usesConsumed === usesAllowed;

/** Section 2.3 to 7.3: faults that show only in answers which a check asked for another reason. */
export const EVERY_ANSWER_FAULTS: readonly FaultyServer[] = [
  ...faults('2.3', {
    'loses the holder of a ticket that a device has scanned': showing(
      ['validate'],
      afterDevices((reply) =>
        bodyOf(reply)['holder'] === undefined ? reply : withBody(reply, { holder: undefined }),
      ),
    ),
    'shows names as HTML': showing(
      REST,
      answers((reply) => {
        const { holder } = bodyOf(reply);
        if (typeof holder !== 'object' || holder === null) return reply;
        const names = Object.entries(holder).map(([name, text]) => [name, htmlOf(String(text))]);
        return withBody(reply, { holder: Object.fromEntries(names) });
      }),
    ),
    'shows keys for selected events the ticketId in capitals': showing(
      REST,
      answers((reply, incoming, world) => {
        const { ticketId } = bodyOf(reply);
        return typeof ticketId === 'string' && isScoped(incoming, world)
          ? withBody(reply, { ticketId: ticketId.toUpperCase() })
          : reply;
      }),
    ),
    'shows the whole day as the window of a ticket that a device has scanned': showing(
      ['validate'],
      afterDevices((reply) => {
        const { validFrom } = bodyOf(reply);
        return typeof validFrom === 'string'
          ? withBody(reply, { validFrom: `${validFrom.slice(0, 10)}T00:00:00Z` })
          : reply;
      }),
    ),
    'tells the devices of selected events one use less than was sold': showing(
      DEVICE,
      answers((reply, incoming, world) => {
        const { Note } = bodyOf(reply);
        if (!isScoped(incoming, world) || typeof Note !== 'string') return reply;
        return withBody(reply, {
          Note: Note.replace(/\/(\d+)\)/, (_, allowed) => `/${Number(allowed) - 1})`),
        });
      }),
    ),
  }),
  ...faults('3.2', {
    'shows software one use less where a device took the last one': showing(
      ['validate'],
      afterDevices((reply) => {
        const { status, usesConsumed, usesRemaining } = bodyOf(reply);
        return status === 'validated' && Number(usesConsumed) > 1
          ? withBody(reply, {
              usesConsumed: Number(usesConsumed) - 1,
              usesRemaining: Number(usesRemaining) + 1,
            })
          : reply;
      }),
    ),
  }),
  ...faults('3.2', {
    'shows software a use of a card of 100 that a device has only looked at': showing(
      ['validate'],
      afterDevices((reply) => {
        const { usesAllowed, usesConsumed, usesRemaining } = bodyOf(reply);
        return usesAllowed === 100 && usesConsumed === 0
          ? withBody(reply, { usesConsumed: 1, usesRemaining: Number(usesRemaining) - 1 })
          : reply;
      }),
    ),
  }),
  ...faults('2.3', {
    'shows devices the next use of a ticket without an end as its last one': showing(
      ['hw/validate'],
      answers((reply, incoming, world) => {
        const { Note } = bodyOf(reply);
        const ticket = ticketIn(world, incoming);
        const isUnused = ticket?.usesConsumed === 0 && isOpenEnd(ticket);
        return incoming.path === '/scan/hw/validate' && isUnused && Note === 'Ticket gültig (0/1)'
          ? withBody(reply, { Note: 'Ticket gültig (1/2)' })
          : reply;
      }),
    ),
  }),
  ...faults('7.1', {
    'answers the last use of a card with HTTP 201': showing(
      ['consume'],
      answers((reply) => {
        const body = bodyOf(reply);
        const isLast = body['status'] === 'consumed' && isOut(body) && body['usesAllowed'] !== 1;
        return isLast ? { ...reply, status: 201 } : reply;
      }),
    ),
    'answers keys for selected events with HTTP 410 for what is cancelled': showing(
      REST,
      answers((reply, incoming, world) =>
        bodyOf(reply)['reason'] === 'ticket_cancelled' && isScoped(incoming, world)
          ? { ...reply, status: 410 }
          : reply,
      ),
    ),
  }),
  ...faults('7.3', {
    'says in English that a card is used up': showing(
      DEVICE,
      remembering(() => {
        const cards = new Set<string>();
        return answers((reply, incoming) => {
          const { AcsRes, Note } = bodyOf(reply);
          const id = idIn(codeIn(incoming));
          if (AcsRes === '1' && !String(Note).endsWith('/1)')) cards.add(id);
          return Note === 'Ticket erschöpft' && cards.has(id)
            ? withBody(reply, { Note: 'Ticket used up' })
            : reply;
        });
      }),
    ),
  }),
  // What the run could see around an answer says more than the answer.
  ...faults('2.3', {
    'wraps every result in a member': answers((reply) => ({
      ...reply,
      body: { data: bodyOf(reply) },
    })),
    'counts on beyond the last use and shows none left': showing(
      CONSUME,
      together(
        overlooking('exhausted', ({ usesAllowed }) => usesAllowed === 5),
        rest((body) => (Number(body['usesRemaining']) < 0 ? { ...body, usesRemaining: 0 } : body)),
      ),
    ),
  }),
  ...faults('5', {
    'shuts out whoever sent eight wrong keys': {
      shows: REST,
      isByChance: true,
      meetsAnyCase: true,
      says: /shut out the sender/,
      alter: remembering(() => {
        let wrong = 0;
        let shutUntil = 0;
        return step('acceptKey', ({ next, world }, value, side) => {
          const key = next();
          if (side !== 'rest') return key;
          if (!key) wrong += 1;
          if (wrong >= 8) {
            wrong = 0;
            shutUntil = world.clock.now() + 60;
          }
          return world.clock.now() < shutUntil && value !== undefined ? undefined : key;
        });
      }),
    },
    'answers from a cache that does not know the key': {
      shows: ['validate'],
      isByChance: true,
      alter: remembering(() => {
        const kept = new Map<string, Reply>();
        return step('finish', ({ next }, reply, incoming) => {
          const right = next();
          if (incoming.path !== '/scan/validate' || incoming.method !== 'POST') return right;
          const name = incoming.body.toString('utf8');
          const before = kept.get(name);
          if (before && before.status === 200) return before;
          kept.set(name, right);
          return right ?? reply;
        });
      }),
    },
  }),
  ...faults('3.2', {
    'answers not_found while another request has the ticket': {
      shows: CONSUME,
      isByChance: true,
      alter: remembering(() => {
        const held = new Set<string>();
        return together(
          step('find', ({ next }, id) => (held.has(id) ? undefined : next())),
          step('register', async ({ next, world }, ticket) => {
            held.add(ticket.id);
            await world.clock.sleep(20);
            held.delete(ticket.id);
            return next();
          }),
        );
      }),
    },
  }),
];
