import type { CliIo } from './io.ts';
import { note } from './messages.ts';
import { showTable } from './table.ts';

/** `--json` of a command. */
interface Format {
  readonly json?: boolean | undefined;
}

/** Shows a result: with `--json` as indented JSON, otherwise as these lines. */
export function showResult(
  io: CliIo,
  { json }: Format,
  value: unknown,
  lines: string | readonly string[],
): void {
  if (json) io.out(JSON.stringify(value, null, 2));
  else for (const line of [lines].flat()) io.out(line);
}

/** How a list is shown to people. */
interface ListView<T> {
  readonly heads: readonly string[];
  readonly row: (record: T) => readonly string[];
  /** Its JSON, where that is not the record itself. */
  readonly json?: (record: T) => unknown;
  /** The message instead of an empty table. */
  readonly empty: string;
}

/** Shows a list: with `--json` as a JSON array, otherwise as a table. */
export function showRecords<T>(
  io: CliIo,
  { json }: Format,
  records: readonly T[],
  { heads, row, empty, json: jsonOf = (record) => record }: ListView<T>,
): void {
  if (json) {
    io.out(JSON.stringify(records.map(jsonOf), null, 2));
    return;
  }
  if (records.length === 0) note(io, empty);
  showTable(io, heads, records.map(row));
}
