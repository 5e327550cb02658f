import type { Asked, Draft, Members } from './draft.ts';

/** One way in which an answer may differ and still be what the specification describes. */
export interface Variation<Name extends string = string> {
  readonly name: Name;
  /** What a client meets, for docs/testing/testing.md. */
  readonly meaning: string;
  /** True for what a server does always or never: the seed decides, once. */
  readonly isTrait?: true;
  /**
   * @param random 0 to below 1, for what is left open
   * @returns undefined where it does not apply, or where another variation already decided the same
   */
  vary(draft: Draft, random: () => number, asked: Asked): Draft | undefined;
}

/** A variation of the members of a JSON body. @param change returns undefined where it does not apply */
export function ofMembers<const Name extends string>(
  name: Name,
  meaning: string,
  change: (members: Members, random: () => number) => Members | undefined,
): Variation<Name> {
  return {
    name,
    meaning,
    vary(draft, random) {
      const members = draft.members && change(draft.members, random);
      return members && { ...draft, members };
    },
  };
}

/** A variation that is the same whatever is answered. */
export function ofAny<const Name extends string>(
  name: Name,
  meaning: string,
  change: (draft: Draft, random: () => number) => Draft | undefined,
): Variation<Name> {
  return { name, meaning, vary: change };
}

/** One of them. */
export function pick<Value>(values: readonly [Value, ...Value[]], random: () => number): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

/** The values in an order that depends on `random` alone. */
export function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}
