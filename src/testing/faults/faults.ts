import { randomInt } from 'node:crypto';
import { TicketscanError } from '../../core/errors.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { findKey } from '../../features/keys/rules.ts';
import { logNormal, seededRandom } from '../../kit/random.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH, REST_PATHS } from '../../scan/http/scan-paths.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { Fault, FaultEffect, FaultRule } from '../controls.ts';

/** A rule with its key and ticket looked up. */
export type NewFault = Omit<Fault, 'id' | 'hits'>;

/** What a fault may look at in a request. */
export interface FaultSubject {
  readonly endpoint: string;
  readonly keyId: string | null;
  readonly ticketId: string | null;
}

/** A fault that hits one request. */
export interface Hit {
  readonly id: string;
  readonly effect: FaultEffect;
  readonly when: 'before' | 'after';
  /** The delay of the fault `delay`, else 0. */
  readonly delayMs: number;
}

interface Entry {
  fault: Fault;
  readonly random: () => number;
}

/** The faults in force, in the order in which they were made. */
export class FaultRules {
  #entries: Entry[] = [];
  #lastNumber = 0;

  add(fault: NewFault): Fault {
    this.#lastNumber += 1;
    const added: Fault = { id: `fault-${this.#lastNumber}`, ...fault, hits: 0 };
    this.#entries.push({ fault: added, random: seededRandom(fault.seed) });
    return added;
  }

  list(): readonly Fault[] {
    return this.#entries.map(({ fault }) => fault);
  }

  /** Ends one fault, or all. False when there is none of that id. */
  clear(id?: string): boolean {
    const before = this.#entries.length;
    this.#entries = id === undefined ? [] : this.#entries.filter(({ fault }) => fault.id !== id);
    return id === undefined || this.#entries.length < before;
  }

  /** What hits this request. Every fault that fits throws its dice and counts, so that two do not disturb each other. */
  draw(subject: FaultSubject): readonly Hit[] {
    const hits = this.#entries.flatMap((entry) => (fits(entry.fault, subject) ? hit(entry) : []));
    this.#entries = this.#entries.filter(({ fault }) => fault.timesLeft !== 0);
    return hits;
  }
}

function fits(fault: Fault, { endpoint, keyId, ticketId }: FaultSubject): boolean {
  if (fault.endpoints.length > 0 && !fault.endpoints.includes(endpoint)) return false;
  if (fault.keyId !== null && fault.keyId !== keyId) return false;
  return fault.ticketId === null || fault.ticketId === ticketId;
}

function hit(entry: Entry): Hit[] {
  const { fault, random } = entry;
  if (random() >= fault.probability) return [];
  const timesLeft = fault.timesLeft === null ? null : fault.timesLeft - 1;
  entry.fault = { ...fault, timesLeft, hits: fault.hits + 1 };
  const { id, effect, when, delay } = fault;
  return [{ id, effect, when, delayMs: delayOf(delay, random) }];
}

function delayOf(delay: Fault['delay'], random: () => number): number {
  if (delay === null || typeof delay === 'number') return delay ?? 0;
  return logNormal(delay.medianMs, delay.sigma, random);
}

const PATHS: readonly string[] = [
  ...Object.values(REST_PATHS),
  ...Object.values(HARDWARE_PATHS),
  HEARTBEAT_PATH,
];

const ALWAYS_AFTER: readonly FaultEffect[] = ['truncated-body', 'malformed-body', 'lost-answer'];
const SEED_END = 2 ** 32;

/** Looks up what a rule names. @throws TicketscanError `usage` or `not_found` for what there is not */
export async function faultFromRule(store: RecordStore, rule: FaultRule): Promise<NewFault> {
  const { effect, when = 'before', endpoint = [] } = rule;
  const endpoints = typeof endpoint === 'string' ? [endpoint] : endpoint;
  for (const path of endpoints) {
    if (!PATHS.includes(path))
      throw new TicketscanError(
        'usage',
        `Unknown endpoint ${path}. Known endpoints: ${PATHS.join(', ')}.`,
      );
  }
  return {
    effect,
    when: ALWAYS_AFTER.includes(effect) ? 'after' : when,
    delay: rule.delay ?? null,
    endpoints,
    keyId: rule.key === undefined ? null : (await findKey(store, rule.key)).id,
    ticketId: rule.ticket === undefined ? null : ticketIdOf(rule.ticket),
    timesLeft: rule.times ?? null,
    probability: rule.probability ?? 1,
    seed: rule.seed ?? randomInt(SEED_END),
  };
}

/** The id of a ticket that is given by its code or id. @throws TicketscanError `usage` */
export function ticketIdOf(ticket: string): string {
  const ticketId = splitTicketCode(ticket)?.ticketId;
  if (ticketId !== undefined) return ticketId;
  if (eventOfTicketId(ticket) !== undefined) return ticket;
  throw new TicketscanError('usage', 'ticket is neither the code of a ticket nor its id.');
}
