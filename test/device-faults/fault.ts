/** One small change of an honest subject. */
export interface Fault<Behaviour> {
  /** What is wrong, as the end of a sentence that begins with "A controller" or "A program". */
  readonly does: string;
  /** The cases that fail or warn, and no others. */
  readonly caughtBy: readonly string[];
  readonly change: Partial<Behaviour>;
}

/** A table by the cases that find the faults: what a subject does, and what it does otherwise than an honest one. */
export function faultsBy<Behaviour>(
  tables: Readonly<Record<string, Readonly<Record<string, Partial<Behaviour>>>>>,
): Fault<Behaviour>[] {
  return Object.entries(tables).flatMap(([ids, rows]) =>
    Object.entries(rows).map(([does, change]) => ({ does, caughtBy: ids.split(', '), change })),
  );
}
