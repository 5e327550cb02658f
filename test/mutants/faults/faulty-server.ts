import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '../../../src/check/index.ts';
import type { Action, Incoming, Outcome, Parts, Reply, Side } from '../reference/parts.ts';
import { type Alteration, type ServerOptions, writeReply } from '../reference/server.ts';
import type { Ticket, World } from '../reference/world.ts';

export const REST = ['validate', 'consume'] as const satisfies readonly Endpoint[];
export const DEVICE = ['hw/validate', 'hw/consume'] as const satisfies readonly Endpoint[];
export const CONSUME = ['consume', 'hw/consume'] as const satisfies readonly Endpoint[];
export const VALIDATE = ['validate', 'hw/validate'] as const satisfies readonly Endpoint[];
export const SCANS = [...REST, ...DEVICE] as const satisfies readonly Endpoint[];
export const ENDPOINTS: readonly Endpoint[] = [...SCANS, 'heartbeat'];

/** What is wrong with a server, and where. */
export interface Fault extends Pick<ServerOptions, 'alter' | 'write' | 'only'> {
  /** Where the server errs, for a fault that no single request shows. */
  readonly shows?: readonly Endpoint[];
  /** Where the specification says nothing about it, with the reason. */
  readonly free?: Freedom;
  /** What a finding observes, or names as the cause. */
  readonly says?: RegExp;
  /** Which of its requests meet differs from run to run. */
  readonly isByChance?: true;
  /** It shuts out whatever comes next: any case may meet it, so that only its cause tells it (`says`). */
  readonly meetsAnyCase?: true;
  /** Errs by its clock: it is asked in virtual time, where nothing else moves that. */
  readonly isByTheClock?: true;
}

export interface Freedom {
  readonly on: readonly Endpoint[];
  readonly reason: string;
}

/** A server that is right but for one fault. */
export interface FaultyServer extends Fault {
  /** The end of a sentence that begins with "A server that". */
  readonly name: string;
  /** The section of the specification that it breaks. */
  readonly section: string;
}

type Rows = Readonly<Record<string, Alteration | Fault>>;

/** A table of faults: what a server does wrong, and how. */
export function faults(section: string, rows: Rows): FaultyServer[] {
  return Object.entries(rows).map(([name, how]) => ({ name, section, ...faultOf(how) }));
}

/** Faults on one endpoint of a server that is right elsewhere. */
export function faultsOn(only: Endpoint, section: string, rows: Rows): FaultyServer[] {
  return faults(section, rows).map((one) => ({ ...one, only, name: `${one.name}, on ${only}` }));
}

const faultOf = (how: Alteration | Fault) => (typeof how === 'function' ? { alter: how } : how);

/** A fault that no single request shows. */
export const showing = (shows: readonly Endpoint[], how: Alteration | Fault): Fault => ({
  ...faultOf(how),
  shows,
});

export const byChance = (shows: readonly Endpoint[], how: Alteration | Fault): Fault => ({
  ...showing(shows, how),
  isByChance: true,
});

export const free = (freedom: Freedom, how: Alteration | Fault): Fault => ({
  ...faultOf(how),
  free: freedom,
});

/** What is known where a step is taken: `next` takes the right one. */
interface Around<Name extends keyof Parts> {
  readonly next: () => ReturnType<Parts[Name]>;
  readonly parts: Parts;
  readonly world: World;
}

/** Replaces one step. */
export function step<Name extends keyof Parts>(
  name: Name,
  take: (around: Around<Name>, ...asked: Parameters<Parts[Name]>) => ReturnType<Parts[Name]>,
): Alteration {
  return (parts, world) => {
    const right = parts[name] as (...asked: Parameters<Parts[Name]>) => ReturnType<Parts[Name]>;
    const altered = (...asked: Parameters<Parts[Name]>) =>
      take({ next: () => right(...asked), parts, world }, ...asked);
    return { [name]: altered } as unknown as Partial<Parts>;
  };
}

/** Several steps at once. */
export const together =
  (...all: readonly Alteration[]): Alteration =>
  (parts, world) =>
    Object.assign({}, ...all.map((alter) => alter(parts, world)));

/** Makes the alteration anew for each server, so that it has a memory of its own. */
export const remembering =
  (make: () => Alteration): Alteration =>
  (parts, world) =>
    make()(parts, world);

export type Body = Record<string, unknown>;
type Change = Body | ((body: Body, outcome: Outcome, action: Action) => Body);
/** Which answers: by status or reason, `granted`, `denied`, those `of a ticket`, or by what is in them. */
type Where = string | ((body: Body, outcome: Outcome, action: Action) => boolean);

function isAt(where: Where, body: Body, outcome: Outcome, action: Action): boolean {
  if (typeof where === 'function') return where(body, outcome, action);
  if (where === 'of a ticket') return body['ticketId'] !== undefined;
  if (where === 'granted') return isGranted(outcome);
  if (where === 'denied') return !isGranted(outcome);
  return [outcome.status, outcome.reason].includes(where);
}

interface Changing {
  (change: (body: Body, outcome: Outcome, action: Action) => Body): Alteration;
  (where: Where, change: Change): Alteration;
}

function changing(name: 'restBody' | 'deviceBody'): Changing {
  return (where: Where | Change, change?: Change) =>
    step(name, ({ next }, outcome, action) => {
      const body = { ...next() };
      const made = change ?? (where as Change);
      if (change !== undefined && !isAt(where as Where, body, outcome, action)) return body;
      return typeof made === 'function' ? made(body, outcome, action) : { ...body, ...made };
    });
}

/** Changes the body of REST results, all or some. */
export const rest = changing('restBody');
/** Changes the body of answers to devices, all or some. */
export const device = changing('deviceBody');

