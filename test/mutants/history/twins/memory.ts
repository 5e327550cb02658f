import type { Socket } from 'node:net';
import type { Reply } from '../../reference/parts.ts';
import type { Key } from '../../reference/world.ts';
import {
  codeIn,
  type HistoryTwin,
  idIn,
  isConsume,
  isDevice,
  socketOf,
  Tally,
  twin,
} from './twin.ts';

/** Servers that remember too much, or what belongs to another request. */
export const MEMORY_TWINS: readonly HistoryTwin[] = [
  twin('validate-cached', 'caches the answer of validate by code', () => {
    const answers = new Map<string, Reply>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        if (incoming.path !== '/scan/validate' || right.status !== 200) return right;
        const known = answers.get(incoming.body.toString());
        answers.set(incoming.body.toString(), known ?? right);
        return known ?? right;
      },
    });
  }),
  twin('consume-cached', 'answers a repeated consume with the first answer', () => {
    const answers = new Map<string, Reply>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        if (incoming.path !== '/scan/consume' || right.status !== 200) return right;
        const known = answers.get(incoming.body.toString());
        answers.set(incoming.body.toString(), known ?? right);
        return known ?? right;
      },
    });
  }),
  twin('device-answer-cached', 'answers a device with what the card got the last time', () => {
    const answers = new Map<string, Reply>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        if (!incoming.path.startsWith('/scan/hw/consume')) return right;
        const name = incoming.query.get('key') + incoming.body.toString();
        const known = answers.get(name);
        answers.set(name, right);
        return known ?? right;
      },
    });
  }),
  twin('answer-cached-by-connection', 'repeats the first answer of a connection', () => {
    const answers = new WeakMap<Socket, Reply>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        if (isDevice(incoming)) return right;
        const socket = socketOf(incoming);
        const known = answers.get(socket);
        answers.set(socket, known ?? right);
        return known ?? right;
      },
    });
  }),
  twin('answer-cached-by-key', 'gives every seventh request of a key the answer before', () => {
    const answers = new Map<string, Reply>();
    const tally = new Tally<string>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        const key = parts.keyOf(incoming, 'rest');
        if (key === undefined || right.status !== 200) return right;
        const before = answers.get(key);
        answers.set(key, right);
        return before && tally.add(key) % 7 === 0 ? before : right;
      },
    });
  }),
  twin('consume-by-last-validate', 'decides a consume by the count of the last validate', () => {
    const seen = new Map<string, number>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (action === 'validate') seen.set(ticket.id, ticket.usesConsumed);
        if (action === 'validate' || refused?.status !== 'exhausted') return refused;
        return (seen.get(ticket.id) ?? ticket.usesConsumed) < ticket.usesAllowed
          ? undefined
          : refused;
      },
    });
  }),
  twin('forgery-spoils-the-ticket', 'refuses a genuine code after a forgery of it', () => {
    const forged = new Set<string>();
    return (parts) => ({
      verify(code, side, action) {
        const id = parts.verify(code, side, action);
        if (id === undefined) forged.add(idIn(code) ?? '');
        return id !== undefined && forged.has(id) ? undefined : id;
      },
    });
  }),
  signatureRemembered('rest', 'validate'),
  signatureRemembered('rest', 'consume'),
  signatureRemembered('hardware', 'validate'),
  signatureRemembered('hardware', 'consume'),
  twin(
    'signature-remembered-by-connection',
    'checks only the first signature of a connection',
    () => {
      const trusted = new WeakSet<Socket>();
      let socket: Socket | undefined;
      return (parts) => ({
        keyOf(incoming, side) {
          socket = socketOf(incoming);
          return parts.keyOf(incoming, side);
        },
        verify(code, side, action) {
          const id = parts.verify(code, side, action);
          const trusts = socket !== undefined && trusted.has(socket);
          if (id !== undefined && socket) trusted.add(socket);
          return id ?? (trusts ? idIn(code) : undefined);
        },
      });
    },
  ),
  twin('scope-remembered', 'lets a scoped key scan what another key scanned before', () => {
    const seen = new Set<string>();
    return (parts) => ({
      inScope(key, id, side, action) {
        const right = parts.inScope(key, id, side, action);
        if (right) seen.add(id);
        return right || seen.has(id);
      },
    });
  }),
  twin(
    'scope-refusal-remembered',
    'refuses a ticket to all keys once a scoped one was refused',
    () => {
      const refused = new Set<string>();
      return (parts) => ({
        inScope(key, id, side, action) {
          if (!parts.inScope(key, id, side, action)) refused.add(id);
          return !refused.has(id);
        },
      });
    },
  ),
  twin('scope-by-connection', 'holds the scope of the first key of a connection', () => {
    const scopes = new WeakMap<Socket, Key>();
    let socket: Socket | undefined;
    return (parts) => ({
      keyOf(incoming, side) {
        socket = socketOf(incoming);
        return parts.keyOf(incoming, side);
      },
      inScope(key, id, side, action) {
        const first = (socket && scopes.get(socket)) ?? key;
        if (socket) scopes.set(socket, first);
        return parts.inScope(first, id, side, action);
      },
    });
  }),
  twin('key-by-connection', 'asks for the key on the first request of a connection only', () => {
    const keys = new WeakMap<Socket, Map<string, string>>();
    return (parts) => ({
      keyOf(incoming, side) {
        const given = parts.keyOf(incoming, side);
        const known = keys.get(socketOf(incoming)) ?? new Map<string, string>();
        keys.set(socketOf(incoming), known);
        const first = known.get(side);
        if (first === undefined && parts.acceptKey(given, side, undefined))
          known.set(side, `${given}`);
        return first ?? given;
      },
    });
  }),
  twin('refusal-by-connection', 'refuses a good key after a refused one on the connection', () => {
    const refused = new WeakSet<Socket>();
    return (parts) => ({
      keyOf(incoming, side) {
        const given = parts.keyOf(incoming, side);
        const socket = socketOf(incoming);
        if (!parts.acceptKey(given, side, undefined)) refused.add(socket);
        return refused.has(socket) ? undefined : given;
      },
    });
  }),
  twin('second-key-takes-over', 'takes the key that came before when there is none', () => {
    let last: string | undefined;
    return (parts) => ({
      keyOf(incoming, side) {
        const given = parts.keyOf(incoming, side);
        if (side !== 'rest') return given;
        const before = last;
        last = given ?? last;
        return given ?? before;
      },
    });
  }),
  wearsOut('key-refusal-wears-out', 'takes any REST key at its sixth try', 6, 'key'),
  wearsOut(
    'device-key-refusal-wears-out',
    'takes any device key at its fifth try',
    5,
    'device-key',
  ),
  twin('forgery-wears-out', 'takes a forgery at its ninth try', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      verify(code, side, action) {
        const id = parts.verify(code, side, action);
        return id ?? (tally.add(code) > 8 ? idIn(code) : undefined);
      },
    });
  }),
  twin('forgeries-wear-out', 'takes every twentieth forgery', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      verify(code, side, action) {
        const id = parts.verify(code, side, action);
        return id ?? (tally.add('') % 20 === 0 ? idIn(code) : undefined);
      },
    });
  }),
  ...(
    [
      ['ticket_cancelled', 4],
      ['expired', 3],
      ['not_yet_valid', 5],
    ] as const
  ).map(([reason, most]) =>
    twin(`${reason}-wears-out`, `lets ${reason} tickets in after ${most} tries`, () => {
      const tally = new Tally<string>();
      return (parts) => ({
        refuse(ticket, action, side, key) {
          const refused = parts.refuse(ticket, action, side, key);
          if (refused?.reason !== reason) return refused;
          return tally.add(ticket.id) > most ? undefined : refused;
        },
      });
    }),
  ),
  twin('exhausted-wears-out', 'lets a used-up ticket in at its eighth try', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      refuse(ticket, action, side, key) {
        const refused = parts.refuse(ticket, action, side, key);
        if (refused?.status !== 'exhausted') return refused;
        return tally.add(ticket.id) > 7 ? undefined : refused;
      },
    });
  }),
  twin('scope-wears-out', 'lets a scoped key in after five refusals', () => {
    const tally = new Tally<string>();
    return (parts) => ({
      inScope: (key, id, side, action) =>
        parts.inScope(key, id, side, action) || tally.add(key.value) > 5,
    });
  }),
  twin('unknown-becomes-known', 'finds a ticket that does not exist at the fourth try', () => {
    const tally = new Tally<string>();
    return (parts, world) => ({
      find(id) {
        const ticket = parts.find(id);
        if (ticket || tally.add(id) < 4) return ticket;
        return [...world.tickets.values()].find(({ usesAllowed }) => usesAllowed === 9999);
      },
    });
  }),
  twin('refused-consume-remembered', 'refuses a ticket that a refused key tried to consume', () => {
    const tried = new Set<string>();
    return (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        const code = codeIn(incoming) ?? '';
        if (right.status === 401 && isConsume(incoming)) tried.add(code);
        return incoming.path === '/scan/validate' && right.status === 200 && tried.has(code)
          ? { ...right, body: { valid: false, status: 'exhausted', message: 'used' } }
          : right;
      },
    });
  }),
];

function wearsOut(name: string, fault: string, tries: number, where: 'key' | 'device-key') {
  return twin(name, fault, () => {
    const tally = new Tally<string | undefined>();
    return (parts, world) => ({
      acceptKey(value, side, action) {
        const key = parts.acceptKey(value, side, action);
        const isHere = (side === 'rest') === (where === 'key');
        if (key || !isHere || tally.add(value) < tries) return key;
        const type = where === 'key' ? 'rest' : 'hardware';
        return [...world.keys.values()].find((one) => one.active && one.type === type);
      },
    });
  });
}

function signatureRemembered(where: 'rest' | 'hardware', wanted: 'validate' | 'consume') {
  const name = `signature-remembered-${where}-${wanted}`;
  return twin(name, `takes a forgery on ${where} ${wanted} once the genuine code was seen`, () => {
    const genuine = new Set<string>();
    return (parts) => ({
      verify(code, side, action) {
        const id = parts.verify(code, side, action);
        if (id !== undefined) genuine.add(id);
        const isHere = side === where && action === wanted;
        return id ?? [...genuine].find((one) => isHere && one === idIn(code));
      },
    });
  });
}
