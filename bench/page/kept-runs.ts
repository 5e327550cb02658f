import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canBeJudged, type Section } from './line.ts';

const RUNS_MAX = 50;

/** One call of the benchmark. */
export interface Run {
  readonly at: string;
  readonly commit: string;
  /** Only runs on one machine are compared. */
  readonly machine: string;
  /** Short runs are compared with short runs. */
  readonly quick: boolean;
  readonly sections: readonly Section[];
}

/** The newest last. @returns none where the file is missing */
export function readRuns(path: string): Run[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Run[]) : [];
}

export function keepRun(path: string, run: Run): void {
  const runs = [...readRuns(path), run].slice(-RUNS_MAX);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(runs, null, 1)}\n`);
}

/** The ratio of a line in the newest earlier run of the same kind that could be judged. */
export function lastRatio(
  lineId: string,
  { machine, quick }: Pick<Run, 'machine' | 'quick'>,
  earlier: readonly Run[],
): number | undefined {
  const alike = earlier.filter((run) => run.machine === machine && run.quick === quick);
  const sections = alike.flatMap((run) => run.sections);
  const judged = sections.flatMap((section) =>
    section.lines.filter((line) => line.id === lineId && canBeJudged(line, section)),
  );
  return judged.at(-1)?.ratio;
}
