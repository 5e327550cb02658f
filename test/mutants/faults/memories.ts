import type { Socket } from 'node:net';
import type { Incoming, Outcome, Parts, Reply } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key } from '../reference/world.ts';
import {
  type Body,
  codeIn,
  device,
  type FaultyServer,
  faults,
  idIn,
  isConsume,
  isDevice,
  isGranted,
  isPermanent,
  remembering,
  rest,
  socketOf,
  step,
  Tally,
  together,
} from './faulty-server.ts';

/** A map for each server, by text or by connection. */
class Memory<Name, Value> {
  readonly #texts = new Map<Name, Value>();

  /** @returns what was known before, and keeps this */
  swap(name: Name, value: Value): Value | undefined {
    const before = this.#texts.get(name);
    this.#texts.set(name, value);
    return before;
  }

  /** @returns the first that was kept */
  first(name: Name, value: Value): Value {
    const known = this.#texts.get(name) ?? value;
    this.#texts.set(name, known);
    return known;
  }
}

/** Repeats an answer that another request got. */
const repeating = <Name>(
  nameOf: (incoming: Incoming, right: Reply) => Name | undefined,
  which: (answers: Memory<Name, Reply>, name: Name, right: Reply) => Reply,
): Alteration =>
  remembering(() => {
    const answers = new Memory<Name, Reply>();
    return step('finish', ({ next }, _, incoming) => {
      const right = next();
      const name = nameOf(incoming, right);
      return name === undefined ? right : which(answers, name, right);
    });
  });

const first = <Name>(answers: Memory<Name, Reply>, name: Name, right: Reply) =>
  answers.first(name, right);

/** The body of a good answer on a path. */
const bodyOn =
  (path: string) =>
  (incoming: Incoming, { status }: Reply) =>
    incoming.path === path && status === 200 ? incoming.body.toString() : undefined;

const everySeventh = (): Alteration => {
  const tally = new Tally<string>();
  return repeating(
    ({ request }, { status }) => (status === 200 ? keyIn(request) : undefined),
    (answers, key, right) => {
      const before = answers.swap(key, right);
      return before && tally.add(key) % 7 === 0 ? before : right;
    },
  );
};
const keyIn = ({ headers }: Incoming['request']) => {
  const key = headers['x-api-key'];
  return typeof key === 'string' ? key : undefined;
};

/** Keeps what the connection of the present request is. */
function onConnection(make: (socket: () => Socket | undefined) => Alteration): Alteration {
  return remembering(() => {
    let socket: Socket | undefined;
    return together(
      step('keyOf', ({ next }, incoming) => {
        socket = socketOf(incoming);
        return next();
      }),
      make(() => socket),
    );
  });
}

/** Lets in what it refused so often. */
const wearingOut = <Name extends keyof Parts>(
  name: Name,
  isRefused: (right: ReturnType<Parts[Name]>) => boolean,
  nameOf: (...asked: Parameters<Parts[Name]>) => unknown,
  after: (count: number) => boolean,
  then: (parts: Parts, ...asked: Parameters<Parts[Name]>) => ReturnType<Parts[Name]>,
): Alteration =>
  remembering(() => {
    const tally = new Tally<unknown>();
    return step(name, ({ next, parts }, ...asked) => {
      const right = next();
      return isRefused(right) && after(tally.add(nameOf(...asked))) ? then(parts, ...asked) : right;
    });
  });

const ticketWearsOut = (what: string, most: number) =>
  wearingOut(
    'refuse',
    (refused?: Outcome) => refused?.reason === what || refused?.status === what,
    ({ id }) => id,
    (count) => count > most,
    () => undefined,
  );

const forgeryWearsOut = (nameOf: (code: string) => string, after: (count: number) => boolean) =>
  wearingOut(
    'verify',
    (id) => id === undefined,
    nameOf,
    after,
    (_, code) => idIn(code),
  );

const keyWearsOut = (isOnRest: boolean, tries: number): Alteration =>
  remembering(() => {
    const tally = new Tally<string | undefined>();
    return step('acceptKey', ({ next, world }, value, side) => {
      const key = next();
      if (key || (side === 'rest') !== isOnRest || tally.add(value) < tries) return key;
      const type = isOnRest ? 'rest' : 'hardware';
      return [...world.keys.values()].find((one) => one.active && one.type === type);
    });
  });

const signatureRemembered = (where: string, wanted: string): Alteration =>
  remembering(() => {
    const genuine = new Set<string>();
    return step('verify', ({ next }, code, side, action) => {
      const id = next();
      if (id !== undefined) genuine.add(id);
      const isKnown = side === where && action === wanted && genuine.has(idIn(code));
      return id ?? (isKnown ? idIn(code) : undefined);
    });
  });