/** A body without some of its members. */
export const without =
  (...names: string[]) =>
  (body: Body): Body =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** Changes members of a body that have a value. */
export const mapped =
  (change: (value: never) => unknown, ...names: string[]) =>
  (body: Body): Body => ({
    ...body,
    ...Object.fromEntries(
      names
        .filter((name) => body[name] !== undefined && body[name] !== null)
        .map((name) => [name, change(body[name] as never)]),
    ),
  });

/** Changes every answer, whole, or those with a status. */
export function reply(change: (reply: Reply, incoming: Incoming) => Reply, on?: number) {
  return step('finish', ({ next }, _, incoming) => {
    const right = next();
    return on === undefined || right.status === on ? change(right, incoming) : right;
  });
}

/** Changes the HTTP status of results, by their status or reason. */
export const status = (codes: Readonly<Record<string, number>>, where?: Side): Alteration =>
  step('statusOf', ({ next }, outcome, side) =>
    where !== undefined && side !== where
      ? next()
      : (codes[outcome.reason ?? ''] ?? codes[outcome.status] ?? next()),
  );

type Asked = Parameters<Parts['refuse']>;
const isOf = (outcome: Outcome, what: string) => [outcome.status, outcome.reason].includes(what);

/** Lets tickets in that the right server refuses, with this status or for this reason. */
export const overlooking = (
  what: string,
  isHere: (...asked: Asked) => boolean = () => true,
): Alteration =>
  step('refuse', ({ next }, ...asked) => {
    const refused = next();
    return refused && isOf(refused, what) && isHere(...asked) ? undefined : refused;
  });

/** Refuses good tickets. */
export const refusing = (
  isRefused: (...asked: Asked) => boolean,
  what: Pick<Outcome, 'status' | 'reason'> = { status: 'rejected', reason: 'invalid_ticket' },
): Alteration =>
  step(
    'refuse',
    ({ next }, ...asked) =>
      next() ?? (isRefused(...asked) ? { ...what, ticket: asked[0] } : undefined),
  );

export const EXHAUSTED = { status: 'exhausted' };

/** Where a request is for. */
export const at =
  (wanted: { readonly action?: Action; readonly side?: Side }) =>
  (...[, action, side]: Asked): boolean =>
    (wanted.action ?? action) === action && (wanted.side ?? side) === side;

type Registered = Parameters<Parts['register']>;

/** Lets in and does not count. */
export const uncounted = (isFree: (...asked: Registered) => boolean): Alteration =>
  step('register', ({ next }, ...asked) => (isFree(...asked) ? undefined : next()));

/** Kinds of tickets. */
export const isCard = ({ usesAllowed }: Ticket): boolean => usesAllowed === 5;
export const isHundred = ({ usesAllowed }: Ticket): boolean => usesAllowed === 100;
export const isPermanent = ({ usesAllowed }: Ticket): boolean => usesAllowed === 9999;
export const isPersonal = ({ holder }: Ticket): boolean => holder !== undefined;
export const isWindowed = (one: Ticket): boolean =>
  one.validFrom !== null && one.validUntil !== null;
export const isOpenEnd = (one: Ticket): boolean =>
  one.validFrom !== null && one.validUntil === null;
export const isOpenStart = (one: Ticket): boolean =>
  one.validFrom === null && one.validUntil !== null;

export function isGranted(outcome: Outcome): boolean {
  return outcome.status === 'validated' || outcome.status === 'consumed';
}

/** An answer that opens a door. */
export const OPEN = {
  AcsRes: '1',
  ActIndex: '0',
  Time: '5',
  Name: 'Gast',
  Note: 'Ticket gültig (1/1)',
};

/** Reads a body as JSON, or gives nothing. */
export function parsed(body: Buffer): Body | undefined {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The request as it came over the network: servers that remember never run without one. */
export const requestOf = ({ request }: Pick<Incoming, 'request'>) => request as IncomingMessage;
/** The connection of a request. */
export const socketOf = (incoming: Incoming): Socket => requestOf(incoming).socket;

/** The code that a request carries. */
export function codeIn({ body }: Incoming): string | undefined {
  const { ticketCode, Card } = parsed(body) ?? {};
  if (typeof ticketCode === 'string') return ticketCode;
  return typeof Card === 'string' ? Buffer.from(Card, 'base64').toString('utf8') : undefined;
}

/** The ticket identifier in a code, genuine or not. */
export const idIn = (code: string | undefined): string => code?.split('.')[1] ?? '';
/** The ticket that a request names, genuine or not. */
export const ticketIn = (world: World, incoming: Incoming): Ticket | undefined =>
  world.tickets.get(idIn(codeIn(incoming)));
export const isConsume = ({ path }: Incoming): boolean => path.endsWith('/consume');
export const isDevice = ({ path }: Incoming): boolean => path.includes('/hw/');

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

/** What to do when the answer to a request is written. */
export const AFTERWARDS = new WeakMap<IncomingMessage, () => void>();

/** Answers a little later, so that requests are in flight at the same time. */
export function slowly(response: ServerResponse, answer: Reply): void {
  const { req } = response;
  setTimeout(() => {
    AFTERWARDS.get(req)?.();
    writeReply(response, answer);
  }, 3);
}

/** Sends every body as other bytes. */
export const written =
  (bytesOf: (text: string, isDevice: boolean) => Buffer) =>
  (response: ServerResponse, { status: code, headers, body }: Reply): void => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const bytes = bytesOf(text, response.req.url?.includes('/hw/') === true);
    response.writeHead(code, { ...headers, 'content-length': bytes.length }).end(bytes);
  };

/** Lets other requests in between. */
export const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
