/** One small change of an honest subject. */
export interface Fault<Behaviour> {
  /** What is wrong, as the end of a sentence that begins with "A controller" or "A program". */
  readonly does: string;
  /** The cases that fail or warn, and no others. */
  readonly caughtBy: readonly string[];
  /** Cases whose scenes show the fault in those of `caughtBy`. */
  readonly plays?: readonly string[];
  readonly change: Partial<Behaviour>;
}

type Row<Behaviour> = Partial<Behaviour> & Pick<Fault<Behaviour>, 'plays'>;

/** A table by the cases that find the faults: what a subject does, and what it does otherwise than an honest one. */
export function faultsBy<Behaviour>(
  tables: Readonly<Record<string, Readonly<Record<string, Row<Behaviour>>>>>,
): Fault<Behaviour>[] {
  return Object.entries(tables).flatMap(([ids, rows]) =>
    Object.entries(rows).map(([does, { plays, ...change }]) => ({
      does,
      caughtBy: ids.split(', '),
      ...(plays && { plays }),
      change: change as Partial<Behaviour>,
    })),
  );
}
