import type { TargetLimits } from '../deployment/target.ts';
import type { PaceClock } from '../pace/pace.ts';
import type { Reading, ReadingOutcome } from './reading.ts';

/** What is done to a key whose bucket is full, to learn its limits. */
export interface Drill {
  /** The burst: as fast as possible until some requests were refused. */
  readonly burst: readonly Reading[];
  /** After each pause what was regained is used up again. */
  readonly rounds: readonly (readonly Reading[])[];
}

/** Parts of the time in which a bucket fills; of unequal length, so that a refill in steps does not fit them. */
const PAUSES = [0.12, 0.5, 0.2, 0.35, 0.15, 0.43];
const BURST_REFUSALS = 10;
const ROUND_REFUSALS = 4;
/** A client that has not exceeded the limit by then is too slow for it. */
const BURST_MS_MAX = 5000;
const ROUND_MS_MAX = 1000;
const LANES = { min: 3, max: 32 };

interface Flood {
  readonly lanes: number;
  readonly refusals: number;
  readonly msMax: number;
  /** More than that were served: there is no need to send on. */
  enough(ms: number): number;
}

/** How long a bucket rests until it is full for certain, in milliseconds. */
export function restMs({ rate, burst }: Required<TargetLimits>): number {
  return (burst / rate) * 1000 * 1.15;
}

/**
 * Uses up a full bucket, and what it regains in some pauses.
 * @param limits what the server should keep: how long the pauses are, and when it is clear that it does not
 * @param send resolves with what became of one request
 * @param pauses as parts of the time in which the bucket fills
 */
export async function drill(
  limits: Required<TargetLimits>,
  send: () => Promise<ReadingOutcome>,
  clock: PaceClock,
  pauses: readonly number[] = PAUSES,
): Promise<Drill> {
  const { rate, burst } = limits;
  const ask = async (readings: Reading[]) => {
    const sentAt = clock.now();
    const outcome = await send();
    readings.push({ sentAt, answeredAt: clock.now(), outcome });
    return outcome;
  };
  const warming: Reading[] = [];
  for (let i = 0; i < 3; i += 1) await ask(warming);
  const lanesFor = (perSecond: number) =>
    Math.min(LANES.max, Math.max(LANES.min, Math.ceil((perSecond * latencyMs(warming)) / 1000)));
  const first = await flood(ask, clock, {
    lanes: lanesFor(4 * burst),
    refusals: BURST_REFUSALS,
    msMax: BURST_MS_MAX,
    enough: (ms) => 1.5 * (burst + (rate * ms) / 1000),
  });
  const rounds: Reading[][] = [];
  for (const pause of pauses) {
    const ms = (pause * burst * 1000) / rate;
    await clock.sleep(ms);
    const round = await flood(ask, clock, {
      lanes: lanesFor(4 * rate),
      refusals: ROUND_REFUSALS,
      msMax: ROUND_MS_MAX,
      enough: (more) => 10 + (2 * rate * (ms + more)) / 1000,
    });
    rounds.push(round);
  }
  return { burst: [...warming, ...first], rounds };
}

async function flood(
  ask: (readings: Reading[]) => Promise<ReadingOutcome>,
  clock: PaceClock,
  { lanes, refusals, msMax, enough }: Flood,
): Promise<Reading[]> {
  const readings: Reading[] = [];
  const startedAt = clock.now();
  let limited = 0;
  const goesOn = () => {
    const ms = clock.now() - startedAt;
    return ms < msMax && limited < refusals && readings.length - limited < enough(ms);
  };
  const lane = async () => {
    while (goesOn()) if ((await ask(readings)) === 'limited') limited += 1;
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return readings;
}

function latencyMs(readings: readonly Reading[]): number {
  const all = readings.map(({ sentAt, answeredAt }) => answeredAt - sentAt);
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
}
