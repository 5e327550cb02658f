import { setTimeout as sleep } from 'node:timers/promises';
import type { Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key, World } from '../reference/world.ts';
import { type Parts, reply, rest, type Twin } from './twin.ts';

/** Wide enough to be hit by a client that shares its thread with this server. */
const WINDOW_MS = 25;

/** Accepts keys that the right server refuses. */
function accepting(
  find: (value: string, world: World, side: string, action?: string) => Key | undefined,
) {
  return (parts: Parts, world: World): Partial<Parts> => ({
    acceptKey: (value, side, action) =>
      parts.acceptKey(value, side, action) ?? find(value ?? '', world, side, action),
  });
}

const disabled = (value: string, world: World) => world.keys.get(value);
const deleted = (value: string, world: World): Key | undefined =>
  world.deletedKeys.has(value)
    ? { value, type: 'rest', events: 'all', active: true, tokens: 100, filledAt: 0 }
    : undefined;
const isRest = (value: string) => value.includes('-rest-');

/** Registers a use when a card with that many uses left is validated. */
function takingOnValidate(where: Side, left: number): Alteration {
  return (parts) => ({
    refuse(ticket, action, side, key) {
      const refused = parts.refuse(ticket, action, side, key);
      const isLeft = ticket.usesAllowed > 1 && ticket.usesAllowed - ticket.usesConsumed === left;
      if (!refused && action === 'validate' && side === where && isLeft) ticket.usesConsumed += 1;
      return refused;
    },
  });
}

