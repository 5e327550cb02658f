import type http from 'node:http';
import type { Socket } from 'node:net';
import type { Incoming, Parts, Reply } from '../../reference/parts.ts';
import { type ServerOptions, writeReply } from '../../reference/server.ts';
import type { Ticket, World } from '../../reference/world.ts';

/** A server that is right for any single request, and wrong after some others. */
export interface HistoryTwin {
  readonly name: string;
  /** What is wrong, as the end of a sentence that begins with "A server". */
  readonly fault: string;
  /** Each server has a memory of its own. */
  readonly make: () => ServerOptions;
  /** Knows a pause by this process having nothing to do: no other server runs beside it. */
  readonly isAlone?: true;
}

type Alter = (parts: Parts, world: World) => Partial<Parts>;

export function twin(name: string, fault: string, alter: () => Alter): HistoryTwin {
  return { name, fault, make: () => ({ alter: alter() }) };
}

/** The connection of a request. */
export function socketOf({ request }: Incoming): Socket {
  return requestOf({ request }).socket;
}

/** The request as it came over the network: these servers never run without one. */
export function requestOf({ request }: Pick<Incoming, 'request'>): http.IncomingMessage {
  return request as http.IncomingMessage;
}

/** The code that a request carries. */
export function codeIn({ body }: Incoming): string | undefined {
  try {
    const { ticketCode, Card } = JSON.parse(body.toString('utf8'));
    if (typeof ticketCode === 'string') return ticketCode;
    return typeof Card === 'string' ? Buffer.from(Card, 'base64').toString('utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** The ticket identifier in a code, genuine or not. */
export function idIn(code: string | undefined): string | undefined {
  return code?.split('.')[1];
}

/** The ticket that a request names, genuine or not. */
export function ticketIn(world: World, incoming: Incoming): Ticket | undefined {
  return world.tickets.get(idIn(codeIn(incoming)) ?? '');
}

export function isConsume({ path }: Incoming): boolean {
  return path.endsWith('/consume');
}

export function isDevice({ path }: Incoming): boolean {
  return path.includes('/hw/');
}

/** Counts how often something was asked for. */
export class Tally<Name> {
  readonly #counts = new Map<Name, number>();

  /** @returns the count with this one */
  add(name: Name): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}

/** Answers a little later, so that requests are in flight at the same time. */
export function slowly(after?: (request: http.IncomingMessage) => void) {
  return (response: http.ServerResponse, reply: Reply) => {
    const { req } = response;
    setTimeout(() => {
      after?.(req);
      writeReply(response, reply);
    }, 3);
  };
}

/** Lets other requests in between. */
export function soon(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