/** Servers that remember too much, or what belongs to another request. */
const MEMORY = faults('3.2', {
  'caches the answer of validate by code': repeating(bodyOn('/scan/validate'), first),
  'answers a repeated consume with the first answer': repeating(bodyOn('/scan/consume'), first),
  'answers a device with what the card got the last time': repeating(
    ({ path, query, body }) =>
      path === '/scan/hw/consume' ? `${query.get('key')}${body}` : undefined,
    (answers, name, right) => answers.swap(name, right) ?? right,
  ),
  'repeats the first answer of a connection': repeating(
    (incoming) => (isDevice(incoming) ? undefined : socketOf(incoming)),
    first,
  ),
  'gives every seventh request of a key the answer before': remembering(everySeventh),
  'decides a consume by the count of the last validate': remembering(() => {
    const seen = new Map<string, number>();
    return step('refuse', ({ next }, ticket, action) => {
      const refused = next();
      if (action === 'validate') seen.set(ticket.id, ticket.usesConsumed);
      if (action === 'validate' || refused?.status !== 'exhausted') return refused;
      const isFree = (seen.get(ticket.id) ?? ticket.usesConsumed) < ticket.usesAllowed;
      return isFree ? undefined : refused;
    });
  }),
  'refuses a ticket that a refused key tried to consume': remembering(() => {
    const tried = new Set<string>();
    return step('finish', ({ next }, _, incoming) => {
      const right = next();
      const code = codeIn(incoming) ?? '';
      if (right.status === 401 && isConsume(incoming)) tried.add(code);
      return incoming.path === '/scan/validate' && right.status === 200 && tried.has(code)
        ? { ...right, body: { valid: false, status: 'exhausted', message: 'used' } }
        : right;
    });
  }),
  'refuses a genuine code after a forgery of it': remembering(() => {
    const forged = new Set<string>();
    return step('verify', ({ next }, code) => {
      const id = next();
      if (id === undefined) forged.add(idIn(code));
      return id !== undefined && forged.has(id) ? undefined : id;
    });
  }),
  ...Object.fromEntries(
    ['rest validate', 'rest consume', 'hardware validate', 'hardware consume'].map((where) => {
      const [side = '', action = ''] = where.split(' ');
      const name = `takes a forgery on ${where} once the genuine code was seen`;
      return [name, signatureRemembered(side, action)];
    }),
  ),
  'checks only the first signature of a connection': onConnection((socket) => {
    const trusted = new Set<Socket | undefined>();
    return step('verify', ({ next }, code) => {
      const id = next();
      const isTrusted = trusted.has(socket());
      if (id !== undefined) trusted.add(socket());
      return id ?? (isTrusted ? idIn(code) : undefined);
    });
  }),
  'lets a scoped key scan what another key scanned before': remembering(() => {
    const seen = new Set<string>();
    return step('inScope', ({ next }, _, id) => {
      const right = next();
      if (right) seen.add(id);
      return right || seen.has(id);
    });
  }),
  'refuses a ticket to all keys once a scoped one was refused': remembering(() => {
    const refused = new Set<string>();
    return step('inScope', ({ next }, _, id) => {
      if (!next()) refused.add(id);
      return !refused.has(id);
    });
  }),
  'holds the scope of the first key of a connection': onConnection((socket) => {
    const scopes = new Memory<Socket | undefined, Key>();
    return step('inScope', ({ parts }, key, ...asked) =>
      parts.inScope(scopes.first(socket(), key), ...asked),
    );
  }),
  'asks for the key on the first request of a connection only': remembering(() => {
    const keys = new WeakMap<Socket, Map<string, string>>();
    return step('keyOf', ({ next, parts }, incoming, side) => {
      const given = next();
      const known = keys.get(socketOf(incoming)) ?? new Map<string, string>();
      keys.set(socketOf(incoming), known);
      const before = known.get(side);
      if (before === undefined && parts.acceptKey(given, side, undefined))
        known.set(side, `${given}`);
      return before ?? given;
    });
  }),
  'refuses a good key after a refused one on the connection': remembering(() => {
    const refused = new WeakSet<Socket>();
    return step('keyOf', ({ next, parts }, incoming, side) => {
      const given = next();
      const socket = socketOf(incoming);
      if (!parts.acceptKey(given, side, undefined)) refused.add(socket);
      return refused.has(socket) ? undefined : given;
    });
  }),
  'takes the key that came before when there is none': remembering(() => {
    let last: string | undefined;
    return step('keyOf', ({ next }, _, side) => {
      const given = next();
      if (side !== 'rest') return given;
      const before = last;
      last = given ?? last;
      return given ?? before;
    });
  }),
  'takes any REST key at its sixth try': keyWearsOut(true, 6),
  'takes any device key at its fifth try': keyWearsOut(false, 5),
  'takes a forgery at its ninth try': forgeryWearsOut(
    (code) => code,
    (count) => count > 8,
  ),
  'takes every twentieth forgery': forgeryWearsOut(
    () => '',
    (count) => count % 20 === 0,
  ),
  'lets ticket_cancelled tickets in after 4 tries': ticketWearsOut('ticket_cancelled', 4),
  'lets expired tickets in after 3 tries': ticketWearsOut('expired', 3),
  'lets not_yet_valid tickets in after 5 tries': ticketWearsOut('not_yet_valid', 5),
  'lets a used-up ticket in at its eighth try': ticketWearsOut('exhausted', 7),
  'lets a scoped key in after five refusals': wearingOut(
    'inScope',
    (isInside) => !isInside,
    (key) => key.value,
    (count) => count > 5,
    () => true,
  ),
  'finds a ticket that does not exist at the fourth try': remembering(() => {
    const tally = new Tally<string>();
    return step('find', ({ next, world }, id) => {
      const ticket = next();
      return ticket || tally.add(id) < 4 ? ticket : [...world.tickets.values()].find(isPermanent);
    });
  }),
});

