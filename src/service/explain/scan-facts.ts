import { monthOf } from '../../core/clock.ts';
import { termsFrom } from '../../core/key-terms.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import type { ApiKeyRecord, EventRecord } from '../../core/records.ts';
import {
  answerRequest,
  type BatchRequest,
  type ScanOutcome,
  type ScanState,
} from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { SignatureFacts } from './signature-facts.ts';

/** Everything that a decision about one request depends on, as it was just before. */
export interface ScanFacts {
  /** Undefined when it is unknown or deleted. */
  readonly key: ApiKeyRecord | undefined;
  /** Of the key's organisation. */
  readonly limits: OrganisationLimits;
  /** Accepted requests of the key in the month of the request, this one not included. */
  readonly requestsInMonth: number;
  readonly signature: SignatureFacts;
  /** Undefined when the store has no such event, or the request names none. */
  readonly event: EventRecord | undefined;
  readonly ticket: Ticket | undefined;
}

/**
 * What `answerRequest` says on these facts. Nothing is registered anywhere, and no earlier answer is known: for a request
 * whose retry may be met, the outcome is not predicted here.
 */
export function outcomeOn(facts: ScanFacts, request: BatchRequest): ScanOutcome {
  return answerRequest(request, new StateOfFacts(facts, request));
}

/** Reads facts, forgets writes. */
class StateOfFacts implements ScanState {
  readonly #facts: ScanFacts;
  readonly #month: number;

  constructor(facts: ScanFacts, request: BatchRequest) {
    this.#facts = facts;
    this.#month = monthOf(request.now);
  }

  key(): ReturnType<ScanState['key']> {
    const { key, limits } = this.#facts;
    if (!key) return undefined;
    const { active, organisationId } = key;
    const { quotaPerMonth } = limits;
    const events = key.events === 'all' ? 'all' : new Set(key.events);
    return { active, organisationId, events, quotaPerMonth, rate: limits, ...termsFrom(key) };
  }

  organisationOf(): string | undefined {
    return this.#facts.event?.organisationId;
  }

  ticket(): Ticket | undefined {
    return this.#facts.ticket;
  }

  requestsInMonth(_keyId: string, month: number): number {
    return month === this.#month ? this.#facts.requestsInMonth : 0;
  }

  storedAnswer(): undefined {}
  countRequest(): void {}
  saveUse(): void {}
  countPassage(): void {}
  storeAnswer(): void {}
  appendLog(): void {}
  countScan(): void {}
  saveContact(): void {}
}
