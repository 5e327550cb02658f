import type { Action, Incoming, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key, World } from '../reference/world.ts';
import {
  type Body,
  ENDPOINTS,
  type FaultyServer,
  faults,
  faultsOn,
  free,
  parsed,
  remembering,
  reply,
  SCANS,
  showing,
  step,
  ticketIn,
  together,
} from './faulty-server.ts';

const HEARTBEAT_IS_NO_SCAN = {
  on: ['heartbeat'],
  reason: 'section 3.1 speaks of scans, and a heartbeat is none',
} as const;

const typeOn = (side: Side) => (side === 'rest' ? 'rest' : 'hardware');
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Where a server may look for a key. */
const PLACES = {
  'the header x-api-key': ({ request }: Incoming) => textOf(request.headers['x-api-key']),
  'the query': ({ query }: Incoming) => query.get('key') ?? undefined,
  'the body': ({ body }: Incoming) => textOf(parsed(body)?.['key']),
  '`Authorization: Bearer`': ({ request }: Incoming) =>
    textOf(request.headers['authorization'])?.replace(/^Bearer /, ''),
  'a cookie': ({ request }: Incoming) =>
    /key=([^;]+)/.exec(textOf(request.headers['cookie']) ?? '')?.[1],
};
type Place = keyof typeof PLACES;
type State = 'good' | 'disabled' | 'deleted';

/** The key of that type and state with that value. */
function keyOf(world: World, value: string, type: Key['type'], state: State): Key | undefined {
  if (state === 'deleted')
    return world.deletedKeys.has(value) && value.includes(`-${type}-`)
      ? { value, type, events: 'all', active: true, tokens: 100, filledAt: 0 }
      : undefined;
  const key = world.keys.get(value);
  return key?.type === type && key.active === (state === 'good') && !key.isSpent ? key : undefined;
}

/** Takes the keys of a type and state from one place; from any other it takes what it should. */
const takingFrom = (place: Place, type: Key['type'], state: State): Alteration =>
  remembering(() => {
    let taken: Key | undefined;
    return together(
      step('keyOf', ({ next, world }, incoming) => {
        const found = PLACES[place](incoming);
        taken = found === undefined ? undefined : keyOf(world, found, type, state);
        return next();
      }),
      step('acceptKey', ({ next }) => taken ?? next()),
    );
  });

/** Every type and state of a key, taken from every place: what the right server does not take must be refused. */
const MISPLACED = (['rest', 'hardware'] as const).flatMap((type) =>
  (['good', 'disabled', 'deleted'] as const).flatMap((state) =>
    (Object.keys(PLACES) as Place[]).flatMap((place) => {
      const how = takingFrom(place, type, state);
      const isFree = type === 'hardware' && state === 'disabled' && place === 'the query';
      return faults(state === 'good' ? '5' : '3.1', {
        [`takes ${state} ${type} keys from ${place}`]: isFree
          ? free(HEARTBEAT_IS_NO_SCAN, how)
          : how,
      });
    }),
  ),
);

/** Finds a key in a further place, when there is none in the right one. */
const alsoIn = (place: Place, isHere: (side: Side) => boolean): Alteration =>
  step(
    'keyOf',
    ({ next }, incoming, side) => next() ?? (isHere(side) ? PLACES[place](incoming) : undefined),
  );

const onRest = (side: Side) => side === 'rest';
const atDevices = (side: Side) => side !== 'rest';

/** Finds a known key for one that was given loosely. */
const loosely = (same: (known: string, given: string) => boolean, isHere = (_: Side) => true) =>
  step('acceptKey', ({ next, parts, world }, value, side, action) => {
    const right = next();
    if (right || value === undefined || !isHere(side)) return right;
    const like = [...world.keys.values()].filter((key) => key.active && same(key.value, value));
    return like.map((key) => parts.acceptKey(key.value, side, action)).find((key) => key);
  });

/** Accepts keys that the right server refuses. */
const accepting = (
  find: (value: string | undefined, world: World, side: Side, action?: Action) => Key | undefined,
): Alteration =>
  step('acceptKey', ({ next, world }, value, ...asked) => next() ?? find(value, world, ...asked));

const someKey = (world: World, type: Key['type']) =>
  [...world.keys.values()].find((key) => key.active && key.type === type);
const anyKey = (isGiven: (value: string | undefined) => boolean, isHere: (side: Side) => boolean) =>
  accepting((value, world, side) =>
    isGiven(value) && isHere(side) ? someKey(world, typeOn(side)) : undefined,
  );

/** Accepts keys of one type that are disabled or deleted, in some places. */
const formerly = (type: Key['type'], state: State, isHere: (action?: Action) => boolean) =>
  accepting((value = '', world, side, action) =>
    typeOn(side) === type && isHere(action) ? keyOf(world, value, type, state) : undefined,
  );

