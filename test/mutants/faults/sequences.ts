import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Incoming, Outcome, Reply } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Ticket } from '../reference/world.ts';
import {
  AFTERWARDS,
  type Body,
  codeIn,
  type Fault,
  type FaultyServer,
  faults,
  idIn,
  isConsume,
  remembering,
  requestOf,
  slowly,
  socketOf,
  soon,
  step,
  Tally,
  ticketIn,
  together,
} from './faulty-server.ts';

/** Takes a use without an answer that says so. */
function take(ticket: Ticket | undefined): void {
  if (ticket && ticket.usesConsumed < ticket.usesAllowed) ticket.usesConsumed += 1;
}

/** Gives a use back. */
function giveBack(ticket: Ticket | undefined): void {
  if (ticket && ticket.usesConsumed > 0 && ticket.usesAllowed > 1) ticket.usesConsumed -= 1;
}

/** Does something with a ticket that was judged. */
const onJudging = (
  act: (ticket: Ticket, refused: Outcome | undefined, action: string, side: string) => void,
): Alteration =>
  step('refuse', ({ next }, ticket, action, side) => {
    const refused = next();
    act(ticket, refused, action, side);
    return refused;
  });

/** Counts the uses of one in so many otherwise. */
const everyUse = (
  count: number,
  isCounted: (side: string) => boolean,
  register: (ticket: Ticket, next: () => void | Promise<void>) => void | Promise<void>,
): Alteration =>
  remembering(() => {
    let seen = 0;
    return step('register', ({ next }, ticket, side) => {
      if (isCounted(side)) seen += 1;
      return isCounted(side) && seen % count === 0 ? register(ticket, next) : next();
    });
  });

/** Takes a use although the answer refuses. */
const takesWhen = (isRefused: (reply: Reply) => boolean): Alteration =>
  step('finish', ({ next, world }, _, incoming) => {
    const right = next();
    if (isConsume(incoming) && isRefused(right)) take(ticketIn(world, incoming));
    return right;
  });

/** Keeps a counter for each of something where there should be one. */
const counterPer = (nameOf: (key: string, side: string) => string): Alteration =>
  remembering(() => {
    const counts = new Map<string, number>();
    return together(
      step('refuse', ({ next }, ticket, _, side, key) => {
        const own = `${ticket.id} ${nameOf(key.value, side)}`;
        if (!ticket.cancelled && ticket.usesAllowed < 9999 && ticket.lastScan !== undefined)
          ticket.usesConsumed = counts.get(own) ?? 0;
        return next();
      }),
      step('register', ({ next }, ticket, side, key) => {
        counts.set(`${ticket.id} ${nameOf(key.value, side)}`, ticket.usesConsumed + 1);
        return next();
      }),
    );
  });

const onHeartbeat = (act: (ticket: Ticket | undefined) => void): Alteration =>
  remembering(() => {
    let last: Ticket | undefined;
    return together(
      step('find', ({ next }) => {
        last = next();
        return last;
      }),
      step('heartbeatBody', ({ next }) => {
        act(last);
        return next();
      }),
    );
  });

/** Registers the uses of a connection in its own way. */
const onConnection = (
  register: (
    socket: Socket | undefined,
    next: () => void | Promise<void>,
    ticket: Ticket,
  ) => void | Promise<void>,
): Alteration => {
  let socket: Socket | undefined;
  return together(
    step('keyOf', ({ next }, incoming) => {
      socket = socketOf(incoming);
      return next();
    }),
    step('register', ({ next }, ticket) => register(socket, next, ticket)),
  );
};

