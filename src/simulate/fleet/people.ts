import type { Random } from '../../kit/random.ts';
import type { Card, ScanOutcome } from '../device-events.ts';
import type { SimulatedDevice } from '../simulated-device.ts';
import type { Time } from '../time.ts';
import type { FaultKind } from '../wire.ts';
import type { Ledger, Statistics } from './statistics.ts';

/** How people behave at a gate. */
export interface RetryPolicy {
  /** How often a person presents the card again when no answer came. */
  readonly retries: number;
  /** How long a person waits before that. */
  readonly retryAfterMs: number;
}

export interface VisitOwner {
  readonly time: Time;
  readonly ledger: Ledger;
  readonly manners: RetryPolicy;
  /** @param correctedMs latency from the moment at which the post was meant to leave */
  scanned(outcome: ScanOutcome, correctedMs: number): void;
  visitOver(visit: Visit): void;
}

/** Somewhat more than the anti-repeat time, or the second presentation is ignored. */
const SECOND_LOOK_MS = 50;

/** A person whose card is ignored takes a moment to notice. */
const IGNORED_MS = 10;

/** One person with one card at one gate, from the arrival until the person enters or leaves. */
export class Visit {
  readonly card: Card;
  readonly fault: FaultKind | undefined;
  readonly #owner: VisitOwner;
  #device: SimulatedDevice | undefined;
  #meantAtMs: number;
  #presentations = 0;
  #usesSpent = 0;
  #usesLost = 0;
  #entered = false;
  #over = false;
  #shutOut = false;
  /** Posts without an answer, less the answers that came without being seen. */
  #questions = 0;

  /** @param arrivedAtMs when the person arrived at the gates, before any queue */
  constructor(owner: VisitOwner, card: Card, arrivedAtMs: number, fault: FaultKind | undefined) {
    this.#owner = owner;
    this.card = card;
    this.#meantAtMs = arrivedAtMs;
    this.fault = fault;
    owner.ledger.row(fault).people += 1;
  }

  get device(): SimulatedDevice | undefined {
    return this.#device;
  }

  /** The person is at this gate now and presents the card. */
  stepUp(device: SimulatedDevice): void {
    this.#device = device;
    this.#present();
  }

  #present(): void {
    const first = this.#presentations === 0;
    this.#presentations += 1;
    const fault = first && this.fault !== 'double-presentation' ? this.fault : undefined;
    const heeded = this.#device?.present({
      card: this.card,
      fault,
      done: (outcome) => this.#done(outcome),
      unseen: (usesSpent) => this.#unseen(usesSpent),
    });
    if (!heeded) this.#owner.time.after(IGNORED_MS, () => this.#end());
  }

  #done(outcome: ScanOutcome): void {
    const { time, ledger } = this.#owner;
    const readMs = this.#device?.settings.readMs ?? 0;
    this.#owner.scanned(outcome, time.nowMs() - this.#meantAtMs - readMs);
    const row = ledger.row(this.fault);
    const consumes = this.#device?.settings.operation === 'consume';
    if (outcome.result === 'granted' && consumes) this.#spend(1);
    if (outcome.opened && !this.#entered) {
      this.#entered = true;
      row.entered += 1;
      this.#settle();
    }
    if (this.#isOpenQuestion(outcome) && consumes) this.#question(1);
    this.#next(outcome);
  }

  /** True when the server may have registered a use that nobody knows of. */
  #isOpenQuestion({ result, unreachable }: ScanOutcome): boolean {
    const unanswered = result === 'timeout' || result === 'error';
    const halfSent = this.fault === 'half-request' && this.#presentations === 1;
    return unanswered && !unreachable && !halfSent;
  }

  #next(outcome: ScanOutcome): void {
    const { manners } = this.#owner;
    const unanswered = outcome.result === 'timeout' || outcome.result === 'error';
    if (unanswered && !outcome.opened && this.#presentations <= manners.retries) {
      this.#presentAfter(manners.retryAfterMs);
    } else if (this.fault === 'double-presentation' && this.#presentations === 1) {
      this.#presentAfter((this.#device?.settings.antiRepeatMs ?? 0) + SECOND_LOOK_MS);
    } else this.#end();
  }

  #presentAfter(delayMs: number): void {
    const { time } = this.#owner;
    this.#meantAtMs = time.nowMs() + delayMs;
    time.after(delayMs, () => this.#present());
  }

  /** An answer that did not reach the gate: its effect is known all the same. */
  #unseen(usesSpent: number): void {
    if (this.fault !== 'duplicate-post') this.#question(-1);
    this.#spend(usesSpent);
  }

  #question(change: number): void {
    const before = Math.max(0, this.#questions);
    this.#questions += change;
    const { ledger } = this.#owner;
    ledger.row(this.fault).unknown += Math.max(0, this.#questions) - before;
  }

  #spend(uses: number): void {
    this.#usesSpent += uses;
    this.#settle();
  }

  /** One use counts for the entry; all others are lost. Without an entry, all are lost. */
  #settle(): void {
    const row = this.#owner.ledger.row(this.fault);
    const paid = this.#entered ? Math.min(1, this.#usesSpent) : 0;
    const lost = this.#usesSpent - paid;
    row.usesLost += lost - this.#usesLost;
    this.#usesLost = lost;
    const shutOut = this.#over && !this.#entered && lost > 0;
    row.shutOut += Number(shutOut) - Number(this.#shutOut);
    this.#shutOut = shutOut;
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#settle();
    this.#owner.visitOver(this);
  }
}

