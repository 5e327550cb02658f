import { TicketscanError } from '../../core/errors.ts';
import type { Sample, TicketState } from '../controls.ts';

/** Of a server without a sample. */
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