/** Servers whose counters are right at first and wrong after some requests. */
const COUNTERS = faults('3.2', {
  'counts the uses of a permanent card up to 16': step('register', ({ next }, ticket) => {
    if (ticket.usesAllowed > 100 && ticket.usesConsumed >= 15) ticket.usesConsumed = -1;
    return next();
  }),
  'loses every tenth use': everyUse(
    10,
    () => true,
    () => undefined,
  ),
  'loses the tenth use of a card': step('register', ({ next }, ticket) =>
    ticket.usesConsumed === 9 ? undefined : next(),
  ),
  'counts every eighth use of a device twice': everyUse(
    8,
    (side) => side === 'hardware',
    (ticket, next) => {
      take(ticket);
      return next();
    },
  ),
  'gives a use back when a card is refused as used up': onJudging((ticket, refused) => {
    if (refused?.status === 'exhausted') giveBack(ticket);
  }),
  'gives the last use of a card again after a validate': onJudging((ticket, refused, action) => {
    if (refused?.status === 'exhausted' && action === 'validate') giveBack(ticket);
  }),
  'gives a use back when a device validates a used card': onJudging((ticket, _, action, side) => {
    if (action === 'validate' && side === 'hardware' && ticket.usesConsumed > 1) giveBack(ticket);
  }),
  'takes a use on the third validate in a row': remembering(() => {
    const tally = new Tally<string>();
    return onJudging((ticket, refused, action) => {
      if (!refused && action === 'validate' && tally.add(ticket.id) % 3 === 0) take(ticket);
    });
  }),
  'gives back a use of the last ticket on a heartbeat': onHeartbeat(giveBack),
  'takes a use of the last ticket on a heartbeat': onHeartbeat(take),
  'takes a use for a forged code': takesWhen(({ body }) =>
    /invalid_ticket|Ungültiges/.test(JSON.stringify(body)),
  ),
  'takes a use when the scope refuses': takesWhen(({ status }) => status === 403),
  'takes a use when the key is refused': takesWhen(({ status }) => status === 401),
  'takes a use of the ticket before when the code is missing': remembering(() => {
    let last: Ticket | undefined;
    return step('finish', ({ next, world }, { status }, incoming) => {
      if (status === 400) take(last);
      last = ticketIn(world, incoming) ?? last;
      return next();
    });
  }),
  'counts the uses of each key apart': counterPer((key) => key),
  'counts the uses of devices and software apart': counterPer((_, side) => side),
  'counts the uses of each connection apart': remembering(() => {
    const counts = new WeakMap<Socket, Map<string, number>>();
    let own = new Map<string, number>();
    return together(
      step('keyOf', ({ next }, incoming) => {
        own = counts.get(socketOf(incoming)) ?? new Map<string, number>();
        counts.set(socketOf(incoming), own);
        return next();
      }),
      step('refuse', ({ next }, ticket) => {
        ticket.usesConsumed = own.get(ticket.id) ?? ticket.usesConsumed;
        return next();
      }),
      step('register', ({ next }, ticket) => {
        own.set(ticket.id, ticket.usesConsumed + 1);
        return next();
      }),
    );
  }),
  'takes the use from the ticket that was validated last': remembering(() => {
    let validated: Ticket | undefined;
    return together(
      onJudging((ticket, refused, action) => {
        if (action === 'validate' && !refused) validated = ticket;
      }),
      step('register', ({ parts }, ticket, ...asked) => {
        const hasUses = validated && validated.usesConsumed < validated.usesAllowed;
        return parts.register(hasUses && validated ? validated : ticket, ...asked);
      }),
    );
  }),
  'stores only the first use of a connection': remembering(() => {
    const used = new Set<Socket | undefined>();
    return onConnection((socket, next) => {
      const isSecond = used.has(socket);
      used.add(socket);
      return isSecond ? undefined : next();
    });
  }),
  'counts the third use of a connection twice': remembering(() => {
    const used = new Tally<Socket | undefined>();
    return onConnection((socket, next, ticket) => {
      if (used.add(socket) % 3 === 0) take(ticket);
      return next();
    });
  }),
  'shows software the counter as it was before the last use': remembering(() => {
    const before = new Map<string, number>();
    return together(
      step('register', ({ next }, ticket) => {
        before.set(ticket.id, ticket.usesConsumed);
        return next();
      }),
      step('finish', ({ next }, _, { path }) => {
        const right = next();
        const { ticketId, usesAllowed } = right.body as Body;
        const usesConsumed = before.get(String(ticketId));
        if (path !== '/scan/validate' || usesConsumed === undefined) return right;
        before.delete(String(ticketId));
        const usesRemaining = Number(usesAllowed) - usesConsumed;
        return { ...right, body: { ...(right.body as Body), usesConsumed, usesRemaining } };
      }),
    );
  }),
  'starts to count anew when a second key scans the ticket': remembering(() => {
    const firsts = new Map<string, string>();
    return step('refuse', ({ next }, ticket, _action, _side, key) => {
      const first = firsts.get(ticket.id) ?? key.value;
      if (first !== key.value && ticket.usesAllowed > 1) ticket.usesConsumed = 0;
      firsts.set(ticket.id, key.value);
      return next();
    });
  }),
  'takes a consume back when the same request comes twice in a row': remembering(() => {
    let last = '';
    return step('finish', ({ next, world }, _, incoming) => {
      const name = incoming.path + incoming.body.toString();
      if (isConsume(incoming) && name === last) giveBack(ticketIn(world, incoming));
      last = name;
      return next();
    });
  }),
  'forgets the last use of a card after a pause': {
    isByTheClock: true,
    alter: remembering(() => {
      const seenAt = new Map<string, number>();
      return step('refuse', ({ next, world }, ticket) => {
        const now = world.clock.now();
        const seen = seenAt.get(ticket.id);
        if (seen !== undefined && now - seen > 90) giveBack(ticket);
        seenAt.set(ticket.id, now);
        return next();
      });
    }),
  },
  'takes a use when the rate limit refuses': {
    isByTheClock: true,
    alter: remembering(() => {
      let tokens = 8;
      let filledAt = 0;
      return step('withinLimit', ({ world }, _, incoming) => {
        const now = world.clock.now();
        tokens = Math.min(8, tokens + (now - filledAt) / 10);
        filledAt = now;
        const isWithin = tokens >= 1;
        if (isWithin) tokens -= 1;
        else if (isConsume(incoming)) take(ticketIn(world, incoming));
        return isWithin;
      });
    }),
  },
  'lets a device in on a single ticket that software used': remembering(() => {
    const bySoftware = new Set<string>();
    return together(
      step('refuse', ({ next }, ticket, _, side) => {
        const refused = next();
        if (refused?.status !== 'exhausted' || side === 'rest') return refused;
        return bySoftware.delete(ticket.id) ? undefined : refused;
      }),
      step('register', ({ next }, ticket, side) => {
        if (side === 'rest') bySoftware.add(ticket.id);
        return next();
      }),
    );
  }),
});

