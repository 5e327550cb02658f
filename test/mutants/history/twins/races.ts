import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Outcome, Parts, Reply } from '../../reference/parts.ts';
import type { ServerOptions } from '../../reference/server.ts';
import type { Ticket, World } from '../../reference/world.ts';
import {
  codeIn,
  type HistoryTwin,
  idIn,
  isConsume,
  requestOf,
  slowly,
  socketOf,
  soon,
  twin,
} from './twin.ts';

/** Registers a use as a server without locks does: it reads, waits, and writes. */
async function unlocked(ticket: Ticket): Promise<void> {
  const { usesConsumed } = ticket;
  await soon();
  ticket.usesConsumed = usesConsumed + 1;
}

/** Servers that are right as long as one request comes after another. */
export const RACE_TWINS: readonly HistoryTwin[] = [
  twin('lost-update', 'has no lock', () => () => ({ register: (ticket) => unlocked(ticket) })),
  twin('lost-update-of-devices', 'has no lock for devices', () => (parts) => ({
    register: (ticket, side, key) =>
      side === 'hardware' ? unlocked(ticket) : parts.register(ticket, side, key),
  })),
  twin('lost-update-of-cards', 'has no lock for cards', () => (parts) => ({
    register: (ticket, side, key) =>
      ticket.type === 'multi' ? unlocked(ticket) : parts.register(ticket, side, key),
  })),
  twin('lock-by-side', 'has a lock for devices and another for software', () => {
    const busy = new Map<string, string>();
    return () => ({
      async register(ticket, side) {
        const other = busy.get(ticket.id);
        const { usesConsumed } = ticket;
        if (other === undefined || other === side) ticket.usesConsumed += 1;
        busy.set(ticket.id, side);
        await soon();
        if (other !== undefined && other !== side) ticket.usesConsumed = usesConsumed;
        busy.delete(ticket.id);
      },
    });
  }),
  twin('lock-by-key', 'has a lock for each key', () => {
    const busy = new Map<string, string>();
    return () => ({
      async register(ticket, _side, key) {
        const other = busy.get(ticket.id);
        if (other === undefined || other === key.value) ticket.usesConsumed += 1;
        busy.set(ticket.id, key.value);
        await soon();
        busy.delete(ticket.id);
      },
    });
  }),
  twin('validate-writes-back', 'writes the ticket back as validate had read it', () => (parts) => ({
    refuse(ticket, action, side, key) {
      const { usesConsumed } = ticket;
      const writeBack = () => {
        ticket.usesConsumed = usesConsumed;
      };
      if (action === 'validate') void soon().then(soon).then(writeBack);
      return parts.refuse(ticket, action, side, key);
    },
  })),
  twin('busy-is-exhausted', 'calls a ticket used up while another request has it', () => {
    const busy = new Set<string>();
    return () => ({
      ...exhaustedWhile((ticket) => busy.has(ticket.id)),
      async register(ticket) {
        busy.add(ticket.id);
        ticket.usesConsumed += 1;
        await soon();
        busy.delete(ticket.id);
      },
    });
  }),
  twin('busy-is-an-error', 'answers 500 while another request has the ticket', () => {
    const busy = new Set<string>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        if (busy.has(ticket.id)) throw new Error('locked');
        return parts.refuse(ticket, action, side, key);
      },
      async register(ticket) {
        busy.add(ticket.id);
        ticket.usesConsumed += 1;
        await soon();
        busy.delete(ticket.id);
      },
    });
  }),
  inFlight(
    'validate-in-flight-hides-a-use',
    'does not count a consume while a validate is in flight',
    {
      isWatched: ({ url }) => url === '/scan/validate',
      alter: (count) => (parts) => ({
        register: (ticket, side, key) =>
          count() > 0 ? undefined : parts.register(ticket, side, key),
      }),
    },
  ),
  inFlight('heartbeat-in-flight-doubles', 'counts twice while a heartbeat is in flight', {
    isWatched: ({ url = '' }) => url.includes('heartbeat'),
    alter: (count) => (parts) => ({
      register(ticket, side, key) {
        if (count() > 0 && ticket.usesConsumed < ticket.usesAllowed - 1) ticket.usesConsumed += 1;
        return parts.register(ticket, side, key);
      },
    }),
  }),
  inFlight('device-in-flight-blocks', 'refuses software for the key while a device is in flight', {
    isWatched: ({ url = '' }) => url.includes('/hw/'),
    alter: (count) => (parts) => ({
      acceptKey: (value, side, action) =>
        side === 'rest' && count() > 0 ? undefined : parts.acceptKey(value, side, action),
    }),
  }),
  inFlight('crowd-gets-errors', 'answers 500 to more than four at once', {
    isWatched: () => true,
    alter: (count) => (parts) => ({
      find(id) {
        if (count() > 4) throw new Error('pool exhausted');
        return parts.find(id);
      },
    }),
  }),
  inFlight('crowd-gets-in', 'forgets to count when more than six come at once', {
    isWatched: () => true,
    alter: (count) => (parts) => ({
      register: (ticket, side, key) =>
        count() > 6 ? undefined : parts.register(ticket, side, key),
    }),
  }),
  inFlight('crowd-skips-the-signature', 'skips the signature when more than five come at once', {
    isWatched: () => true,
    alter: (count) => (parts) => ({
      verify: (code, side, action) =>
        parts.verify(code, side, action) ?? (count() > 5 ? idIn(code) : undefined),
    }),
  }),
  sharedAnswer('coalesced', 'gives all who consume a ticket at once the same answer', (incoming) =>
    isConsume(incoming) ? `${incoming.path} ${codeIn(incoming)}` : undefined,
  ),
  sharedAnswer(
    'shared-by-key',
    'gives all who validate with a key at once the first answer',
    (incoming) =>
      incoming.path === '/scan/validate'
        ? String(incoming.request.headers['x-api-key'])
        : undefined,
  ),
  sharedAnswer('heartbeats-mixed', 'gives heartbeats at once the same answer', (incoming) =>
    incoming.path.endsWith('heartbeat') ? 'heartbeat' : undefined,
  ),
  twin(
    'pipelined-answers-swapped',
    'gives the second of two pipelined requests the first answer',
    () => {
      const answers = new WeakMap<Socket, Reply>();
      return (parts) => ({
        finish(reply, incoming) {
          const right = parts.finish(reply, incoming);
          const socket = socketOf(incoming);
          const before = answers.get(socket);
          answers.set(socket, right);
          // who waits for an answer asks again in a later turn of the event loop, however busy the machine is
          setImmediate(() => answers.delete(socket));
          return before ?? right;
        },
      });
    },
  ),
  abandonedTwin(
    'abandoned-use-doubled',
    'counts a use twice when the client goes away',
    (ticket) => {
      ticket.usesConsumed = Math.min(ticket.usesAllowed, ticket.usesConsumed + 2);
    },
  ),
  abandonedTwin('abandoned-resets', 'starts to count anew when a client goes away', (ticket) => {
    ticket.usesConsumed = 0;
  }),
];

