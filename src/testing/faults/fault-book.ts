import { logNormal, seededRandom } from '../../kit/random.ts';
import type { Fault, FaultEffect } from './fault.ts';

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
  /** For `delay`, else 0. */
  readonly delayMs: number;
}

interface Entry {
  fault: Fault;
  readonly random: () => number;
}

/** The faults in force, in the order in which they were made. */
export class FaultBook {
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
