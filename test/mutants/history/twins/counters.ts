import type { Socket } from 'node:net';
import type { Ticket } from '../../reference/world.ts';
import { type HistoryTwin, isConsume, socketOf, Tally, ticketIn, twin } from './twin.ts';

/** Takes a use without an answer that says so. */
function take(ticket: Ticket | undefined): void {
  if (ticket && ticket.usesConsumed < ticket.usesAllowed) ticket.usesConsumed += 1;
}

/** Gives a use back. */
function giveBack(ticket: Ticket | undefined): void {
  if (ticket && ticket.usesConsumed > 0 && ticket.usesAllowed > 1) ticket.usesConsumed -= 1;
}

/** Servers whose counters are right at first and wrong after some requests. */
export const COUNTER_TWINS: readonly HistoryTwin[] = [
  twin('counter-wraps', 'counts the uses of a permanent card up to 16', () => (parts) => ({
    register(ticket, side, key) {
      if (ticket.usesAllowed > 100 && ticket.usesConsumed >= 15) ticket.usesConsumed = -1;
      return parts.register(ticket, side, key);
    },
  })),
  twin('tenth-use-lost', 'loses every tenth use', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      register: (ticket, side, key) =>
        tally.add('') % 10 === 0 ? undefined : parts.register(ticket, side, key),
    });
  }),
  twin('tenth-use-of-a-card-lost', 'loses the tenth use of a card', () => (parts) => ({
    register: (ticket, side, key) =>
      ticket.usesConsumed === 9 ? undefined : parts.register(ticket, side, key),
  })),
  twin('eighth-use-doubled', 'counts every eighth use of a device twice', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      register(ticket, side, key) {
        if (side === 'hardware' && tally.add('') % 8 === 0) take(ticket);
        return parts.register(ticket, side, key);
      },
    });
  }),
  twin(
    'exhausted-gives-back',
    'gives a use back when a card is refused as used up',
    () => (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (refused?.status === 'exhausted') giveBack(ticket);
        return refused;
      },
    }),
  ),
  twin(
    'validate-gives-back',
    'gives a use back when a device validates a used card',
    () => (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (action === 'validate' && side === 'hardware' && ticket.usesConsumed > 1)
          giveBack(ticket);
        return refused;
      },
    }),
  ),
  twin('third-validate-takes-a-use', 'takes a use on the third validate in a row', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (!refused && action === 'validate' && tally.add(ticket.id) % 3 === 0) take(ticket);
        return refused;
      },
    });
  }),
  ...(['gives back', 'takes'] as const).map((what) =>
    twin(
      `heartbeat-${what.replace(' ', '-')}`,
      `${what} a use of the last ticket on a heartbeat`,
      () => {
        let last: Ticket | undefined;
        return (parts) => ({
          find(id) {
            last = parts.find(id);
            return last;
          },
          heartbeatBody(incoming) {
            if (what === 'takes') take(last);
            else giveBack(last);
            return parts.heartbeatBody(incoming);
          },
        });
      },
    ),
  ),
  takesWhen(
    'forgery-takes-a-use',
    'takes a use for a forged code',
    (reply) => JSON.stringify(reply.body).match(/invalid_ticket|Ungültiges/) !== null,
  ),
  takesWhen(
    'scope-refusal-takes-a-use',
    'takes a use when the scope refuses',
    ({ status }) => status === 403,
  ),
  takesWhen(
    'key-refusal-takes-a-use',
    'takes a use when the key is refused',
    ({ status }) => status === 401,
  ),
  twin(
    'missing-code-takes-a-use',
    'takes a use of the ticket before when the code is missing',
    () => {
      let last: Ticket | undefined;
      return (parts, world) => ({
        finish(reply, incoming) {
          if (reply.status === 400) take(last);
          last = ticketIn(world, incoming) ?? last;
          return parts.finish(reply, incoming);
        },
      });
    },
  ),
  counterPer('counter-by-key', 'counts the uses of each key apart', ({ key }) => key),
  counterPer(
    'counter-by-side',
    'counts the uses of devices and software apart',
    ({ side }) => side,
  ),
  twin('counter-by-connection', 'counts the uses of each connection apart', () => {
    const counts = new WeakMap<Socket, Map<string, number>>();
    let socket: Socket | undefined;
    return (parts) => ({
      keyOf(incoming, side) {
        socket = socketOf(incoming);
        return parts.keyOf(incoming, side);
      },
      refuse(ticket, action, side, key) {
        const count = (socket && counts.get(socket)?.get(ticket.id)) ?? ticket.usesConsumed;
        ticket.usesConsumed = count;
        return parts.refuse(ticket, action, side, key);
      },
      register(ticket, side, key) {
        const own = (socket && counts.get(socket)) ?? new Map<string, number>();
        own.set(ticket.id, ticket.usesConsumed + 1);
        if (socket) counts.set(socket, own);
        return parts.register(ticket, side, key);
      },
    });
  }),
  twin(
    'counts-on-the-validated-ticket',
    'takes the use from the ticket that was validated last',
    () => {
      let validated: Ticket | undefined;
      return (parts) => ({
        refuse(ticket, action, side, key) {
          const refused = parts.refuse(ticket, action, side, key);
          if (action === 'validate' && !refused) validated = ticket;
          return refused;
        },
        register: (ticket, side, key) => {
          const hasUses = validated && validated.usesConsumed < validated.usesAllowed;
          return parts.register(hasUses && validated ? validated : ticket, side, key);
        },
      });
    },
  ),
  twin('second-on-a-connection-lost', 'stores only the first use of a connection', () => {
    const used = new WeakSet<Socket>();
    let socket: Socket | undefined;
    return (parts) => ({
      keyOf(incoming, side) {
        socket = socketOf(incoming);
        return parts.keyOf(incoming, side);
      },
      register(ticket, side, key) {
        const isSecond = socket !== undefined && used.has(socket);
        if (socket) used.add(socket);
        return isSecond ? undefined : parts.register(ticket, side, key);
      },
    });
  }),
  twin('third-on-a-connection-doubled', 'counts the third use of a connection twice', () => {
    const used = new Tally<Socket | undefined>();
    let socket: Socket | undefined;
    return (parts) => ({
      keyOf(incoming, side) {
        socket = socketOf(incoming);
        return parts.keyOf(incoming, side);
      },
      register(ticket, side, key) {
        if (used.add(socket) % 3 === 0) take(ticket);
        return parts.register(ticket, side, key);
      },
    });
  }),
  twin('replica-lags', 'shows software the counter as it was before the last use', () => {
    const before = new Map<string, number>();
    return (parts) => ({
      register(ticket, side, key) {
        before.set(ticket.id, ticket.usesConsumed);
        return parts.register(ticket, side, key);
      },
      finish(reply, incoming) {
        const { ticketId, usesAllowed } = reply.body as Record<string, unknown>;
        const old = before.get(String(ticketId));
        if (incoming.path !== '/scan/validate' || old === undefined)
          return parts.finish(reply, incoming);
        before.delete(String(ticketId));
        const usesRemaining = Number(usesAllowed) - old;
        const body = { ...(reply.body as object), usesConsumed: old, usesRemaining };
        return parts.finish({ ...reply, body }, incoming);
      },
    });
  }),
  twin('second-key-resets', 'starts to count anew when a second key scans the ticket', () => {
    const firsts = new Map<string, string>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        const first = firsts.get(ticket.id) ?? key.value;
        if (first !== key.value && ticket.usesAllowed > 1) ticket.usesConsumed = 0;
        firsts.set(ticket.id, key.value);
        return parts.refuse(ticket, action, side, key);
      },
    });
  }),
  twin('repeat-undoes', 'takes a consume back when the same request comes twice in a row', () => {
    let last = '';
    return (parts, world) => ({
      finish(reply, incoming) {
        const name = incoming.path + incoming.body.toString();
        if (isConsume(incoming) && name === last) giveBack(ticketIn(world, incoming));
        last = name;
        return parts.finish(reply, incoming);
      },
    });
  }),
  {
    ...twin('pause-forgets', 'forgets the last use of a card after a pause', () => {
      const at = new Map<string, number>();
      // on a busy machine as much time passes between two requests without a pause
      const idleMs = () => performance.eventLoopUtilization().idle;
      return (parts) => ({
        refuse(ticket, action, side, key) {
          const seen = at.get(ticket.id);
          if (seen !== undefined && idleMs() - seen > 90) giveBack(ticket);
          at.set(ticket.id, idleMs());
          return parts.refuse(ticket, action, side, key);
        },
      });
    }),
    isAlone: true,
  },
  twin('limited-takes-a-use', 'takes a use when the rate limit refuses', () => (_, world) => {
    let tokens = 8;
    let filledAt = performance.now();
    return {
      withinLimit(_key, incoming) {
        const now = performance.now();
        tokens = Math.min(8, tokens + (now - filledAt) / 10);
        filledAt = now;
        if (tokens < 1 && isConsume(incoming)) take(ticketIn(world, incoming));
        if (tokens < 1) return false;
        tokens -= 1;
        return true;
      },
    };
  }),
  twin('device-after-software', 'lets a device in on a single ticket that software used', () => {
    const bySoftware = new Set<string>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (refused?.status !== 'exhausted' || side === 'rest') return refused;
        return bySoftware.delete(ticket.id) ? undefined : refused;
      },
      register(ticket, side, key) {
        if (side === 'rest') bySoftware.add(ticket.id);
        return parts.register(ticket, side, key);
      },
    });
  }),
  twin('last-use-twice', 'gives the last use of a card again after a validate', () => (parts) => ({
    refuse(ticket, action, side, key) {
      const refused = parts.refuse(ticket, action, side, key);
      if (refused?.status === 'exhausted' && action === 'validate') giveBack(ticket);
      return refused;
    },
  })),
];

