/** One comparison on the page. */
export interface Line {
  /** Never changes: later runs are compared by it. */
  readonly id: string;
  readonly what: string;
  readonly against: string;
  /** Both as they are printed, with their unit. */
  readonly figure: string;
  readonly reference: string;
  /** The figure divided by its reference. */
  readonly ratio: number;
  readonly goal?: Goal;
  /** Other programs on the machine change a wall-clock time, but hardly the processor time of one thread. */
  readonly measures: 'processor time' | 'wall clock';
}

export type Goal = { readonly atMost: number } | { readonly atLeast: number };

export type Verdict = 'hit' | 'miss' | 'too busy to judge' | '';

/** Empty where no goal is set. */
export function verdictOf(line: Line, section: Pick<Section, 'taken'>): Verdict {
  const { goal, ratio } = line;
  if (!goal) return '';
  if (!canBeJudged(line, section)) return 'too busy to judge';
  return ('atMost' in goal ? ratio <= goal.atMost : ratio >= goal.atLeast) ? 'hit' : 'miss';
}

export function canBeJudged({ measures }: Line, section: Pick<Section, 'taken'>): boolean {
  return measures === 'processor time' || !wasBusy(section);
}

export function goalText(goal: Goal | undefined): string {
  if (!goal) return '';
  return 'atMost' in goal ? `≤ ${goal.atMost.toFixed(2)}` : `≥ ${goal.atLeast.toFixed(2)}`;
}

/** What one measurement found, under one heading. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** What a reader must know to understand the lines: sentences. */
  readonly notes: readonly string[];
  readonly lines: readonly Line[];
  /** Shares of the machine's processors while it ran. */
  readonly taken: TakenByOthers;
}

export interface TakenByOthers {
  readonly byPrograms: number;
  /** The share that other guests of the host took, as the hypervisor says. */
  readonly byHost: number;
}

const TAKEN_MAX = 0.05;

export function wasBusy({ taken: { byPrograms, byHost } }: Pick<Section, 'taken'>): boolean {
  return byPrograms + byHost > TAKEN_MAX;
}
