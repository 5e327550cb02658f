import { MINUTE_MS } from '../../../kit/durations.ts';
import type { MinuteCounts } from '../../manage/statistics/minute-counts.ts';
import type { Statistics } from '../wire/operations.ts';

interface CountedMinutes {
  readonly counts: MinuteCounts;
  readonly complete: boolean;
  readonly today: Statistics['today'];
}

/** The last `minutes` minutes, the current one included. */
export function statisticsView(
  { counts, complete, today }: CountedMinutes,
  minutes: number,
  now: number,
): Statistics {
  const current = Math.floor(now / MINUTE_MS);
  const first = current - minutes + 1;
  return {
    minutes: Array.from({ length: minutes }, (_, index) => {
      const minute = first + index;
      return { at: minute * MINUTE_MS, ...counts.at(minute) };
    }),
    byGate: counts
      .byGate(first, current)
      .map((gate) => ({ gate: gate.serial ?? gate.keyId, ...gate })),
    byReason: counts.byReason(first, current),
    today: { admitted: today.admitted, denied: today.denied },
    complete,
  };
}
