import { type CheckCase, sectionOf } from './case.ts';
import { CheckUsageError } from './target.ts';

export interface Selection {
  /** Ids, sections (`4.2`) or globs (`4.*`, `*race*`); none means all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  readonly rateLimits?: boolean | undefined;
}

/**
 * The cases that are asked for, in the order of the specification.
 * @throws CheckUsageError when a pattern, or all of it, matches no case
 */
export function selectCases(cases: readonly CheckCase[], selection: Selection): CheckCase[] {
  const { only = [], skip = [], rateLimits = false } = selection;
  for (const pattern of [...only, ...skip]) {
    if (cases.some((one) => matches(one, pattern))) continue;
    throw new CheckUsageError(
      `No case matches "${pattern}". \`ticketscan check --list\` shows the ids; a pattern may be an id, a section or a glob such as "4.2/*".`,
    );
  }
  const chosen = cases.filter(
    (one) =>
      (only.length === 0 || only.some((pattern) => matches(one, pattern))) &&
      !skip.some((pattern) => matches(one, pattern)),
  );
  const selected = chosen.filter((one) => rateLimits || one.phase !== 'rate-limits');
  if (selected.length > 0) return selected;
  throw new CheckUsageError(
    chosen.length > 0
      ? 'Only rate-limit cases are selected, and they run only with --rate-limits.'
      : 'The selection leaves no case to run.',
  );
}

function matches(one: CheckCase, pattern: string): boolean {
  if (pattern === one.id || pattern === sectionOf(one.id)) return true;
  const expression = pattern
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('\\?', '.'))
    .join('.*');
  return new RegExp(`^${expression}$`).test(one.id);
}