/** Takes the use although the answer is a refusal. */
const usedBy = (isRefusal: (status: number) => boolean, path: string): Alteration =>
  step('finish', ({ next, world }, _, incoming) => {
    const right = next();
    const ticket = ticketIn(world, incoming);
    if (isRefusal(right.status) && incoming.path === path && ticket) ticket.usesConsumed += 1;
    return right;
  });

const KEYS = faults('5', {
  'confirms a heartbeat of any key at its sixth in a row': {
    shows: ['heartbeat'],
    isByChance: true,
    alter: remembering(() => {
      let row = { value: '', length: 0 };
      const genuine = new Set<string>();
      return step('acceptKey', ({ next, world }, value = '', side, action) => {
        const key = next();
        if (key) genuine.add(value);
        if (action !== undefined || genuine.has(value)) return key;
        row = { value, length: value === row.value ? row.length + 1 : 1 };
        return row.length > 5 && value !== '' ? someKey(world, typeOn(side)) : key;
      });
    }),
  },
  'serves requests without a key': anyKey((value) => value === undefined, onRest),
  'serves requests with any key': anyKey((value) => Boolean(value), onRest),
  'serves requests with an empty key': anyKey(
    (value) => value === '',
    () => true,
  ),
  'opens doors without a key': anyKey(
    (value) => value === undefined,
    (side) => side === 'hardware',
  ),
  'opens doors with any key': anyKey(
    (value) => Boolean(value),
    (side) => side === 'hardware',
  ),
  'checks the key on validate only': accepting((_, world, side, action) =>
    side === 'rest' && action === 'consume' ? someKey(world, 'rest') : undefined,
  ),
  'compares keys as far as they are given': loosely(
    (known, given) => given.length > 8 && known.startsWith(given),
  ),
  'compares the ends of keys': loosely((known, given) => given.length > 8 && known.endsWith(given)),
  'takes anything after a key': loosely((known, given) => given.startsWith(known)),
  'compares keys without letter case': loosely(
    (known, given) => known.toLowerCase() === given.toLowerCase(),
  ),
  'compares the beginning and the end of keys': loosely((known, given) =>
    isSameOutside(known, given, 4),
  ),
  'compares the middle of keys without letter case': showing(
    ENDPOINTS,
    loosely(
      (known, given) =>
        isSameOutside(known, given, 4) && known.toLowerCase() === given.toLowerCase(),
    ),
  ),
  'takes blanks before and after the key of a device away': loosely(
    (known, given) => known === given.trim(),
    atDevices,
  ),
  'takes a key with `Bearer` before it in x-api-key': loosely(
    (known, given) => given === `Bearer ${known}`,
  ),
  'reads Authorization before x-api-key': step('keyOf', ({ next }, { request }, side) =>
    side === 'rest' && request.headers['authorization'] ? 'nonsense' : next(),
  ),
  'looks for x-api-key in lower case only': step('keyOf', ({ next }, { request }, side) =>
    side === 'rest' && !request.rawHeaders.includes('x-api-key') ? undefined : next(),
  ),
  'reads the key of a device only at the beginning of the query': step(
    'keyOf',
    ({ next }, { query }, side) =>
      side === 'rest' || query.keys().next().value === 'key' ? next() : undefined,
  ),
  'checks the key after it registered the use': usedBy((code) => code === 401, '/scan/consume'),
  'checks the key of a device after it registered the use': usedBy(
    (code) => code === 401,
    '/scan/hw/consume',
  ),
  'shows the key of the request in a grant': reply((answer, incoming) => {
    const body = answer.body as Body;
    if (body['valid'] !== true && body['AcsRes'] !== '1') return answer;
    const key = incoming.query.get('key') ?? String(incoming.request.headers['x-api-key']);
    const shown = body['Note'] ? { Name: key.slice(-16) } : { message: `Hello ${key}` };
    return { ...answer, body: { ...body, ...shown } };
  }),
});

const ON_ONE_ENDPOINT = [
  ...faultsOn('hw/consume', '5', {
    'opens doors with a REST key': accepting((value = '', world) =>
      keyOf(world, value, 'rest', 'good'),
    ),
    'opens doors with the key in a header': alsoIn('the header x-api-key', atDevices),
    'opens doors with a key that lacks its last letter': loosely(
      (known, given) => given === known.slice(0, -1),
    ),
  }),
  ...faultsOn('consume', '5', {
    'takes an empty key': anyKey((value) => value === '', onRest),
    'takes a key that lacks its last letter': loosely(
      (known, given) => given === known.slice(0, -1),
    ),
  }),
  ...faultsOn('heartbeat', '5', {
    'takes the key from a header': alsoIn('the header x-api-key', atDevices),
    'confirms the heartbeat of any sender': step('acceptKey', ({ world }) =>
      someKey(world, 'hardware'),
    ),
    'confirms the heartbeat of a REST key': accepting((value = '', world) =>
      keyOf(world, value, 'rest', 'good'),
    ),
    'confirms the heartbeat of a deleted key': formerly('hardware', 'deleted', () => true),
    'confirms the heartbeat of a disabled key': free(
      HEARTBEAT_IS_NO_SCAN,
      formerly('hardware', 'disabled', () => true),
    ),
    'confirms keys for all events only': step('acceptKey', ({ next }) => {
      const key = next();
      return key?.events === 'all' ? key : undefined;
    }),
  }),
];