/** Registers a use as a server without locks does: it reads, waits, and writes. */
const unlocked = (isHere: (ticket: Ticket, side: string) => boolean): Alteration =>
  step('register', async ({ next }, ticket, side) => {
    if (!isHere(ticket, side)) return next();
    const { usesConsumed } = ticket;
    await soon();
    ticket.usesConsumed = usesConsumed + 1;
  });

/** Refuses or fails while another request has the ticket. */
const whileBusy = (refuse: (ticket: Ticket) => Outcome): Alteration =>
  remembering(() => {
    const busy = new Set<string>();
    return together(
      step('refuse', ({ next }, ticket) => (busy.has(ticket.id) ? refuse(ticket) : next())),
      step('register', async (_, ticket) => {
        busy.add(ticket.id);
        ticket.usesConsumed += 1;
        await soon();
        busy.delete(ticket.id);
      }),
    );
  });

/** @param alter gets how many watched requests are in flight besides the present one */
const inFlight = (
  isWatched: (path: string) => boolean,
  alter: (count: () => number) => Alteration,
): Fault => ({
  write: slowly,
  alter: remembering(() => {
    const open = new Set<IncomingMessage>();
    let current: IncomingMessage | undefined;
    const others = () => open.size - (current && open.has(current) ? 1 : 0);
    return together(
      alter(others),
      step('keyOf', ({ next }, incoming) => {
        const request = requestOf(incoming);
        current = request;
        if (isWatched(incoming.path)) open.add(request);
        AFTERWARDS.set(request, () => open.delete(request));
        return next();
      }),
    );
  }),
});

/** Requests of the same name that come while the first is being answered share its answer. */
const sharing = (nameOf: (incoming: Incoming) => string | undefined): Fault => ({
  write: slowly,
  alter: remembering(() => {
    const answers = new Map<string, Reply>();
    return step('finish', ({ next }, _, incoming) => {
      const right = next();
      const shared = nameOf(incoming);
      if (shared === undefined || right.status !== 200) return right;
      const first = answers.get(shared);
      if (first) return first;
      answers.set(shared, right);
      AFTERWARDS.set(requestOf(incoming), () => answers.delete(shared));
      return right;
    });
  }),
});

/** Harms a ticket whose client goes away before it has its answer. */
const abandoned = (harm: (ticket: Ticket) => void): Fault => ({
  write: slowly,
  alter: step('finish', ({ next, world }, _, incoming) => {
    const ticket = ticketIn(world, incoming);
    if (isConsume(incoming) && ticket !== undefined && ticket.usesAllowed > 1) {
      const socket = socketOf(incoming);
      const gone = () => harm(ticket);
      socket.once('close', gone);
      setTimeout(() => socket.removeListener('close', gone), 2.5);
    }
    return next();
  }),
});

