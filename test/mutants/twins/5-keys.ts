import type { Incoming, Side } from '../reference/parts.ts';
import type { Key, World } from '../reference/world.ts';
import { type Parts, parsed, status, type Twin, without } from './twin.ts';

/** Finds keys in further places, when the right one has none. */
function alsoIn(find: (incoming: Incoming, side: Side) => string | undefined | null) {
  return (parts: Parts): Partial<Parts> => ({
    keyOf: (incoming, side) => parts.keyOf(incoming, side) ?? find(incoming, side) ?? undefined,
  });
}

/** Finds a known key for one that was given loosely. */
function loosely(same: (known: string, given: string) => boolean) {
  return (parts: Parts, world: World): Partial<Parts> => ({
    acceptKey(value, side, action) {
      const right = parts.acceptKey(value, side, action);
      if (right || value === undefined) return right;
      const found = [...world.keys.values()].find((key) => key.active && same(key.value, value));
      return parts.acceptKey(found?.value, side, action);
    },
  });
}

const header = (name: string) => (incoming: Incoming) => {
  const value = incoming.request.headers[name];
  return typeof value === 'string' ? value : undefined;
};
const bodyKey = (body: Buffer) => {
  const key = parsed(body)?.['key'];
  return typeof key === 'string' ? key : undefined;
};
const someKey = (world: World, type: Key['type']) =>
  [...world.keys.values()].find((key) => key.active && key.type === type);

/** Does not check the scope in some places. */
function scopeless(where: (side: Side, action: string) => boolean) {
  return (parts: Parts): Partial<Parts> => ({
    inScope: (key, id, side, action) => where(side, action) || parts.inScope(key, id, side, action),
  });
}

/** Changes the results that keys for selected events get. */
function ofScopedKeys(change: (body: Record<string, unknown>) => Record<string, unknown>) {
  return (parts: Parts): Partial<Parts> => {
    let isScoped = false;
    return {
      refuse(ticket, action, side, key) {
        isScoped = key.events !== 'all';
        return parts.refuse(ticket, action, side, key);
      },
      restBody: (outcome, action) =>
        isScoped ? change(parts.restBody(outcome, action)) : parts.restBody(outcome, action),
    };
  };
}

