import type { Side } from '../reference/parts.ts';
import type { Key, World } from '../reference/world.ts';
import type { Parts, Twin } from './twin.ts';

/**
 * Decides about keys by what it knew of them, instead of by what they are now.
 * @param keepMs so long; after one more request where it is undefined
 */
function remembering(keepMs?: number) {
  return (parts: Parts, world: World): Partial<Parts> => {
    const known = new Map<string, { key: Key; at: number }>();
    const remembered = (id: string, key: Key): Key => {
      const memory = known.get(id);
      const now = performance.now();
      const isOld = memory === undefined || now - memory.at > (keepMs ?? Number.POSITIVE_INFINITY);
      if (isOld || keepMs === undefined) known.set(id, { key: { ...key }, at: now });
      return isOld ? key : memory.key;
    };
    return {
      acceptKey(value = '', side, action) {
        const key = world.keys.get(value) ?? { ...NO_KEY, value };
        const used = remembered(`${value} ${side}`, key);
        if (used.type !== (side === 'rest' ? 'rest' : 'hardware')) return undefined;
        return used.active ? used : parts.acceptKey(undefined, side, action);
      },
    };
  };
}

const NO_KEY: Key = {
  value: '',
  type: 'rest',
  events: 'all',
  active: false,
  tokens: 1,
  filledAt: 0,
};

/** Accepts some keys otherwise than the right server. */
function accepting(
  decide: (key: Key | undefined, right: Key | undefined, side: Side) => Key | undefined,
) {
  return (parts: Parts, world: World): Partial<Parts> => ({
    acceptKey(value, side, action) {
      const right = parts.acceptKey(value, side, action);
      return decide(world.keys.get(value ?? ''), right, side);
    },
  });
}

/** Servers on which a change of a key takes effect late, in part, or with others. */
export const KEY_CHANGE_TWINS: readonly Twin[] = [
  {
    name: 'key-changes-one-request-late',
    section: '3.1',
    fault: 'lets a change of a key take effect one request late',
    alter: remembering(),
  },
  {
    name: 'keys-cached-for-a-second',
    section: '3.1',
    fault: 'keeps keys in a cache for a second',
    alter: remembering(1000),
  },
  {
    name: 'renamed-key-ends',
    section: '3.1',
    fault: 'refuses a key that was renamed',
    alter: accepting((key, right) => (key?.name?.includes('renamed') ? undefined : right)),
  },
  {
    name: 'scoped-key-ends',
    section: '3.1',
    fault: 'refuses a key whose scope was changed, until that is undone',
    alter: accepting((key, right) => (key?.isEdited && key.events !== 'all' ? undefined : right)),
  },
  {
    name: 'enabled-key-stays-refused',
    section: '3.1',
    fault: 'refuses a key for good that was disabled once',
    alter(parts) {
      const refused = new Set<string | undefined>();
      return {
        acceptKey(value, side, action) {
          const right = parts.acceptKey(value, side, action);
          if (!right) refused.add(value);
          return refused.has(value) ? undefined : right;
        },
      };
    },
  },
  {
    name: 'deleted-key-heartbeats',
    section: '3.1',
    fault: 'confirms heartbeats of a key that was deleted',
    alter: (parts, world) => ({
      acceptKey: (value, side, action) =>
        parts.acceptKey(value, side, action) ??
        (side === 'heartbeat' && world.deletedKeys.has(value ?? '')
          ? { ...NO_KEY, type: 'hardware' }
          : undefined),
    }),
  },
];