/** @param change gets the members of the last grants as well, and how many there were */
const leaking = (change: (body: Body, last: Body, count: number) => Body): Alteration =>
  remembering(() => {
    let last: Body = {};
    let count = 0;
    return rest('granted', (body) => {
      const before = last;
      const known = Object.entries(body).filter(([, value]) => value !== null);
      last = { ...last, ...Object.fromEntries(known) };
      count += 1;
      return change(body, before, count);
    });
  });

/** Shows the one of the answer before, on each so many. */
const everyOf = (count: number, member: string) =>
  leaking((body, last, seen) =>
    seen % count === 0 && last[member] !== undefined ? { ...body, [member]: last[member] } : body,
  );

/** Shows what the one before had, in some of the answers that have a member. */
const stale = (
  change: typeof rest | typeof device,
  member: string,
  isHere: (outcome: Outcome, action: string) => boolean,
  isKept = isHere,
): Alteration =>
  remembering(() => {
    let last: unknown;
    return change(
      (body) => body[member] !== undefined,
      (body, outcome, action) => {
        const before = last;
        if (isKept(outcome, action)) last = body[member];
        const isShown = isHere(outcome, action) && before !== undefined;
        return isShown ? { ...body, [member]: before } : body;
      },
    );
  });

/** Servers whose answers hold what belongs to an earlier one. */
const LEAKS = faults('2.3', {
  'shows the holder of the ticket before': leaking((body, last) => ({
    ...(last['holder'] !== undefined ? { holder: last['holder'] } : {}),
    ...body,
  })),
  'shows every ninth time the ticketId of the ticket before': everyOf(9, 'ticketId'),
  'shows the validUntil of a ticket before': leaking((body, last) =>
    body['validUntil'] === null && last['validUntil']
      ? { ...body, validUntil: last['validUntil'] }
      : body,
  ),
  'shows the ticketType of the ticket before on every fifth answer': everyOf(5, 'ticketType'),
  'shows a device the name of the holder before': stale(
    device,
    'Name',
    () => true,
    ({ ticket }) => ticket?.holder !== undefined,
  ),
  'shows the ticketId of the first ticket of a connection': remembering(() => {
    const ids = new Memory<Socket, unknown>();
    return step('finish', ({ next }, _, incoming) => {
      const right = next();
      const body = right.body as Body;
      if (body['ticketId'] === undefined) return right;
      const ticketId = ids.first(socketOf(incoming), body['ticketId']);
      return { ...right, body: { ...body, ticketId } };
    });
  }),
  'shows the ticket before in a refusal on the same connection': remembering(() => {
    const last = new WeakMap<Socket, unknown>();
    return step('finish', ({ next }, _, incoming) => {
      const right = next();
      if (isDevice(incoming)) return right;
      const body = right.body as Body;
      const socket = socketOf(incoming);
      const ticketId = last.get(socket);
      if (body['ticketId'] !== undefined) last.set(socket, body['ticketId']);
      return body['status'] === 'rejected' && ticketId !== undefined
        ? { ...right, body: { ...body, ticketId } }
        : right;
    });
  }),
  'echoes the heartbeat before on every third': remembering(() => {
    let last: unknown;
    let count = 0;
    return step('heartbeatBody', ({ next }) => {
      const right = next();
      const before = last;
      last = right;
      count += before === undefined ? 0 : 1;
      return before !== undefined && count % 3 === 0 ? before : right;
    });
  }),
  'shows a device the numbers of the card before': stale(
    device,
    'Note',
    ({ status }) => status === 'validated',
    isGranted,
  ),
  'shows a device the reason of the denial before': stale(
    device,
    'Note',
    (outcome) => !isGranted(outcome),
  ),
  'shows software the reason of the rejection before': stale(rest, 'reason', () => true),
});

export const MEMORY_FAULTS: readonly FaultyServer[] = [...MEMORY, ...LEAKS];
