import { isRecord, show } from '../../facts/json.ts';
import { consumes } from '../history.ts';
import type { Observation } from '../observation.ts';
import type { Violation } from './violation.ts';

/** Times may be shown in whole seconds: two scans within that may show the same one. */
const RESOLUTION_MS = 1100;
const KEPT_MAX = 10_000;

/** Section 2.3: scannedAt is the time of this consumption, and not of an earlier one. */
export class ScanTimes {
  /** When the first answer with that time was whole. */
  readonly #seen = new Map<string, number>();

  judge(observations: readonly Observation[]): Violation | undefined {
    for (const at of observations) {
      const body = at.answer?.json;
      if (!consumes(at.step.action) || !isRecord(body)) continue;
      const { scannedAt } = body;
      if (typeof scannedAt !== 'string') continue;
      const seenAt = this.#seen.get(scannedAt);
      if (seenAt === undefined) this.#remember(scannedAt, at.endedAt);
      else if (at.startedAt - seenAt > RESOLUTION_MS) {
        return {
          rule: 'time-repeated',
          section: '2.3',
          expected: 'scannedAt: the time of this consumption',
          observed: `scannedAt: ${show(scannedAt)}, as in an answer ${Math.round(at.startedAt - seenAt)} ms before`,
          at,
        };
      }
    }
    return undefined;
  }

  #remember(scannedAt: string, endedAt: number): void {
    if (this.#seen.size >= KEPT_MAX) this.#seen.clear();
    this.#seen.set(scannedAt, endedAt);
  }
}