/** Servers that are right as long as one request comes after another. */
const RACES = faults('3.2', {
  'has no lock': unlocked(() => true),
  'has no lock for devices': unlocked((_, side) => side === 'hardware'),
  'has no lock for cards': unlocked(({ type }) => type === 'multi'),
  'has a lock for devices and another for software': remembering(() => {
    const busy = new Map<string, string>();
    return step('register', async (_, ticket, side) => {
      const other = busy.get(ticket.id);
      const { usesConsumed } = ticket;
      if (other === undefined || other === side) ticket.usesConsumed += 1;
      busy.set(ticket.id, side);
      await soon();
      if (other !== undefined && other !== side) ticket.usesConsumed = usesConsumed;
      busy.delete(ticket.id);
    });
  }),
  'has a lock for each key': remembering(() => {
    const busy = new Map<string, string>();
    return step('register', async (_around, ticket, _side, key) => {
      const other = busy.get(ticket.id);
      if (other === undefined || other === key.value) ticket.usesConsumed += 1;
      busy.set(ticket.id, key.value);
      await soon();
      busy.delete(ticket.id);
    });
  }),
  'writes the ticket back as validate had read it': step('refuse', ({ next }, ticket, action) => {
    const { usesConsumed } = ticket;
    const writeBack = () => {
      ticket.usesConsumed = usesConsumed;
    };
    if (action === 'validate') void soon().then(soon).then(writeBack);
    return next();
  }),
  'calls a ticket used up while another request has it': whileBusy((ticket) => ({
    status: 'exhausted',
    ticket: { ...ticket, usesConsumed: ticket.usesAllowed },
  })),
  'answers 500 while another request has the ticket': whileBusy(() => {
    throw new Error('locked');
  }),
  'does not count a consume while a validate is in flight': inFlight(
    (path) => path === '/scan/validate',
    (count) => step('register', ({ next }) => (count() > 0 ? undefined : next())),
  ),
  'counts twice while a heartbeat is in flight': inFlight(
    (path) => path.endsWith('heartbeat'),
    (count) =>
      step('register', ({ next }, ticket) => {
        if (count() > 0 && ticket.usesConsumed < ticket.usesAllowed - 1) ticket.usesConsumed += 1;
        return next();
      }),
  ),
  'refuses software for the key while a device is in flight': inFlight(
    (path) => path.includes('/hw/'),
    (count) =>
      step('acceptKey', ({ next }, _, side) =>
        side === 'rest' && count() > 0 ? undefined : next(),
      ),
  ),
  'answers 500 to more than four at once': inFlight(
    () => true,
    (count) =>
      step('find', ({ next }) => {
        if (count() > 4) throw new Error('pool exhausted');
        return next();
      }),
  ),
  'forgets to count when more than six come at once': inFlight(
    () => true,
    (count) => step('register', ({ next }) => (count() > 6 ? undefined : next())),
  ),
  'skips the signature when more than five come at once': inFlight(
    () => true,
    (count) => step('verify', ({ next }, code) => next() ?? (count() > 5 ? idIn(code) : undefined)),
  ),
  'gives all who consume a ticket at once the same answer': sharing((incoming) =>
    isConsume(incoming) ? `${incoming.path} ${codeIn(incoming)}` : undefined,
  ),
  'gives all who validate with a key at once the first answer': sharing(({ path, request }) =>
    path === '/scan/validate' ? String(request.headers['x-api-key']) : undefined,
  ),
  'gives heartbeats at once the same answer': sharing(({ path }) =>
    path.endsWith('heartbeat') ? 'heartbeat' : undefined,
  ),
  'gives the second of two pipelined requests the first answer': remembering(() => {
    const answers = new WeakMap<Socket, Reply>();
    return step('finish', ({ next }, _, incoming) => {
      const right = next();
      const socket = socketOf(incoming);
      const before = answers.get(socket);
      answers.set(socket, right);
      // who waits for an answer asks again in a later turn of the event loop, however busy the machine is
      setImmediate(() => answers.delete(socket));
      return before ?? right;
    });
  }),
  'counts a use twice when the client goes away': abandoned((ticket) => {
    ticket.usesConsumed = Math.min(ticket.usesAllowed, ticket.usesConsumed + 2);
  }),
  'starts to count anew when a client goes away': abandoned((ticket) => {
    ticket.usesConsumed = 0;
  }),
});

export const SEQUENCE_FAULTS: readonly FaultyServer[] = [...COUNTERS, ...RACES];
