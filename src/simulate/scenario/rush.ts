import type { Random } from '../../kit/random.ts';
import { Arrivals } from '../fleet/arrivals.ts';
import { Gates } from '../fleet/gates.ts';
import type { Ledger } from '../fleet/ledger.ts';
import type { Statistics } from '../fleet/statistics.ts';
import { type Manners, Visit, type VisitOwner } from '../fleet/visit.ts';
import type { Card, ScanOutcome } from '../scan-attempt.ts';
import type { SimulatedDevice } from '../simulated-device.ts';
import type { Time } from '../time.ts';

export interface RushPlan {
  readonly cards: readonly Card[];
  readonly devices: readonly SimulatedDevice[];
  readonly people: number;
  readonly rate: number;
  readonly pattern: 'poisson' | 'constant';
  readonly retries: number;
}

const RETRY_AFTER_MS = 2000;

/** A crowd that comes to the devices of a scenario. */
export class Rush implements VisitOwner {
  readonly time: Time;
  readonly manners: Manners;
  readonly #plan: RushPlan;
  readonly #statistics: Statistics;
  readonly #gates: Gates;
  readonly #arrivals: Arrivals;
  readonly #startedAtMs: number;
  #arrived = 0;
  #gone = 0;

  constructor(plan: RushPlan, time: Time, random: Random, statistics: Statistics) {
    this.#plan = plan;
    this.time = time;
    this.#statistics = statistics;
    this.manners = { retries: plan.retries, retryAfterMs: RETRY_AFTER_MS };
    this.#startedAtMs = time.nowMs();
    const { rate, pattern, people: count } = plan;
    const arrivals = { rate, pattern, rampMs: 0, durationMs: undefined, count };
    this.#arrivals = new Arrivals(arrivals, random);
    this.#gates = new Gates(plan.devices, () => undefined);
    this.#gates.open();
    this.#next();
  }

  get ledger(): Ledger {
    return this.#statistics.ledger;
  }

  get over(): boolean {
    return this.#gone === this.#plan.people;
  }

  scanned(outcome: ScanOutcome, correctedMs: number): void {
    this.#statistics.scanned(outcome, correctedMs);
  }

  visitOver(visit: Visit): void {
    this.#gone += 1;
    if (visit.device) this.#gates.leave(visit.device);
    if (!this.over) return;
    for (const device of this.#plan.devices) device.onFree = undefined;
  }

  #next(): void {
    const atMs = this.#arrivals.next();
    if (atMs === undefined) return;
    const dueMs = this.#startedAtMs + atMs;
    this.time.after(dueMs - this.time.nowMs(), () => {
      const { cards } = this.#plan;
      const card = cards[this.#arrived % cards.length];
      this.#arrived += 1;
      if (card) this.#gates.enter(new Visit(this, card, dueMs, undefined));
      this.#next();
    });
  }
}
