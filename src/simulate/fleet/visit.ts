import type { FaultKind } from '../faults.ts';
import type { Card, ScanOutcome } from '../scan-attempt.ts';
import type { SimulatedDevice } from '../simulated-device.ts';
import type { Time } from '../time.ts';
import type { Ledger } from './ledger.ts';

/** How people behave at a gate. */
export interface Manners {
  /** How often a person presents the card again when no answer came. */
  readonly retries: number;
  /** How long a person waits before that. */
  readonly retryAfterMs: number;
}

export interface VisitOwner {
  readonly time: Time;
  readonly ledger: Ledger;
  readonly manners: Manners;
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
