import type { UnseenReason } from './device-events.ts';
import type { FaultKind } from './faults.ts';
import type { Timer } from './time.ts';
import type { Receiver, WireAnswer, WireFailure } from './wire.ts';

/** A card as it is held in front of a reader. `label` stands for it in events: a code is as good as a ticket. */
export interface Card {
  readonly code: string;
  readonly label: string;
}

/** How one presentation of a card ended for the device. */
export interface ScanOutcome {
  readonly result: 'granted' | 'denied' | 'timeout' | 'error';
  /** From the post to its outcome, milliseconds. */
  readonly latencyMs: number;
  /** True when the door opened, be it on a grant or because the device is fail-safe. */
  readonly opened: boolean;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  readonly name: string;
  readonly note: string;
  /** True when no connection came about, so that the server cannot have decided anything. */
  readonly unreachable: boolean;
  /** For an error: what happened, for people. */
  readonly message: string | undefined;
}

/** A card in front of a reader, what is to go wrong with it, and who wants to know. */
export interface Presentation {
  readonly card: Card;
  readonly fault?: FaultKind | undefined;
  /** Called once, unless the card was ignored or the power went. */
  readonly done?: ((outcome: ScanOutcome) => void) | undefined;
  /** Called for each answer that the server gave and the device never got. */
  readonly unseen?: ((usesSpent: number, why: UnseenReason) => void) | undefined;
}

/** What an attempt reports to. */
export interface AttemptOwner {
  scanAnswered(attempt: ScanAttempt, answer: WireAnswer): void;
  scanFailed(attempt: ScanAttempt, failure: WireFailure): void;
  scanUnseen(attempt: ScanAttempt, answer: WireAnswer, why: UnseenReason): void;
}

/** One posted card, from the post until nobody can hear of it any more. */
export class ScanAttempt implements Receiver {
  readonly presentation: Presentation;
  readonly sentAtMs: number;
  readonly #owner: AttemptOwner;
  timer: Timer | undefined;
  #over: UnseenReason | 'answered' | undefined;

  constructor(owner: AttemptOwner, presentation: Presentation, sentAtMs: number) {
    this.#owner = owner;
    this.presentation = presentation;
    this.sentAtMs = sentAtMs;
  }

  /** From now on the device does not listen any more; answers are unseen for this reason. */
  end(why: UnseenReason | 'answered'): void {
    this.#over ??= why;
  }

  answered(answer: WireAnswer): void {
    if (this.#over === undefined) this.#owner.scanAnswered(this, answer);
    else if (this.#over !== 'answered') this.#owner.scanUnseen(this, answer, this.#over);
  }

  failed(failure: WireFailure): void {
    if (this.#over === undefined) this.#owner.scanFailed(this, failure);
  }

  unseen(answer: WireAnswer): void {
    this.#owner.scanUnseen(this, answer, this.presentation.fault ?? 'late-answer');
  }
}