function exhaustedWhile(isBusy: (ticket: Ticket) => boolean): Partial<Parts> {
  return {
    refuse: (ticket): Outcome | undefined =>
      isBusy(ticket) || ticket.usesConsumed >= ticket.usesAllowed
        ? { status: 'exhausted', ticket: { ...ticket, usesConsumed: ticket.usesAllowed } }
        : undefined,
  };
}

interface InFlight {
  readonly isWatched: (request: IncomingMessage) => boolean;
  /** @param count how many watched requests are in flight besides this one */
  readonly alter: (count: () => number) => (parts: Parts, world: World) => Partial<Parts>;
}

function inFlight(name: string, fault: string, { isWatched, alter }: InFlight): HistoryTwin {
  return {
    name,
    fault,
    make(): ServerOptions {
      const open = new Set<IncomingMessage>();
      let current: IncomingMessage | undefined;
      const others = () => open.size - (current && open.has(current) ? 1 : 0);
      return {
        alter: (parts, world) => ({
          ...alter(others)(parts, world),
          keyOf(incoming, side) {
            current = requestOf(incoming);
            if (isWatched(current)) open.add(current);
            return parts.keyOf(incoming, side);
          },
        }),
        write: slowly((request) => open.delete(request)),
      };
    },
  };
}

/** Requests of the same name that come while the first is being answered share its answer. */
function sharedAnswer(
  name: string,
  fault: string,
  nameOf: (incoming: Parameters<Parts['finish']>[1]) => string | undefined,
): HistoryTwin {
  return {
    name,
    fault,
    make(): ServerOptions {
      const answers = new Map<string, Reply>();
      const names = new WeakMap<IncomingMessage, string>();
      return {
        alter: (parts) => ({
          finish(reply, incoming) {
            const right = parts.finish(reply, incoming);
            const shared = nameOf(incoming);
            if (shared === undefined || right.status !== 200) return right;
            const first = answers.get(shared);
            if (first) return first;
            answers.set(shared, right);
            names.set(requestOf(incoming), shared);
            return right;
          },
        }),
        write: slowly((request) => answers.delete(names.get(request) ?? '')),
      };
    },
  };
}

function abandonedTwin(name: string, fault: string, harm: (ticket: Ticket) => void): HistoryTwin {
  return {
    name,
    fault,
    make(): ServerOptions {
      return {
        alter: (parts, world) => ({
          finish(reply, incoming) {
            const ticket = world.tickets.get(idIn(codeIn(incoming)) ?? '');
            const socket = socketOf(incoming);
            const isOpen = isConsume(incoming) && ticket !== undefined && ticket.usesAllowed > 1;
            if (isOpen) {
              const gone = () => harm(ticket);
              socket.once('close', gone);
              setTimeout(() => socket.removeListener('close', gone), 2.5);
            }
            return parts.finish(reply, incoming);
          },
        }),
        write: slowly(),
      };
    },
  };
}
