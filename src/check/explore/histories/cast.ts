import type { Random } from '../../../kit/random.ts';
import type { TicketKind } from '../../target/target.ts';
import type { TicketPlace } from './history.ts';
import { isPersonalised, type Means } from './theme.ts';

const KIND_WEIGHTS: readonly (readonly [TicketKind, number])[] = [
  ['single', 5],
  ['multi', 7],
  ['permanent', 4],
  ['personalised', 5],
  ['windowed', 2],
  ['exhausted', 2],
  ['cancelled', 2],
  ['expired', 1],
  ['notYetValid', 1],
  ['otherEvent', 3],
  ['unknown', 2],
  ['hundred', 3],
  ['openEnd', 1],
  ['openStart', 1],
  ['otherOrganisation', 1],
];
/** Without a holder, and granted again and again: a name that such a ticket shows is another's. */
const GRANTED: readonly TicketKind[] = ['multi', 'permanent', 'hundred'];
/** How often an episode takes a ticket of an earlier one. */
const AGAIN = 0.25;
/** Chooses the tickets of one episode after the other. */
export class Casting {
  readonly #random: Random;
  readonly #means: Means;
  readonly #next = new Map<TicketKind, number>();

  constructor(random: Random, means: Means) {
    this.#random = random;
    this.#means = means;
  }

  /** One to three tickets; the next unused ones while there are some, then used ones again. */
  next(): TicketPlace[] {
    const weights = KIND_WEIGHTS.filter(([kind]) => this.#means.tickets(kind) > 0);
    if (weights.length === 0) return [];
    const count = this.#random.weighted([
      [1, 4],
      [2, 3],
      [3, 1],
    ]);
    const cast = Array.from({ length: count }, () => this.#ticket(weights));
    if (cast.some(isPersonalised)) {
      const others = weights.filter(([kind]) => GRANTED.includes(kind));
      if (others.length > 0) cast.push(this.#ticket(others));
    }
    return cast;
  }

  #ticket(weights: typeof KIND_WEIGHTS): TicketPlace {
    const kind = this.#random.weighted(weights);
    const have = this.#means.tickets(kind);
    const next = this.#next.get(kind) ?? 0;
    if (next >= have || (next > 0 && this.#random.chance(AGAIN)))
      return { kind, place: this.#random.between(0, Math.min(next, have) - 1) };
    this.#next.set(kind, next + 1);
    return { kind, place: next };
  }
}