export const KEY_TWINS: readonly Twin[] = [
  {
    name: 'no-key-needed',
    section: '5',
    fault: 'serves requests without a key',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        value === undefined && side === 'rest'
          ? someKey(world, 'rest')
          : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'any-key',
    section: '5',
    fault: 'serves requests with any key',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        parts.acceptKey(value, side, action) ??
        (value && side === 'rest' ? someKey(world, 'rest') : undefined),
    }),
  },
  {
    name: 'empty-key',
    section: '5',
    fault: 'serves requests with an empty key',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        value === ''
          ? someKey(world, side === 'rest' ? 'rest' : 'hardware')
          : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'key-by-prefix',
    section: '5',
    fault: 'compares keys as far as they are given',
    alter: loosely((known, given) => given.length > 8 && known.startsWith(given)),
  },
  {
    name: 'key-by-end',
    section: '5',
    fault: 'compares the ends of keys',
    alter: loosely((known, given) => given.length > 8 && known.endsWith(given)),
  },
  {
    name: 'key-with-more',
    section: '5',
    fault: 'takes anything after a key',
    alter: loosely((known, given) => given.startsWith(known)),
  },
  {
    name: 'key-without-case',
    section: '5',
    fault: 'compares keys without letter case',
    alter: loosely((known, given) => known.toLowerCase() === given.toLowerCase()),
  },
  {
    name: 'bearer',
    section: '5',
    fault: 'takes the key as Authorization: Bearer',
    alter: alsoIn((incoming, side) =>
      side === 'rest' ? header('authorization')(incoming)?.replace(/^Bearer /, '') : undefined,
    ),
  },
  {
    name: 'bearer-word-cut',
    section: '5',
    fault: 'takes a key with `Bearer` before it in x-api-key',
    alter: loosely((known, given) => given === `Bearer ${known}`),
  },
  {
    name: 'bearer-first',
    section: '5',
    fault: 'reads Authorization before x-api-key',
    alter: (parts) => ({
      keyOf: (incoming, side) =>
        side === 'rest' && header('authorization')(incoming)
          ? 'nonsense'
          : parts.keyOf(incoming, side),
    }),
  },
  {
    name: 'key-in-query',
    section: '5',
    fault: 'takes the key of own software from the query',
    alter: alsoIn(({ query }, side) => (side === 'rest' ? query.get('key') : undefined)),
  },
  {
    name: 'hardware-key-in-query',
    section: '5',
    fault: 'takes hardware keys from the query on REST',
    alter: (parts, world) => ({
      keyOf: (incoming, side) =>
        parts.keyOf(incoming, side) ?? incoming.query.get('key') ?? undefined,
      acceptKey(value, side, action) {
        const key = world.keys.get(value ?? '');
        return side === 'rest' && key?.active && key.type === 'hardware'
          ? key
          : parts.acceptKey(value, side, action);
      },
    }),
  },
  {
    name: 'key-in-cookie',
    section: '5',
    fault: 'takes the key from a cookie',
    alter: alsoIn((incoming, side) =>
      side === 'rest' ? /key=([^;]+)/.exec(header('cookie')(incoming) ?? '')?.[1] : undefined,
    ),
  },
  {
    name: 'key-in-body',
    section: '5',
    fault: 'takes the key from the body',
    alter: alsoIn(({ body }, side) => (side === 'rest' ? bodyKey(body) : undefined)),
  },
  {
    name: 'key-in-body-at-devices',
    section: '5',
    fault: "takes a device's key from the body",
    alter: alsoIn(({ body }, side) => (side === 'hardware' ? bodyKey(body) : undefined)),
  },
  {
    name: 'header-at-devices',
    section: '5',
    fault: 'takes hardware keys from the header',
    alter: alsoIn((incoming, side) =>
      side === 'rest' ? undefined : header('x-api-key')(incoming),
    ),
  },
  {
    name: 'bearer-at-devices',
    section: '5',
    fault: 'takes hardware keys as Authorization: Bearer',
    alter: alsoIn((incoming, side) =>
      side === 'rest' ? undefined : header('authorization')(incoming)?.replace(/^Bearer /, ''),
    ),
  },
  {
    name: 'hardware-key-on-rest',
    section: '5',
    fault: 'takes hardware keys on REST',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) => {
        const key = world.keys.get(value ?? '');
        return side === 'rest' && key?.active ? key : parts.acceptKey(value, side, action);
      },
    }),
  },
  {
    name: 'rest-key-at-devices',
    section: '5',
    fault: 'takes REST keys at devices',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) => {
        const key = world.keys.get(value ?? '');
        return side !== 'rest' && key?.active ? key : parts.acceptKey(value, side, action);
      },
    }),
  },
  {
    name: 'rest-key-header-at-devices',
    section: '5',
    fault: 'takes REST keys from the header at devices',
    alter: (parts, world) => ({
      keyOf: (incoming, side) =>
        parts.keyOf(incoming, side) ??
        (side === 'rest' ? undefined : header('x-api-key')(incoming)),
      acceptKey: (value, side, action) => {
        const key = world.keys.get(value ?? '');
        return side !== 'rest' && key?.active && key.type === 'rest'
          ? key
          : parts.acceptKey(value, side, action);
      },
    }),
  },
  {
    name: 'devices-without-key',
    section: '5',
    fault: 'opens doors without a key',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        value === undefined && side === 'hardware'
          ? someKey(world, 'hardware')
          : parts.acceptKey(value, side, action),
    }),
  },
  {
    name: 'devices-with-any-key',
    section: '5',
    fault: 'opens doors with any key',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        parts.acceptKey(value, side, action) ??
        (value && side === 'hardware' ? someKey(world, 'hardware') : undefined),
    }),
  },
  {
    name: 'consume-without-key',
    section: '5',
    fault: 'checks the key on validate only',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        parts.acceptKey(value, side, action) ??
        (side === 'rest' && action === 'consume' ? someKey(world, 'rest') : undefined),
    }),
  },
  {
    name: 'key-checked-afterwards',
    section: '5',
    fault: 'checks the key after it registered the use',
    alter: (parts, world) => ({
      finish(answer, incoming) {
        if (answer.status === 401 && incoming.path === '/scan/consume') {
          const code = parts.readCode(incoming, 'consume');
          const ticket = world.tickets.get(code?.split('.')[1] ?? '');
          if (ticket) ticket.usesConsumed += 1;
        }
        return answer;
      },
    }),
  },
  {
    name: 'key-checked-afterwards-at-devices',
    section: '5',
    fault: 'checks the key of a device after it registered the use',
    alter: (parts, world) => ({
      finish(answer, incoming) {
        if (answer.status === 401 && incoming.path === '/scan/hw/consume') {
          const ticket = world.tickets.get(parts.readCard(incoming)?.split('.')[1] ?? '');
          if (ticket) ticket.usesConsumed += 1;
        }
        return answer;
      },
    }),
  },
  {
    name: 'header-name-as-text',
    section: '5',
    fault: 'looks for x-api-key in lower case only',
    alter: (parts) => ({
      keyOf: (incoming, side) =>
        side === 'rest' && !incoming.request.rawHeaders.includes('x-api-key')
          ? undefined
          : parts.keyOf(incoming, side),
    }),
  },
  {
    name: 'refused-with-403',
    section: '5',
    fault: 'answers 403 to a missing key',
    alter: (parts) => ({
      unauthorised: (side) => ({
        ...parts.unauthorised(side),
        ...(side === 'rest' ? { status: 403 } : {}),
      }),
    }),
  },
  {
    name: 'scope-unchecked-on-validate',
    section: '5',
    fault: 'does not check the scope on validate',
    alter: scopeless((side, action) => side === 'rest' && action === 'validate'),
  },
  {
    name: 'scope-unchecked-on-consume',
    section: '5',
    fault: 'does not check the scope on consume',
    alter: scopeless((side, action) => side === 'rest' && action === 'consume'),
  },
  {
    name: 'scope-unchecked-on-device-validate',
    section: '5',
    fault: 'does not check the scope when a device validates',
    alter: scopeless((side, action) => side === 'hardware' && action === 'validate'),
  },
  {
    name: 'scope-unchecked-on-device-consume',
    section: '5',
    fault: 'does not check the scope when a device consumes',
    alter: scopeless((side, action) => side === 'hardware' && action === 'consume'),
  },
  {
    name: 'scope-checked-afterwards',
    section: '5',
    fault: 'checks the scope after it registered the use',
    alter: (parts, world) => ({
      inScope(key, id, side, action) {
        const inside = parts.inScope(key, id, side, action);
        const ticket = world.tickets.get(id);
        if (!inside && ticket && action === 'consume') ticket.usesConsumed += 1;
        return inside;
      },
    }),
  },
  {
    name: 'scope-200',
    section: '5',
    fault: 'answers a scope violation with 200',
    alter: status(({ reason }) => (reason === 'event_not_allowed' ? 200 : undefined)),
  },
  {
    name: 'scope-404',
    section: '5',
    fault: 'hides tickets out of scope behind a 404',
    alter: (parts) => {
      let inside = true;
      return {
        inScope(key, id, side, action) {
          inside = parts.inScope(key, id, side, action);
          return true;
        },
        find: (id) => (inside ? parts.find(id) : undefined),
      };
    },
  },
  {
    name: 'scope-upside-down',
    section: '5',
    fault: 'takes the selected events for the excluded ones',
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        key.events === 'all' || !parts.inScope(key, id, side, action),
    }),
  },
  {
    name: 'scoped-keys-only-look',
    section: '5',
    fault: 'lets keys for selected events validate only',
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        (key.events === 'all' || action === 'validate') && parts.inScope(key, id, side, action),
    }),
  },
  {
    name: 'all-events-are-one',
    section: '5',
    fault: 'binds every key to the first event',
    alter: (parts) => ({
      inScope: (key, id, side, action) =>
        parts.inScope({ ...key, events: ['main'] }, id, side, action),
    }),
  },
  {
    name: 'key-must-come-first',
    section: '5',
    fault: 'reads the key of a device only at the beginning of the query',
    alter: (parts) => ({
      keyOf: (incoming, side) =>
        side === 'rest' || incoming.query.keys().next().value === 'key'
          ? parts.keyOf(incoming, side)
          : undefined,
    }),
  },
  {
    name: 'scope-of-heartbeats',
    section: '4.5',
    fault: 'confirms heartbeats of keys for all events only',
    alter: (parts) => ({
      acceptKey(value, side, action) {
        const key = parts.acceptKey(value, side, action);
        return side === 'heartbeat' && key?.events !== 'all' ? undefined : key;
      },
    }),
  },
  {
    name: 'scoped-cards-refused',
    section: '5',
    fault: 'refuses cards with a key for selected events',
    alter: (parts) => ({
      refuse: (ticket, action, side, key) =>
        key.events !== 'all' && ticket.usesAllowed > 1
          ? { status: 'exhausted', ticket }
          : parts.refuse(ticket, action, side, key),
    }),
  },
  {
    name: 'scoped-use-counts-twice',
    section: '5',
    fault: 'counts the uses of keys for selected events twice',
    alter: (parts) => ({
      register(ticket, side, key) {
        if (key.events !== 'all' && ticket.usesAllowed > 1) ticket.usesConsumed += 1;
        return parts.register(ticket, side, key);
      },
    }),
  },
  {
    name: 'scoped-card-without-its-moment',
    section: '5',
    fault: 'leaves scannedAt out when a key for selected events consumes a card',
    alter: ofScopedKeys((body) =>
      Number(body['usesAllowed']) > 1 ? without(body, 'scannedAt') : body,
    ),
  },
  {
    name: 'scoped-use-without-holder',
    section: '5',
    fault: 'leaves the holder out when a key for selected events takes the last use',
    alter: ofScopedKeys((body) =>
      body['status'] === 'consumed' && body['usesRemaining'] === 0 ? without(body, 'holder') : body,
    ),
  },
  {
    name: 'scope-refusal-takes-a-use',
    section: '5',
    fault: 'registers a use when it refuses a ticket out of scope on validate',
    alter: (parts, world) => ({
      inScope(key, id, side, action) {
        const inside = parts.inScope(key, id, side, action);
        const ticket = world.tickets.get(id);
        if (!inside && ticket && action === 'validate') ticket.usesConsumed += 1;
        return inside;
      },
    }),
  },
];