/** Keys that are not good any more. */
const FORMER = (['rest', 'hardware'] as const).flatMap((type) =>
  (['disabled', 'deleted'] as const).flatMap((state) =>
    faults('3.1', {
      [`accepts ${state} ${type} keys on consume`]: formerly(
        type,
        state,
        (action) => action === 'consume',
      ),
    }),
  ),
);

/**
 * Decides about keys by what it knew of them, instead of by what they are now.
 * @param keepMs so long; after one more request where it is undefined
 */
const keeping = (keepMs?: number): Alteration =>
  remembering(() => {
    const known = new Map<string, { key: Key; at: number }>();
    const remembered = (id: string, key: Key, now: number): Key => {
      const memory = known.get(id);
      const isOld = memory === undefined || now - memory.at > (keepMs ?? Number.POSITIVE_INFINITY);
      if (isOld || keepMs === undefined) known.set(id, { key: { ...key }, at: now });
      return isOld ? key : memory.key;
    };
    return step('acceptKey', ({ world }, value = '', side) => {
      const key = world.keys.get(value) ?? { ...NO_KEY, value };
      const used = remembered(`${value} ${side}`, key, world.clock.now());
      return used.type === typeOn(side) && used.active ? used : undefined;
    });
  });

const NO_KEY: Key = {
  value: '',
  type: 'rest',
  events: 'all',
  active: false,
  tokens: 1,
  filledAt: 0,
};

/** Refuses keys that the right server accepts. */
const ending = (hasEnded: (key: Key) => boolean): Alteration =>
  step('acceptKey', ({ next }) => {
    const key = next();
    return key && hasEnded(key) ? undefined : key;
  });

/** Servers on which a change of a key takes effect late, in part, or with others. */
const CHANGES = faults('3.1', {
  'lets a change of a key take effect one request late': showing(ENDPOINTS, keeping()),
  'keeps keys in a cache for a second': {
    ...showing(ENDPOINTS, keeping(1000)),
    isByTheClock: true,
  },
  'refuses a key that was renamed': showing(
    ENDPOINTS,
    ending(({ name }) => name?.includes('renamed') === true),
  ),
  'refuses a key whose scope was changed, until that is undone': showing(
    SCANS,
    ending((key) => key.isEdited === true && key.events !== 'all'),
  ),
  'takes a deleted key that was in use before': showing(
    ENDPOINTS,
    remembering(() => {
      const used = new Map<string, Key>();
      return step('acceptKey', ({ next, world }, value = '') => {
        const right = next();
        if (right) used.set(value, right);
        const isThere = [...world.keys.values()].some((one) => one.value === value);
        return isThere ? right : used.get(value);
      });
    }),
  ),
  'refuses a key once more after it was enabled': showing(
    ENDPOINTS,
    remembering(() => {
      const disabled = new Set<string>();
      return step('acceptKey', ({ next, world }, value = '') => {
        const known = [...world.keys.values()].find((one) => one.value === value);
        if (known && !known.active) disabled.add(value);
        const right = next();
        return right && disabled.delete(value) ? undefined : right;
      });
    }),
  ),
  'refuses a key for good that was disabled once': {
    shows: ENDPOINTS,
    isByChance: true,
    meetsAnyCase: true,
    says: /A good key is refused/,
    alter: remembering(() => {
      const refused = new Set<string | undefined>();
      return step('acceptKey', ({ next }, value) => {
        const right = next();
        if (!right) refused.add(value);
        return refused.has(value) ? undefined : right;
      });
    }),
  },
});

function isSameOutside(one: string, other: string, width: number): boolean {
  const outside = (text: string) => {
    const middle = Math.floor(text.length / 2);
    return `${text.slice(0, middle - width)}…${text.slice(middle + width + 1)}`;
  };
  return one.length === other.length && outside(one) === outside(other);
}

/** Servers that take other keys than they should, or the right ones for too much. */
export const KEY_FAULTS: readonly FaultyServer[] = [
  ...KEYS,
  ...ON_ONE_ENDPOINT,
  ...FORMER,
  ...MISPLACED,
  ...CHANGES,
];
