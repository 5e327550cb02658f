import {
  NEVER_CONSUMABLE,
  OTHER_EVENT_REFUSED,
  type Target,
  type TargetTicket,
  type TicketKind,
} from '../deployment/target.ts';
import { isConsume } from '../facts/exchange.ts';
import type { Uses } from '../law/uses.ts';
import { type History, type Slot, slotName, slotsIn, stepsIn } from './history.ts';
import type { Mint } from './runner.ts';

/** Kinds whose tickets a right server never changes: the same ones serve again and again. */
const UNCHANGING: readonly TicketKind[] = [
  ...NEVER_CONSUMABLE,
  'notYetValid',
  'otherOrganisation',
  'permanentEnded',
  ...OTHER_EVENT_REFUSED,
];

/** True for a kind that a right server never changes. */
export function isUnchanging(kind: TicketKind): boolean {
  return UNCHANGING.includes(kind);
}

/** A ticket for one slot of a history. */
export interface Allotted {
  readonly ticket: TargetTicket;
  readonly kind: TicketKind;
  /** The uses that its first answer should show; undefined for a kind that never changes. */
  readonly base: number | undefined;
}

/** The target has no ticket left for a history. */
export class LacksTickets extends Error {
  override readonly name = 'LacksTickets';

  constructor(kind: TicketKind) {
    super(`the target has no unused "${kind}" ticket left`);
  }
}

/** Hands out tickets for runs of a history: minted ones, then those that were never sent, then those with enough uses left. */
export class TicketPool {
  readonly #target: Target;
  readonly #mint: Mint | undefined;
  /** What is known of the tickets that were sent; nothing where their last answers contradicted the model. */
  readonly #used = new Map<string, Uses | undefined>();
  readonly #minted: string[] = [];
  #turn = 0;

  constructor(target: Target, mint?: Mint) {
    this.#target = target;
    this.#mint = mint;
  }

  count(kind: TicketKind): number {
    return this.#target.tickets[kind]?.length ?? 0;
  }

  /** The codes of all tickets that were made. */
  get minted(): readonly string[] {
    return this.#minted;
  }

  /** The ticket at its place in the target. */
  at({ kind, place }: Slot): TargetTicket {
    const ticket = this.#target.tickets[kind]?.[place];
    if (!ticket) throw new LacksTickets(kind);
    return ticket;
  }

  /** Says that a ticket was sent, and what is known of its uses since. */
  markUsed(code: string, uses: Uses | undefined): void {
    this.#used.set(code, uses);
  }

  /** How many tickets that should have been unused had no use left at the first look. */
  usedBefore(): number {
    const changing = Object.entries(this.#target.tickets).flatMap(([kind, tickets]) =>
      isUnchanging(kind as TicketKind) ? [] : tickets,
    );
    return changing.filter(({ code }) => {
      const { base = 0, allowed } = this.#used.get(code) ?? {};
      return allowed !== undefined && base >= allowed;
    }).length;
  }

  /** A ticket of its own for each slot of a history, with as many uses left as it may take. @throws LacksTickets */
  async allot(history: History): Promise<Map<string, Allotted>> {
    const allotted = new Map<string, Allotted>();
    const given = new Set<string>();
    this.#turn += 1;
    for (const slot of slotsIn(history)) {
      const one = await this.#take(slot.kind, given, consumesOf(history, slot));
      if (!one) throw new LacksTickets(slot.kind);
      given.add(one.ticket.code);
      allotted.set(slotName(slot), one);
    }
    return allotted;
  }

  async #take(
    kind: TicketKind,
    given: ReadonlySet<string>,
    uses: number,
  ): Promise<Allotted | undefined> {
    const tickets = (this.#target.tickets[kind] ?? []).filter(({ code }) => !given.has(code));
    const base = isUnchanging(kind) ? undefined : 0;
    const minted = await this.#mint?.(kind);
    if (minted) {
      this.#minted.push(minted.code);
      return { ticket: minted, kind, base };
    }
    const unsent = tickets.find(({ code }) => !this.#used.has(code));
    if (unsent) return { ticket: unsent, kind, base };
    if (base !== undefined) return this.#reused(tickets, kind, uses);
    const ticket = tickets[this.#turn % Math.max(1, tickets.length)];
    return ticket && { ticket, kind, base };
  }

  /** A ticket that was used before, when all is known of it and enough uses are left. */
  #reused(tickets: readonly TargetTicket[], kind: TicketKind, uses: number): Allotted | undefined {
    const left = tickets.flatMap((ticket) => {
      const known = this.#used.get(ticket.code);
      if (!known || known.unseen > 0 || known.pending > 0 || known.allowed === undefined) return [];
      return [{ ticket, kind, base: known.taken, left: known.allowed - known.taken }];
    });
    const most = left.sort((a, b) => b.left - a.left)[0];
    // at a ticket's end one more request shows more, so one more use must be left
    return most && (most.base === 0 || most.left > uses) ? most : undefined;
  }
}

/** How many uses of the ticket in a slot a history may take. */
function consumesOf(history: History, slot: Slot): number {
  const name = slotName(slot);
  return stepsIn(history)
    .filter(({ endpoint, ticket }) => isConsume(endpoint) && ticket && slotName(ticket) === name)
    .reduce((sum, { times }) => sum + times, 0);
}
