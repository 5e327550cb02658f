/** Replaces the name of a guest in the audit log. */
const ERASED = 'erased';

const NAMES: ReadonlySet<string> = new Set(['holder', 'firstName', 'lastName']);

/** A JSON value with `erased` in the place of every name of a holder, wherever it is. */
export function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [
    name,
    NAMES.has(name) && one !== null ? ERASED : withoutNames(one),
  ]);
  return Object.fromEntries(members);
}
