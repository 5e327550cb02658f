import type { Target, TargetTicket, TicketKind } from '../target.ts';
import { placeName, type TicketPlace } from './history.ts';
import type { Uses } from './model/uses.ts';

/** Kinds whose tickets a right server never changes: the same ones serve again and again. */
const UNCHANGING: readonly TicketKind[] = [
  'exhausted',
  'cancelled',
  'expired',
  'notYetValid',
  'unknown',
  'otherOrganisation',
  'permanentEnded',
];

/** Makes a new, unused ticket of a kind; undefined where it cannot. */
export type Mint = (kind: TicketKind) => Promise<TargetTicket | undefined>;

/** A ticket for one place of a history. */
export interface Allotted {
  readonly ticket: TargetTicket;
  readonly kind: TicketKind;
  /** Its uses, where they are known. */
  readonly taken?: number;
}

/** The target has no ticket left for a history. */
export class LacksTickets extends Error {
  override readonly name = 'LacksTickets';
  readonly kind: TicketKind;

  constructor(kind: TicketKind) {
    super(`the target has no unused "${kind}" ticket left`);
    this.kind = kind;
  }
}

/** Hands out tickets for runs of a history: minted ones, then untouched ones, then those with enough uses left. */
export class TicketPool {
  readonly #target: Target;
  readonly #mint: Mint | undefined;
  readonly #touched = new Map<string, Uses | undefined>();
  #turn = 0;

  constructor(target: Target, mint?: Mint) {
    this.#target = target;
    this.#mint = mint;
  }

  count(kind: TicketKind): number {
    return this.#target.tickets[kind]?.length ?? 0;
  }

  /** The ticket at its place in the target. */
  at({ kind, place }: TicketPlace): TargetTicket {
    const ticket = this.#target.tickets[kind]?.[place];
    if (!ticket) throw new LacksTickets(kind);
    return ticket;
  }

  /** Says that a ticket was sent, and what is known of its uses since. */
  touch(code: string, uses: Uses | undefined): void {
    this.#touched.set(code, uses);
  }

  /** How many tickets that should have been unused had no use left at the first look. */
  usedBefore(): number {
    const changing = Object.entries(this.#target.tickets).filter(
      ([kind]) => !UNCHANGING.includes(kind as TicketKind),
    );
    const codes = changing.flatMap(([, tickets]) => tickets.map(({ code }) => code));
    return codes.filter((code) => {
      const { base = 0, allowed } = this.#touched.get(code) ?? {};
      return allowed !== undefined && base >= allowed;
    }).length;
  }

  /** A ticket of its own for each place. @throws LacksTickets */
  async allot(places: readonly TicketPlace[]): Promise<Map<string, Allotted>> {
    const allotted = new Map<string, Allotted>();
    const given = new Set<string>();
    this.#turn += 1;
    for (const place of places) {
      const one = await this.#take(place.kind, given);
      if (!one) throw new LacksTickets(place.kind);
      given.add(one.ticket.code);
      allotted.set(placeName(place), one);
    }
    return allotted;
  }

  async #take(kind: TicketKind, given: ReadonlySet<string>): Promise<Allotted | undefined> {
    const tickets = (this.#target.tickets[kind] ?? []).filter(({ code }) => !given.has(code));
    const minted = await this.#mint?.(kind);
    if (minted) return { ticket: minted, kind, taken: 0 };
    const untouched = tickets.find(({ code }) => !this.#touched.has(code));
    if (untouched) return { ticket: untouched, kind };
    if (!UNCHANGING.includes(kind)) return this.#reused(tickets, kind);
    const ticket = tickets[this.#turn % Math.max(1, tickets.length)];
    return ticket && { ticket, kind };
  }

  /** A ticket that was used before, when all is known of it: unused, or a card with most of its uses left. */
  #reused(tickets: readonly TargetTicket[], kind: TicketKind): Allotted | undefined {
    const left = tickets.flatMap((ticket) => {
      const uses = this.#touched.get(ticket.code);
      if (!uses || uses.unseen > 0 || uses.pending > 0 || uses.allowed === undefined) return [];
      return [{ ticket, kind, taken: uses.taken, left: uses.allowed - uses.taken }];
    });
    const most = left.sort((a, b) => b.left - a.left)[0];
    return most && most.left > 0 ? most : undefined;
  }
}