interface CrowdPlan {
  readonly time: Time;
  readonly statistics: Statistics;
  readonly devices: readonly SimulatedDevice[];
  /** Each person brings the next one. */
  readonly cards: readonly Card[];
  readonly manners: RetryPolicy;
  readonly drawFault?: () => FaultKind | undefined;
  /** Called when a gate is free and nobody waits for it. */
  readonly onIdle?: () => void;
  /** Called when a person has gone. */
  readonly onLeft?: () => void;
}

/** The people who come to gates: who is at which, and the one queue for all of them. */
export class Crowd implements VisitOwner {
  readonly time: Time;
  readonly manners: RetryPolicy;
  readonly #plan: CrowdPlan;
  readonly #free: SimulatedDevice[] = [];
  readonly #waiting: Visit[] = [];
  /** Gates that are not in the list of free ones. */
  readonly #taken: Set<SimulatedDevice>;
  /** Gates with a person, also one who tries again. */
  readonly #held = new Set<SimulatedDevice>();
  #people = 0;
  #inside = 0;
  #unanswered = false;

  /** Takes in devices that are switched on and free already; others come as they get free. */
  constructor(plan: CrowdPlan) {
    this.#plan = plan;
    this.time = plan.time;
    this.manners = plan.manners;
    this.#taken = new Set(plan.devices);
    for (const device of plan.devices) {
      device.onFree = () => this.#release(device);
      this.#release(device);
    }
  }

  get ledger(): Ledger {
    return this.#plan.statistics.ledger;
  }

  /** How many came so far. */
  get people(): number {
    return this.#people;
  }

  get isGone(): boolean {
    return this.#inside === 0;
  }

  /** True once answers may be under way that no visit waits for. */
  get unanswered(): boolean {
    return this.#unanswered;
  }

  /** Sends the next person to a free gate, or to the end of the queue. @param atMs of the arrival */
  come(atMs: number): void {
    const { cards, drawFault } = this.#plan;
    const card = cards[this.#people % cards.length];
    if (!card) return;
    this.#people += 1;
    this.#inside += 1;
    const fault = drawFault?.();
    if (fault) this.#unanswered = true;
    this.#waiting.push(new Visit(this, card, atMs, fault));
    this.#match();
  }

  /** Lets people come at these times from now on, as long as `goesOn`; several arrivals may share one timer. */
  follow(arrivals: Arrivals, goesOn: () => boolean, onEnd: () => void): void {
    const startedAtMs = this.time.nowMs();
    const next = (dueMs: number | undefined): void => {
      let atMs = dueMs;
      while (atMs !== undefined && atMs + startedAtMs <= this.time.nowMs() && goesOn()) {
        this.come(atMs + startedAtMs);
        atMs = arrivals.next();
      }
      if (!goesOn()) return;
      if (atMs === undefined) onEnd();
      else this.time.after(atMs + startedAtMs - this.time.nowMs(), () => next(atMs));
    };
    next(arrivals.next());
  }

  /** A person goes straight to this device, past every queue. */
  scanAt(device: SimulatedDevice, card: Card): void {
    this.#inside += 1;
    new Visit(this, card, this.time.nowMs(), undefined).stepUp(device);
  }

  scanned(outcome: ScanOutcome, correctedMs: number): void {
    if (outcome.result === 'timeout' || outcome.result === 'error') this.#unanswered = true;
    this.#plan.statistics.scanned(outcome, correctedMs);
  }

  visitOver({ device }: Visit): void {
    this.#inside -= 1;
    if (device) {
      this.#held.delete(device);
      this.#release(device);
    }
    this.#plan.onLeft?.();
  }

  #release(device: SimulatedDevice): void {
    if (!device.free || this.#held.has(device) || !this.#taken.has(device)) return;
    this.#taken.delete(device);
    this.#free.push(device);
    this.#match();
    if (this.#free.length > 0 && this.#waiting.length === 0) this.#plan.onIdle?.();
  }

  #match(): void {
    while (this.#waiting.length > 0) {
      const device = this.#free.shift();
      if (!device) return;
      this.#taken.add(device);
      if (!device.free) continue;
      this.#held.add(device);
      this.#waiting.shift()?.stepUp(device);
    }
  }
}

export interface ArrivalPlan {
  /** People a second once the ramp is over. */
  readonly rate: number;
  readonly pattern: 'poisson' | 'constant';
  /** The time over which the rate rises evenly from nothing. */
  readonly rampMs: number;
  /** The time after which nobody arrives; undefined for no such end. */
  readonly durationMs: number | undefined;
  /** No arrivals after this number; undefined for no end. */
  readonly count: number | undefined;
}

/**
 * When people arrive, in an open model: they come at their own times, however long those before them take.
 * Each arrival is one step on the integral of the rate, a step of 1 (constant) or of exponential length (Poisson);
 * the time is found by inverting the integral, so that the ramp is exact.
 */
export class Arrivals {
  readonly #plan: ArrivalPlan;
  readonly #random: Random;
  #expected = 0;
  #arrived = 0;

  constructor(plan: ArrivalPlan, random: Random) {
    this.#plan = plan;
    this.#random = random;
  }

  /** The time of the next arrival in milliseconds since the start, or undefined when there is none any more. */
  next(): number | undefined {
    const { pattern, durationMs, count } = this.#plan;
    if (count !== undefined && this.#arrived >= count) return undefined;
    this.#expected += pattern === 'constant' ? 1 : this.#random.exponential(1);
    this.#arrived += 1;
    const atMs = this.#whenExpected(this.#expected);
    return durationMs !== undefined && atMs >= durationMs ? undefined : atMs;
  }

  #whenExpected(expected: number): number {
    const { rate, rampMs } = this.#plan;
    const perMs = rate / 1000;
    const duringRamp = (perMs * rampMs) / 2;
    return expected < duringRamp
      ? Math.sqrt((2 * expected * rampMs) / perMs)
      : expected / perMs + rampMs / 2;
  }
}
