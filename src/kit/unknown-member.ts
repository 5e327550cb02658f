import { didYouMean } from './nearest.ts';

/**
 * What is wrong with a member that a schema does not have at this place.
 * @param schema the JSON Schema of the whole document
 */
export function unknownMember(name: string, schema: unknown): string {
  const known = memberNames(schema);
  // It is known, but at another place.
  known.delete(name);
  return `"${name}" is unknown here.${didYouMean(name, known)}`;
}

/** The names of all members that a JSON Schema describes. */
function memberNames(schema: unknown, names = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  for (const [keyword, part] of Object.entries(schema)) {
    if (keyword === 'properties') for (const name of Object.keys(part)) names.add(name);
    memberNames(part, names);
  }
  return names;
}
