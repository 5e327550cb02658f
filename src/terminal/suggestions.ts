import type { Argument, Option } from 'commander';

interface Suggestions {
  readonly words: readonly string[];
  /** True when several are given, separated by commas. */
  readonly isList: boolean;
}

const SUGGESTIONS = new WeakMap<Option | Argument, Suggestions>();

/**
 * Names words that a shell completes as values, for an option that checks its value itself: it also takes a mix or a list, or its message says more than
 * that of commander's choices.
 */
export function suggest<Target extends Option | Argument>(
  target: Target,
  words: readonly string[],
  { isList = false } = {},
): Target {
  SUGGESTIONS.set(target, { words, isList });
  return target;
}

/** What `suggest`, or commander's choices, say of it. */
export function suggestionsFor(target: Option | Argument): Suggestions | undefined {
  if (target.argChoices) return { words: target.argChoices, isList: false };
  return SUGGESTIONS.get(target);
}
