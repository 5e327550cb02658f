import { type LoadResult, median } from './load.ts';

export interface Turns {
  /** Requests a second, the median of the rounds. */
  readonly rate: number;
  readonly rates: readonly number[];
  readonly p99Ms: readonly number[];
}

/** Runs all once to warm up, then all in turns (A B C A B C …), so that each meets the same machine. */
export async function inTurns<Name extends string>(
  runs: Readonly<Record<Name, () => Promise<LoadResult>>>,
  rounds: number,
): Promise<Record<Name, Turns>> {
  const names = Object.keys(runs) as Name[];
  const results = new Map(names.map((name) => [name, [] as LoadResult[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const result = await runs[name]();
      if (round > 0) results.get(name)?.push(result);
    }
    if (round > 0) console.error(`round ${round} of ${rounds}: ${roundText(results)}`);
  }
  const turns = [...results].map(([name, all]) => {
    const rates = all.map(({ requestsPerSecond }) => requestsPerSecond);
    return [name, { rate: median(rates), rates, p99Ms: all.map(({ p99Ms }) => p99Ms) }];
  });
  return Object.fromEntries(turns) as Record<Name, Turns>;
}

/** The median of the ratios of each round: neighbours in time met the same machine. */
export function ratioOf(one: Turns, reference: Turns, figure: 'rates' | 'p99Ms' = 'rates'): number {
  return median(
    one[figure].map((value, round) => value / (reference[figure][round] ?? Number.NaN)),
  );
}

function roundText(results: ReadonlyMap<string, readonly LoadResult[]>): string {
  return [...results]
    .map(([name, all]) => `${name} ${all.at(-1)?.requestsPerSecond.toFixed(0)}/s`)
    .join(', ');
}
