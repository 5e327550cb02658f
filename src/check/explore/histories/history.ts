import { type KeyName, SPENT_KINDS, type TicketKind } from '../../target/target.ts';

export const ACTIONS = [
  'validate',
  'consume',
  'device-validate',
  'device-consume',
  'heartbeat',
] as const;

/** One of the five endpoints. */
export type Action = (typeof ACTIONS)[number];

/** A key of the target, no key, or a value that no key has. */
export type KeyPlace = KeyName | 'missing' | 'unknown';

/** The n-th ticket of a kind that a history uses, from 0. Each run of the history gives it another ticket. */
export interface TicketPlace {
  readonly kind: TicketKind;
  readonly place: number;
}

export const FORGERIES = ['signature-backwards', 'signature-cut', 'longer'] as const;
export type Forgery = (typeof FORGERIES)[number];

/** What is scanned: a ticket's code, or one that was made wrong. */
export interface Card {
  readonly ticket: TicketPlace;
  readonly forged?: Forgery;
}

/** One request, or the same one several times. */
export interface Step {
  readonly action: Action;
  readonly key: KeyPlace;
  /** Absent for a heartbeat, and for a request without a code. */
  readonly card?: Card;
  /** At least 1. */
  readonly times: number;
  /** The client closes the connection before the answer comes. */
  readonly abandoned?: true;
  /** The repetitions are one request sent again: with one Idempotency-Key, or from one device. Only for a consume. */
  readonly retry?: true;
}

/** One after another, all at once on a connection each, or all at once on one connection. */
export const WAYS = ['in-turn', 'at-once', 'pipelined'] as const;
export type Way = (typeof WAYS)[number];

/** The largest group of requests at once. */
export const REQUESTS_TOGETHER_MAX = 64;

/** A connection that is opened and closed for each request, or one of three that stay open. */
export const CONNECTIONS = ['new', 'kept-1', 'kept-2', 'kept-3'] as const;
export type ConnectionName = (typeof CONNECTIONS)[number];

/** Steps that belong together: what the model judges as one. */
export interface Group {
  readonly steps: readonly Step[];
  readonly way: Way;
  /** `at-once` has a new connection for each request, also where this names one. */
  readonly over: ConnectionName;
  /** A pause before the first request, in milliseconds. */
  readonly pauseMs?: number;
}

export type History = readonly Group[];

/** Validates a ticket, so that its uses are known. @param keys those of the target: one for software or devices */
export function lookAt(ticket: TicketPlace, keys: Partial<Record<KeyName, string>>): Group {
  const [action, key] =
    keys.rest === undefined
      ? (['device-validate', 'hardware'] as const)
      : (['validate', 'rest'] as const);
  return { steps: [{ action, key, card: { ticket }, times: 1 }], way: 'in-turn', over: 'new' };
}

/** How many requests a group sends. */
export function requestsOf({ steps }: Pick<Group, 'steps'>): number {
  return steps.reduce((sum, { times }) => sum + times, 0);
}

/** How many requests a history sends. */
export function requestsIn(history: History): number {
  return history.reduce((sum, group) => sum + requestsOf(group), 0);
}

/** How many steps a person has to read. */
export function stepsIn(history: History): number {
  return history.reduce((sum, { steps }) => sum + steps.length, 0);
}

/** A name for a place, to compare places by: `multi#0`. */
export function placeName({ kind, place }: TicketPlace): string {
  return `${kind}#${place}`;
}

/** Every place that a history names, once, in the order in which it is first used. */
export function placesIn(history: History): TicketPlace[] {
  const places = new Map<string, TicketPlace>();
  for (const { steps } of history) {
    for (const { card } of steps) if (card) places.set(placeName(card.ticket), card.ticket);
  }
  return [...places.values()];
}

/** Every key of the target that a history names, once. */
export function keysIn(history: History): KeyName[] {
  const keys = history.flatMap(({ steps }) => steps.map(({ key }) => key));
  return [...new Set(keys)].filter((key) => key !== 'missing' && key !== 'unknown');
}

/** True for an endpoint that may take a use. */
export function consumes(action: Action): boolean {
  return action === 'consume' || action === 'device-consume';
}

/** True for the endpoints that speak the device's format. */
export function isDevice(action: Action): boolean {
  return action.startsWith('device-') || action === 'heartbeat';
}

/** True for a kind of which no server can spend anything. */
export function isSpent(kind: TicketKind): boolean {
  return (SPENT_KINDS as readonly TicketKind[]).includes(kind);
}

/** True for a step that may take a use of a ticket, on a faulty server at least: it needs consent. */
export function needsConsent({ action, key, card }: Step): boolean {
  if (!consumes(action) || !card) return false;
  const isRefused = card.forged !== undefined || !isGoodKey(key);
  return !isSpent(card.ticket.kind) || !isRefused;
}

function isGoodKey(key: KeyPlace): boolean {
  return key === 'rest' || key === 'restScoped' || key === 'hardware' || key === 'hardwareScoped';
}
