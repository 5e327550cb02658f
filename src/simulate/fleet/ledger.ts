import type { FaultKind } from '../faults.ts';

/** What one kind of fault did to people and their tickets. */
export interface FaultCost {
  /** `none` means presentations without an injected fault. */
  readonly fault: FaultKind | 'none';
  /** People who met it. */
  readonly people: number;
  /** For how many of those the door opened; who then turned back is among them. */
  readonly entered: number;
  /** Uses registered for which no door opened: because answers were lost, or cards were posted twice. */
  readonly usesLost: number;
  /** Posts for which it stayed unknown whether they took a use. */
  readonly unknown: number;
  /** People who were charged a use and still did not get in. */
  readonly shutOut: number;
}

type Counts = { -readonly [Name in keyof FaultCost]: FaultCost[Name] };

/** Counts uses and openings, one row for each kind of fault. */
export class Ledger {
  readonly #rows = new Map<FaultKind | 'none', Counts>();

  row(fault: FaultKind | undefined): Counts {
    const name = fault ?? 'none';
    let row = this.#rows.get(name);
    if (!row) {
      row = { fault: name, people: 0, entered: 0, usesLost: 0, unknown: 0, shutOut: 0 };
      this.#rows.set(name, row);
    }
    return row;
  }

  rows(): FaultCost[] {
    return [...this.#rows.values()]
      .map((row) => ({ ...row }))
      .sort((a, b) => a.fault.localeCompare(b.fault));
  }

  get usesLost(): number {
    return this.rows().reduce((sum, { usesLost }) => sum + usesLost, 0);
  }
}
