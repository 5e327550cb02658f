import { randomBytes } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { windowFrom } from '../core/ticket.ts';
import { type Keyring, makeTicketCode } from '../core/ticket-code.ts';
import { COMMAND_LINE } from '../features/actor.ts';
import { Administration } from '../features/administration.ts';
import { findNamed } from '../features/record-checks.ts';
import { seed } from '../features/seed/rules.ts';
import { TicketAdministration } from '../features/tickets/rules.ts';
import type { Store } from '../stores/store.ts';
import { timeMs } from './clock.ts';
import type {
  KeyName,
  MadeTicket,
  Sample,
  SeedOptions,
  TicketRequest,
  TicketState,
} from './controls.ts';

/**
 * Makes a ticket and puts it into the store.
 * @param mainEvent taken where the request names none; undefined for the store's first
 * @throws TicketscanError `usage`, `not_found` for an event that there is not
 */
export async function makeTicket(
  store: Store,
  keyring: Keyring,
  request: TicketRequest,
  mainEvent: string | undefined,
  now: number,
): Promise<MadeTicket> {
  const { type = 'single', event, ...others } = request;
  const events = await store.list('event');
  const found = findNamed('event', event ?? mainEvent ?? events[0]?.id ?? '', events);
  const options = { ...others, kind: type, ...windowFrom(request, timeMs) };
  const clock = { now: () => now };
  const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  const [ticket] = await administration.create(found, options, 1);
  if (!ticket) throw new Error('no ticket was made');
  return { ticketId: ticket.id, code: makeTicketCode(ticket.id, keyring, 'TS1') };
}

const TICKETS_PER_STATE = 5;

/** Fills a store with the sample that a test asked for. */
export async function makeSample(
  store: Store,
  keyring: Keyring,
  clock: Clock,
  options: SeedOptions,
): Promise<Sample> {
  const administration = new Administration(store, clock, randomBytes);
  const { ratePerSecond, burst, quotaPerMonth } = { ...DEFAULT_LIMITS, ...options.limits };
  const limits = {
    ratePerSecond: ratePerSecond ?? DEFAULT_LIMITS.ratePerSecond,
    burst: burst ?? DEFAULT_LIMITS.burst,
    quotaPerMonth: quotaPerMonth ?? DEFAULT_LIMITS.quotaPerMonth,
  };
  const perState = options.ticketsPerState ?? TICKETS_PER_STATE;
  const ticketsPerState = options.seed === 'keys-only' ? 0 : perState;
  const { events, keys, tickets } = await seed(
    { store, administration, keyring, clock, random: randomBytes },
    { ticketsPerState, limits },
  );
  const sample = { events, keys: keys as Sample['keys'], tickets };
  for (const [name, bound] of Object.entries(options.devices ?? {})) {
    if (!bound) continue;
    await administration.keys.edit(sample.keys[name as KeyName], { device: bound.file });
  }
  return sample;
}

/** The tickets of a server without a sample: none. */
export const NO_TICKETS: Partial<Sample['tickets']> = {};

/** Hands out the tickets of a sample, each once. */
export class TicketPool {
  readonly #tickets: Partial<Sample['tickets']>;
  readonly #taken = new Map<TicketState, number>();

  constructor(tickets: Partial<Sample['tickets']>) {
    this.#tickets = tickets;
  }

  /** @throws TicketscanError `usage` when none is left */
  take(state: TicketState): string {
    const codes = this.#tickets[state] ?? [];
    const taken = this.#taken.get(state) ?? 0;
    const code = codes[taken];
    if (code === undefined) {
      throw new TicketscanError(
        'usage',
        `No ticket "${state}" is left of ${codes.length}: seed with more ticketsPerState, or reset between tests.`,
      );
    }
    this.#taken.set(state, taken + 1);
    return code;
  }
}
