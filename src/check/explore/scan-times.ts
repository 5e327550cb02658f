import { isConsume } from '../facts/exchange.ts';
import { isRecord, show } from '../facts/json.ts';
import type { Observation, Violation } from './observation.ts';

/** Times may be shown in whole seconds: two scans within that may show the same one. */
const TIME_RESOLUTION_MS = 1100;
const TIMES_KEPT_MAX = 10_000;

/** Section 2.3: scannedAt is the time of this consumption, and not of an earlier one. */
export class ScanTimes {
  /** The first answer with that time. */
  readonly #seen = new Map<string, Observation>();

  judge(observations: readonly Observation[]): Violation | undefined {
    for (const at of observations) {
      const body = at.answer?.json;
      if (!isConsume(at.step.endpoint) || !isRecord(body)) continue;
      const { scannedAt } = body;
      if (typeof scannedAt !== 'string') continue;
      const seen = this.#seen.get(scannedAt);
      if (seen === undefined) this.#remember(scannedAt, at);
      else if (at.startedAt - seen.endedAt > TIME_RESOLUTION_MS && !isSameRequest(at, seen)) {
        return {
          rule: 'time-repeated',
          section: '2.3',
          expected: 'scannedAt: the time of this consumption',
          observed: `scannedAt: ${show(scannedAt)}, as in an answer ${Math.round(at.startedAt - seen.endedAt)} ms before`,
          at,
        };
      }
    }
    return undefined;
  }

  #remember(scannedAt: string, at: Observation): void {
    if (this.#seen.size >= TIMES_KEPT_MAX) this.#seen.clear();
    this.#seen.set(scannedAt, at);
  }
}

function isSameRequest(one: Observation, other: Observation): boolean {
  return one.retryOf !== undefined && one.retryOf === other.retryOf;
}
