import { sanitizeForTerminal } from '../kit/safe-text.ts';
import type { CliIo } from '../terminal/io.ts';
import { note } from '../terminal/messages.ts';

/** The names of records by their ids. */
export type Names = ReadonlyMap<string, string>;

export function namesOf(records: readonly { readonly id: string; readonly name: string }[]): Names {
  return new Map(records.map(({ id, name }) => [id, name]));
}

/** The name with the id, or the id alone: what was deleted has no name. */
export function withName(id: string, names: Names): string {
  const name = names.get(id);
  return name === undefined ? id : `${sanitizeForTerminal(name)} (${id})`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Says that another one has the name of a new one: commands then need the id. @param what such as `key` */
export function warnDuplicateName(
  io: CliIo,
  what: string,
  made: Named,
  all: readonly Named[],
): void {
  const other = all.find(({ id, name }) => id !== made.id && name === made.name);
  if (!other) return;
  const name = sanitizeForTerminal(made.name);
  note(
    io,
    `Another ${what} (${other.id}) is named "${name}" too: in commands, give the id, or rename one with --name.`,
  );
}
