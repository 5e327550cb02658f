import { type AskedCell, type Cell, type CheckCase, cellsOf } from '../cases/case.ts';
import { CheckUsageError } from '../deployment/target.ts';
import type { Level } from '../facts/level.ts';
import set202611 from './2026-11.json' with { type: 'json' };

/** The level of each question, by the id of its case and its place in it: `hw/consume (multi)`. */
export type RequirementSet = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The sets, oldest first. `npm run requirements` makes the newest from the cases. */
export const REQUIREMENT_SETS: Readonly<Record<string, RequirementSet>> = { '2026-11': set202611 };

/** The name of the newest set, which a run uses that asks for none. */
export const NEWEST_SET = Object.keys(REQUIREMENT_SETS).at(-1) ?? '';

/** The name of a question within its case; `sequence` where it is about several endpoints. */
function placeOf({ endpoint = undefined, variant }: Partial<AskedCell>): string {
  return variant === undefined
    ? (endpoint ?? 'sequence')
    : `${endpoint ?? 'sequence'} {${variant}}`;
}

/** The set that these cases make up. */
export function setOf(cases: readonly CheckCase[]): RequirementSet {
  return Object.fromEntries(
    cases.map((one) => [
      one.id,
      Object.fromEntries(cellsOf(one).map((cell) => [placeOf(cell), cell.level])),
    ]),
  );
}

/**
 * The cases as a set has them: with its levels, and with what came after it marked as such.
 * @param name of the set, `2026-11`
 * @throws CheckUsageError when there is no such set
 */
export function casesOfSet(cases: readonly CheckCase[], name: string): CheckCase[] {
  const set = REQUIREMENT_SETS[name];
  if (set && Object.hasOwn(REQUIREMENT_SETS, name)) return cases.map((one) => pinned(one, set));
  throw new CheckUsageError(
    `Unknown requirement set "${name}". Known sets: ${Object.keys(REQUIREMENT_SETS).join(', ')}.`,
  );
}

/** A case with the levels of a set. */
export function pinned(one: CheckCase, set: RequirementSet): CheckCase {
  const levels = Object.hasOwn(set, one.id) ? (set[one.id] ?? {}) : {};
  const inSet = (place: string) => {
    const level = Object.hasOwn(levels, place) ? (levels[place] as Level) : undefined;
    return level === undefined ? { later: true as const } : { level };
  };
  if (!('cells' in one)) return { ...one, ...inSet(placeOf(one)) };
  return { ...one, cells: one.cells.map((cell): Cell => ({ ...cell, ...inSet(placeOf(cell)) })) };
}
