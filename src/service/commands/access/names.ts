import { sanitizeForTerminal } from '../../../kit/safe-text.ts';

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