/** Takes a use although the answer refuses. */
function takesWhen(
  name: string,
  fault: string,
  isRefused: (reply: { readonly status: number; readonly body: unknown }) => boolean,
): HistoryTwin {
  return twin(name, fault, () => (parts, world) => ({
    finish(reply, incoming) {
      const right = parts.finish(reply, incoming);
      if (isConsume(incoming) && isRefused(right)) take(ticketIn(world, incoming));
      return right;
    },
  }));
}

/** Keeps a counter for each of something where there should be one. */
function counterPer(
  name: string,
  fault: string,
  nameOf: (who: { readonly key: string; readonly side: string }) => string,
): HistoryTwin {
  return twin(name, fault, () => {
    const counts = new Map<string, number>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        const own = `${ticket.id} ${nameOf({ key: key.value, side })}`;
        if (!ticket.cancelled && ticket.usesAllowed < 9999 && ticket.lastScan !== undefined)
          ticket.usesConsumed = counts.get(own) ?? 0;
        return parts.refuse(ticket, action, side, key);
      },
      register(ticket, side, key) {
        const own = `${ticket.id} ${nameOf({ key: key.value, side })}`;
        counts.set(own, ticket.usesConsumed + 1);
        return parts.register(ticket, side, key);
      },
    });
  });
}
