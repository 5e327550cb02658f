/** A string, with the colon that makes it a member's name; or a bracket. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs;

/** A member of the outermost object of a JSON text. */
export interface JsonMember {
  readonly name: string;
  /** Where what follows the colon begins. */
  readonly valueAt: number;
}

/** How deep valid JSON is nested, and the outermost members in order. */
export function outlineOf(text: string): { depth: number; members: JsonMember[] } {
  const members: JsonMember[] = [];
  let depth = 0;
  let deepest = 0;
  for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(TOKEN)) {
    if (string === undefined) {
      depth += token === '{' || token === '[' ? 1 : -1;
      deepest = Math.max(deepest, depth);
    } else if (colon !== undefined && depth === 1) {
      members.push({ name: JSON.parse(string) as string, valueAt: index + token.length });
    }
  }
  return { depth: deepest, members };
}

const NUMBER = /\s*(-?\d[\d.eE+-]*)/y;

/**
 * The digits of a number as they were written: as a `number`, `12345678901234567890` and `1.0` become others.
 * @param text a valid JSON object
 * @param name of an outermost member whose value is a number
 */
export function digitsOf(text: string, name: string): string | undefined {
  NUMBER.lastIndex = plainValueAt(text, name) ?? lastValueAt(text, name);
  return NUMBER.exec(text)?.[1];
}

/** Without escapes, a name that is there once is the member's own. */
function plainValueAt(text: string, name: string): number | undefined {
  const quoted = `"${name}"`;
  const at = text.indexOf(quoted);
  if (at === -1 || text.includes('\\') || at !== text.lastIndexOf(quoted)) return undefined;
  return text.indexOf(':', at + quoted.length) + 1;
}

/** Of a member said twice, `JSON.parse` takes the last. */
function lastValueAt(text: string, name: string): number {
  const said = outlineOf(text).members.findLast((member) => member.name === name);
  return said?.valueAt ?? text.length;
}
