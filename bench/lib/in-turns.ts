import { type LoadResult, median } from './load.ts';

export interface Turns<Result extends LoadResult = LoadResult> {
  /** Requests a second, the median of the rounds. */
  readonly rate: number;
  readonly results: readonly Result[];
}

/** Runs all once to warm up, then all in turns (A B C A B C …), so that each meets the same machine. */
export async function inTurns<Name extends string, Result extends LoadResult>(
  runs: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
): Promise<Record<Name, Turns<Result>>> {
  const names = Object.keys(runs) as Name[];
  const results = new Map(names.map((name) => [name, [] as Result[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const result = await runs[name]();
      if (round > 0) results.get(name)?.push(result);
    }
    if (round > 0) console.error(`round ${round} of ${rounds}: ${roundText(results)}`);
  }
  const turns = [...results].map(([name, all]) => {
    const rate = median(all.map(({ requestsPerSecond }) => requestsPerSecond));
    return [name, { rate, results: all }];
  });
  return Object.fromEntries(turns) as Record<Name, Turns<Result>>;
}

/** The median of the ratios of each round: neighbours in time met the same machine. */
export function ratioOf<Result extends LoadResult>(
  one: Turns<Result>,
  reference: Turns<Result>,
  figure: (result: Result) => number = ({ requestsPerSecond }) => requestsPerSecond,
  figureOfReference = figure,
): number {
  const others = reference.results.map(figureOfReference);
  return median(one.results.map((result, round) => figure(result) / (others[round] ?? Number.NaN)));
}

function roundText(results: ReadonlyMap<string, readonly LoadResult[]>): string {
  return [...results]
    .map(([name, all]) => `${name} ${all.at(-1)?.requestsPerSecond.toFixed(0)}/s`)
    .join(', ');
}
