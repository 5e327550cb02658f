/** One thing wrong in a file of rows, where a person finds it. */
export interface RowFault {
  /** From 1, as an editor counts. */
  readonly line: number;
  /** Name of the column; null when the row as a whole is wrong. */
  readonly column: string | null;
  readonly message: string;
}

/** A row as it stands in the file: texts by the name of their column. */
export interface RawRow {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

/** What a file of rows yields: good rows and faults, in the order of the file. */
export type RowOrFault = { readonly row: RawRow } | { readonly fault: RowFault };

/** `line 17, column uses: …` */
export function faultInWords({ line, column, message }: RowFault): string {
  return `line ${line}${column === null ? '' : `, column ${column}`}: ${message}`;
}