export const STATE_TWINS: readonly Twin[] = [
  {
    name: 'disabled-key-accepted',
    section: '3.1',
    fault: 'accepts disabled keys',
    alter: accepting((value, world, side) =>
      side === 'rest' && isRest(value) ? disabled(value, world) : undefined,
    ),
  },
  {
    name: 'disabled-key-consumes',
    section: '3.1',
    fault: 'accepts disabled keys on consume',
    alter: accepting((value, world, side, action) =>
      side === 'rest' && isRest(value) && action === 'consume' ? disabled(value, world) : undefined,
    ),
  },
  {
    name: 'disabled-hardware-key-accepted',
    section: '3.1',
    fault: 'accepts disabled hardware keys',
    alter: accepting((value, world, side) =>
      side !== 'rest' && !isRest(value) ? disabled(value, world) : undefined,
    ),
  },
  {
    name: 'disabled-hardware-key-consumes',
    section: '3.1',
    fault: 'accepts disabled hardware keys on consume',
    alter: accepting((value, world, side, action) =>
      side !== 'rest' && !isRest(value) && action === 'consume'
        ? disabled(value, world)
        : undefined,
    ),
  },
  {
    name: 'deleted-key-accepted',
    section: '3.1',
    fault: 'accepts deleted keys',
    alter: accepting((value, world, side) =>
      side === 'rest' && isRest(value) ? deleted(value, world) : undefined,
    ),
  },
  {
    name: 'deleted-key-consumes',
    section: '3.1',
    fault: 'accepts deleted keys on consume, from a cache',
    alter: accepting((value, world, side, action) =>
      side === 'rest' && isRest(value) && action === 'consume' ? deleted(value, world) : undefined,
    ),
  },
  {
    name: 'deleted-hardware-key-accepted',
    section: '3.1',
    fault: 'accepts deleted hardware keys',
    alter: accepting((value, world, side) =>
      side === 'hardware' && !isRest(value) ? deleted(value, world) : undefined,
    ),
  },
  {
    name: 'deleted-key-gone',
    section: '3.1',
    fault: 'answers 410 to a deleted key',
    alter: (parts, world) => ({
      finish(answer, incoming) {
        const key = parts.keyOf(incoming, 'rest') ?? '';
        return world.deletedKeys.has(key) ? { ...answer, status: 410 } : answer;
      },
    }),
  },
  {
    name: 'validate-consumes',
    section: '3.2',
    fault: 'registers a use on validate',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (!refused && action === 'validate' && side === 'rest') ticket.usesConsumed += 1;
        return refused;
      },
    }),
  },
  {
    name: 'used-up-card-is-single',
    section: '3.2',
    fault: 'calls a card single once it is used up',
    alter: rest((body, { status }) =>
      status === 'exhausted' ? { ...body, ticketType: 'single' } : body,
    ),
  },
  {
    name: 'validate-takes-the-last-use',
    section: '3.2',
    fault: 'registers a use when a card with one use left is validated',
    alter: takingOnValidate('rest', 1),
  },
  {
    name: 'device-validate-takes-the-last-use-but-one',
    section: '3.2',
    fault: 'registers a use when a device validates a card with two uses left',
    alter: takingOnValidate('hardware', 2),
  },
  {
    name: 'device-validate-consumes',
    section: '3.2',
    fault: 'registers a use when a device validates',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (!refused && action === 'validate' && side === 'hardware') ticket.usesConsumed += 1;
        return refused;
      },
    }),
  },
  {
    name: 'consume-not-stored',
    section: '3.2',
    fault: 'says consumed and stores nothing',
    alter: () => ({ register: () => undefined }),
  },
  {
    name: 'consume-counts-two',
    section: '3.2',
    fault: 'counts every use twice',
    alter: () => ({
      register(ticket) {
        ticket.usesConsumed = Math.min(ticket.usesAllowed, ticket.usesConsumed + 2);
      },
    }),
  },
  {
    name: 'one-use-too-many',
    section: '3.2',
    fault: 'compares the limit with > instead of >=',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        const isLast = ticket.usesConsumed === ticket.usesAllowed;
        return refused?.status === 'exhausted' && isLast ? undefined : refused;
      },
    }),
  },
  {
    name: 'card-ends-one-early',
    section: '3.2',
    fault: 'refuses the last use of a card',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const isLast = ticket.usesAllowed > 1 && ticket.usesConsumed === ticket.usesAllowed - 1;
        return isLast ? { status: 'exhausted', ticket } : parts.refuse(ticket, action, side, key);
      },
    }),
  },
  {
    name: 'card-ends-one-late',
    section: '3.2',
    fault: 'gives one use too many on cards',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        const isLast = ticket.usesAllowed > 1 && ticket.usesConsumed === ticket.usesAllowed;
        return refused?.status === 'exhausted' && isLast ? undefined : refused;
      },
    }),
  },
  {
    name: 'permanent-uncounted',
    section: '3.2',
    fault: 'does not count the uses of permanent cards',
    alter: (parts) => ({
      register: (ticket, side, key) =>
        ticket.usesAllowed === 9999 ? undefined : parts.register(ticket, side, key),
    }),
  },
  {
    name: 'counter-as-flag',
    section: '3.2',
    fault: 'stores that a card was used, not how often',
    alter: () => ({
      register(ticket) {
        ticket.usesConsumed = 1;
      },
    }),
  },
  {
    name: 'device-consume-uncounted',
    section: '3.2',
    fault: 'opens doors without counting',
    alter: (parts) => ({
      register: (ticket, side, key) =>
        side === 'hardware' ? undefined : parts.register(ticket, side, key),
    }),
  },
  {
    name: 'device-repeats-ignored',
    section: '3.2',
    fault: 'takes the same card at the same reader for one scan, for a minute',
    alter: (parts) => {
      const answers = new Map<string, Record<string, unknown>>();
      return {
        refuse(ticket, action, side, key) {
          if (side === 'hardware' && action === 'consume' && answers.has(ticket.id))
            return { status: 'repeated', ticket };
          return parts.refuse(ticket, action, side, key);
        },
        deviceBody(outcome, action) {
          const kept = answers.get(outcome.ticket?.id ?? '');
          if (outcome.status === 'repeated' && kept) return kept;
          const body = parts.deviceBody(outcome, action);
          if (outcome.status === 'consumed' && outcome.ticket) answers.set(outcome.ticket.id, body);
          return body;
        },
      };
    },
  },
  {
    name: 'counter-by-side',
    section: '3.2',
    fault: 'keeps a counter of its own for devices',
    alter: (parts) => {
      const atDevices = new Map<string, number>();
      return {
        refuse(ticket, action, side, key) {
          if (side !== 'hardware') return parts.refuse(ticket, action, side, key);
          const before = ticket.lastScan ? 0 : ticket.usesConsumed;
          const usesConsumed = atDevices.get(ticket.id) ?? before;
          return parts.refuse({ ...ticket, usesConsumed }, action, side, key);
        },
        register(ticket, side, key) {
          if (side !== 'hardware') return parts.register(ticket, side, key);
          atDevices.set(ticket.id, (atDevices.get(ticket.id) ?? 0) + 1);
        },
      };
    },
  },
  {
    name: 'counter-by-key',
    section: '3.2',
    fault: 'counts uses by key',
    alter: (parts) => {
      const used = new Map<string, number>();
      const nameOf = (id: string, key: Key) => `${id} ${key.events === 'all' ? 'all' : 'some'}`;
      return {
        refuse(ticket, action, side, key) {
          const usesConsumed =
            used.get(nameOf(ticket.id, key)) ?? (ticket.lastScan ? 0 : ticket.usesConsumed);
          return parts.refuse({ ...ticket, usesConsumed }, action, side, key);
        },
        register(ticket, side, key) {
          used.set(nameOf(ticket.id, key), (used.get(nameOf(ticket.id, key)) ?? 0) + 1);
          return parts.register(ticket, side, key);
        },
      };
    },
  },
  {
    name: 'counter-by-type',
    section: '3.2',
    fault: 'exhausts the single tickets of a family together',
    alter: (parts, world) => ({
      register(ticket, side, key) {
        const singles = [...world.tickets.values()].filter(({ usesAllowed }) => usesAllowed === 1);
        const next = singles[singles.indexOf(ticket) + 1];
        if (next && ticket.usesAllowed === 1) next.usesConsumed = 1;
        return parts.register(ticket, side, key);
      },
    }),
  },
  {
    name: 'refused-use-counted',
    section: '3.2',
    fault: 'counts refused scans of exhausted tickets',
    alter: (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (refused?.status === 'exhausted' && action === 'consume') {
          ticket.usesConsumed += 1;
          ticket.usesAllowed += 1;
        }
        return refused;
      },
    }),
  },
  {
    name: 'race-window',
    section: '3.2',
    fault: 'has a moment between the check and the use',
    alter: () => ({
      async register(ticket) {
        await sleep(WINDOW_MS);
        ticket.usesConsumed += 1;
      },
    }),
  },
  {
    name: 'race-window-at-devices',
    section: '3.2',
    fault: 'locks on REST, but not at devices',
    alter: (parts) => ({
      async register(ticket, side, key) {
        if (side === 'hardware') await sleep(WINDOW_MS);
        await parts.register(ticket, side, key);
      },
    }),
  },
  {
    name: 'lost-update',
    section: '3.2',
    fault: 'writes back the number it read before',
    alter: () => ({
      async register(ticket) {
        const read = ticket.usesConsumed;
        await sleep(WINDOW_MS);
        ticket.usesConsumed = read + 1;
      },
    }),
  },
  {
    name: 'permanent-lost-update',
    section: '3.2',
    fault: 'writes back the number it read before, of permanent cards only',
    alter: (parts) => ({
      async register(ticket, side, key) {
        if (ticket.usesAllowed !== 9999) return parts.register(ticket, side, key);
        const read = ticket.usesConsumed;
        await sleep(WINDOW_MS);
        ticket.usesConsumed = read + 1;
      },
    }),
  },
  {
    name: 'permanent-busy-is-exhausted',
    section: '3.2',
    fault: 'refuses a permanent card while it is being consumed at another gate',
    alter: (parts) => {
      const busy = new Set<string>();
      return {
        refuse(ticket, action, side, key) {
          const refused = parts.refuse(ticket, action, side, key);
          if (refused || action === 'validate') return refused;
          return busy.has(ticket.id) ? { status: 'exhausted', ticket } : undefined;
        },
        async register(ticket, side, key) {
          if (ticket.usesAllowed === 9999) {
            busy.add(ticket.id);
            await sleep(WINDOW_MS);
            busy.delete(ticket.id);
          }
          await parts.register(ticket, side, key);
        },
      };
    },
  },
  {
    name: 'busy-is-exhausted',
    section: '3.2',
    fault: 'refuses a ticket while another one is being consumed',
    alter: (parts) => {
      let busy = false;
      return {
        refuse(ticket, action, side, key) {
          const refused = parts.refuse(ticket, action, side, key);
          if (refused || action === 'validate') return refused;
          return busy ? { status: 'exhausted', ticket } : undefined;
        },
        async register(ticket, side, key) {
          busy = true;
          await sleep(WINDOW_MS);
          await parts.register(ticket, side, key);
          busy = false;
        },
      };
    },
  },
  {
    name: 'losers-of-a-race-crash',
    section: '3.2',
    fault: 'answers 500 to whoever loses a race',
    alter: (parts) => {
      const locked = new Set<string>();
      return {
        refuse(ticket, action, side, key) {
          if (action === 'consume' && locked.has(ticket.id)) throw new Error('could not serialise');
          return parts.refuse(ticket, action, side, key);
        },
        async register(ticket, side, key) {
          locked.add(ticket.id);
          await parts.register(ticket, side, key);
          await sleep(WINDOW_MS);
          locked.delete(ticket.id);
        },
      };
    },
  },
  {
    name: 'answers-mixed-up',
    section: '3.2',
    fault: 'gives the answer of another ticket when several are consumed at once',
    alter: (parts) => {
      let shared: Parameters<Parts['restBody']>[0] | undefined;
      let running = 0;
      return {
        async register(ticket, side, key) {
          running += 1;
          await parts.register(ticket, side, key);
          await sleep(WINDOW_MS);
          shared =
            running > 1 ? (shared ?? { status: 'consumed', ticket: { ...ticket } }) : undefined;
          running -= 1;
        },
        restBody: (outcome, action) =>
          parts.restBody(
            outcome.status === 'consumed' && shared?.ticket
              ? { ...outcome, ticket: shared.ticket }
              : outcome,
            action,
          ),
      };
    },
  },
];

export const METHOD_TWINS: readonly Twin[] = [
  {
    name: 'any-method',
    section: '4',
    fault: 'takes any method',
    alter: () => ({ isMethodAllowed: () => true }),
  },
  {
    name: 'get-too',
    section: '4',
    fault: 'takes GET as well',
    alter: () => ({ isMethodAllowed: (method) => method === 'POST' || method === 'GET' }),
  },
  {
    name: 'put-too',
    section: '4',
    fault: 'takes PUT as well',
    alter: () => ({ isMethodAllowed: (method) => method === 'POST' || method === 'PUT' }),
  },
  {
    name: 'head-of-nothing',
    section: '4.1',
    fault: 'does not serve /scan/validate at all',
    alter: reply((answer, path) =>
      path === '/scan/validate'
        ? { ...answer, status: 404, body: { message: 'Not Found' } }
        : answer,
    ),
  },
];
