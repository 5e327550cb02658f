import type { Action, Outcome, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key, Ticket } from '../reference/world.ts';
import {
  type Body,
  EXHAUSTED,
  type FaultyServer,
  faults,
  isHundred,
  isOpenEnd,
  isOpenStart,
  isPermanent,
  isPersonal,
  isWindowed,
  refusing,
  remembering,
  step,
  together,
  uncounted,
  without,
} from './faulty-server.ts';

type Asked = Parameters<Parameters<typeof refusing>[0]>;
const isScoped = ({ events }: Key) => events !== 'all';
const withScope = (...[, , , key]: Asked) => isScoped(key);

/** Does not check the scope in some places. */
const scopeless = (where: Side, wanted: Action): Alteration =>
  step('inScope', ({ next }, _key, _id, side, action) =>
    side === where && action === wanted ? true : next(),
  );

/** Registers the use of a ticket that it refuses for its scope. */
const usedOutside = (wanted: Action): Alteration =>
  step('inScope', ({ next, world }, _key, id, _side, action) => {
    const isInside = next();
    const ticket = world.tickets.get(id);
    if (!isInside && ticket && action === wanted) ticket.usesConsumed += 1;
    return isInside;
  });

/** Changes the results that keys for selected events get. */
const ofScopedKeys = (change: (body: Body) => Body): Alteration =>
  remembering(() => {
    let isNarrow = false;
    return together(
      step('refuse', ({ next }, ...asked) => {
        isNarrow = withScope(...asked);
        return next();
      }),
      step('restBody', ({ next }) => (isNarrow ? change(next()) : next())),
    );
  });

const SCOPE = faults('5', {
  'does not check the scope on validate': scopeless('rest', 'validate'),
  'does not check the scope on consume': scopeless('rest', 'consume'),
  'does not check the scope when a device validates': scopeless('hardware', 'validate'),
  'does not check the scope when a device consumes': scopeless('hardware', 'consume'),
  'checks the scope after it registered the use': usedOutside('consume'),
  'registers a use when it refuses a ticket out of scope on validate': usedOutside('validate'),
  'hides tickets out of scope behind a 404': remembering(() => {
    let isInside = true;
    return together(
      step('inScope', ({ next }) => {
        isInside = next();
        return true;
      }),
      step('find', ({ next }) => (isInside ? next() : undefined)),
    );
  }),
  'takes the selected events for the excluded ones': step(
    'inScope',
    ({ next }, key) => key.events === 'all' || !next(),
  ),
  'lets keys for selected events validate only': step(
    'inScope',
    ({ next }, key, _id, _side, action) => (!isScoped(key) || action === 'validate') && next(),
  ),
  'binds every key to the first event': step('inScope', ({ parts }, key, ...asked) =>
    parts.inScope({ ...key, events: ['main'] }, ...asked),
  ),
  'lets a key for all events in to those of other organisations': step(
    'inScope',
    ({ next }, key) => !isScoped(key) || next(),
  ),
  'lets tickets of other organisations in with a key for selected events': step(
    'inScope',
    ({ next }, key, id) => (isScoped(key) && id.includes('foreign')) || next(),
  ),
  'finds no event for a ticket that does not exist, and answers 403 to a scoped key': step(
    'inScope',
    ({ next, parts }, key, id) => next() && (!isScoped(key) || parts.find(id) !== undefined),
  ),
  'lets tickets in that it does not know with a key for selected events': remembering(() => {
    let asked: Key | undefined;
    return together(
      step('inScope', ({ next }, key) => {
        asked = key;
        return next();
      }),
      step('find', ({ next, world }, id) => {
        const [any] = world.tickets.values();
        const made = any && { ...any, id, usesAllowed: 1, usesConsumed: 0 };
        return next() ?? (asked && isScoped(asked) ? made : undefined);
      }),
    );
  }),
  'refuses cards with a key for selected events': refusing(
    (...asked) => withScope(...asked) && asked[0].usesAllowed > 1,
    EXHAUSTED,
  ),
  'counts the uses of keys for selected events twice': step(
    'register',
    ({ next }, ticket, _, key) => {
      if (isScoped(key) && ticket.usesAllowed > 1) ticket.usesConsumed += 1;
      return next();
    },
  ),
  'leaves scannedAt out when a key for selected events consumes a card': ofScopedKeys((body) =>
    Number(body['usesAllowed']) > 1 ? without('scannedAt')(body) : body,
  ),
  'leaves the holder out when a key for selected events takes the last use': ofScopedKeys((body) =>
    body['status'] === 'consumed' && body['usesRemaining'] === 0 ? without('holder')(body) : body,
  ),
  'does not count the uses of the tickets of a second event': uncounted(
    ({ event }) => event === 'other',
  ),
});

const GOOD_KINDS: Readonly<Record<string, (ticket: Ticket) => boolean>> = {
  permanent: isPermanent,
  personalised: isPersonal,
  windowed: isWindowed,
  'no end': isOpenEnd,
  'no beginning': isOpenStart,
  '100 uses': isHundred,
};

const REFUSALS: Readonly<Record<string, (outcome: Outcome) => boolean>> = {
  'used up': ({ status, ticket }) => status === 'exhausted' && ticket?.usesAllowed === 1,
  'used-up card': ({ status, ticket }) => status === 'exhausted' && Number(ticket?.usesAllowed) > 1,
  cancelled: ({ reason }) => reason === 'ticket_cancelled',
  'not yet valid': ({ reason }) => reason === 'not_yet_valid',
  expired: ({ reason }) => reason === 'expired',
};

/** Servers that are wrong for some tickets with a key for selected events. */
const SCOPED = [
  ...Object.entries(REFUSALS).flatMap(([what, isOverlooked]) =>
    faults('5', {
      [`lets tickets in (${what}) with a key for selected events`]: step(
        'refuse',
        ({ next }, ...asked) => {
          const refused = next();
          return refused && withScope(...asked) && isOverlooked(refused) ? undefined : refused;
        },
      ),
    }),
  ),
  ...Object.entries(GOOD_KINDS).flatMap(([kind, isKind]) =>
    faults('5', {
      [`refuses tickets (${kind}) with a key for selected events`]: refusing(
        (...asked) => withScope(...asked) && isKind(asked[0]),
      ),
      [`does not count the uses of tickets (${kind}) with a key for selected events`]: uncounted(
        (ticket, _, key) => isScoped(key) && isKind(ticket),
      ),
    }),
  ),
];

/** Servers that look at the events of a key in their own way. */
export const SCOPE_FAULTS: readonly FaultyServer[] = [...SCOPE, ...SCOPED];
