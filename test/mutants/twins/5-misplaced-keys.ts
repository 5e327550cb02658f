import type { Incoming, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key, World } from '../reference/world.ts';
import { parsed, type Twin } from './twin.ts';

const TYPES = ['rest', 'hardware'] as const;
const STATES = ['good', 'disabled', 'deleted'] as const;
type State = (typeof STATES)[number];

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Where a server may look for a key. */
const PLACES: Readonly<Record<string, (incoming: Incoming) => string | undefined>> = {
  header: ({ request }) => textOf(request.headers['x-api-key']),
  query: ({ query }) => query.get('key') ?? undefined,
  body: ({ body }) => textOf(parsed(body)?.['key']),
  bearer: ({ request }) => textOf(request.headers['authorization'])?.replace(/^Bearer /, ''),
  cookie: ({ request }) => /key=([^;]+)/.exec(textOf(request.headers['cookie']) ?? '')?.[1],
};

const WORDS: Readonly<Record<string, string>> = {
  header: 'the header x-api-key',
  query: 'the query',
  body: 'the body',
  bearer: '`Authorization: Bearer`',
  cookie: 'a cookie',
};

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
function taking(type: Key['type'], state: State, place: string): Alteration {
  return (parts, world) => {
    let taken: Key | undefined;
    return {
      keyOf(incoming: Incoming, side: Side) {
        const found = PLACES[place]?.(incoming);
        taken = found === undefined ? undefined : keyOf(world, found, type, state);
        return parts.keyOf(incoming, side);
      },
      acceptKey: (value, side, action) => taken ?? parts.acceptKey(value, side, action),
    };
  };
}

/** Every type and state of a key, taken from every place: what the right server does not take must be refused. */
export const MISPLACED_KEY_TWINS: readonly Twin[] = TYPES.flatMap((type) =>
  STATES.flatMap((state) =>
    Object.keys(PLACES).map(
      (place): Twin => ({
        name: `${state}-${type}-key-in-${place}`,
        section: state === 'good' ? '5' : '3.1',
        fault: `takes ${state} ${type === 'rest' ? 'REST' : type} keys from ${WORDS[place]}`,
        alter: taking(type, state, place),
      }),
    ),
  ),
);
