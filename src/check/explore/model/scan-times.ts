import { isRecord, show } from '../../facts/json.ts';
import { consumes } from '../histories/history.ts';
import type { Observation } from '../run/observation.ts';
import type { Violation } from './violation.ts';

/** Times may be shown in whole seconds: two scans within that may show the same one. */
const RESOLUTION_MS = 1100;
const KEPT_MAX = 10_000;

/** Section 2.3: scannedAt is the time of this consumption, and not of an earlier one. */
export class ScanTimes {
  /** The first answer with that time. */
  readonly #seen = new Map<string, Observation>();

  judge(observations: readonly Observation[]): Violation | undefined {
    for (const at of observations) {
      const body = at.answer?.json;
      if (!consumes(at.step.action) || !isRecord(body)) continue;
      const { scannedAt } = body;
      if (typeof scannedAt !== 'string') continue;
      const seen = this.#seen.get(scannedAt);
      if (seen === undefined) this.#remember(scannedAt, at);
      else if (at.startedAt - seen.endedAt > RESOLUTION_MS && !isSameRequest(at, seen)) {
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
    if (this.#seen.size >= KEPT_MAX) this.#seen.clear();
    this.#seen.set(scannedAt, at);
  }
}

function isSameRequest(one: Observation, other: Observation): boolean {
  return one.retryOf !== undefined && one.retryOf === other.retryOf;
}
