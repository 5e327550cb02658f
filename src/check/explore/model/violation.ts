import { isDevice, type Step } from '../histories/history.ts';
import type { Observation } from '../run/observation.ts';

/** What a history can show to be wrong. Stable names: reports and saved files carry them. */
export type Rule =
  | 'no-answer'
  | 'server-error'
  | 'wrong-answer'
  | 'echo'
  | 'leak'
  | 'facts-changed'
  | 'arithmetic'
  | 'time-repeated'
  | 'use-given-twice'
  | 'too-many-uses'
  | 'uses-vanished'
  | 'uses-from-nowhere'
  | 'exhausted-too-early'
  | 'order';

/** Rules that one fault may break in turn: a use that two requests got is missing at the next look. */
const FAMILIES: readonly (readonly Rule[])[] = [
  [
    'use-given-twice',
    'too-many-uses',
    'uses-vanished',
    'uses-from-nowhere',
    'exhausted-too-early',
    'order',
  ],
  ['leak', 'facts-changed'],
];

/** A statement of the specification that the answers of a history break. */
export interface Violation {
  readonly rule: Rule;
  /** Of the specification. */
  readonly section: string;
  readonly expected: string;
  readonly observed: string;
  /** The request whose answer shows it. */
  readonly at: Observation;
}

/** True when both may come from one fault: rules of one family, shown by software, a device or a heartbeat in both. */
export function isSameFault(one: Violation, other: Violation): boolean {
  return (
    familyOf(one.rule) === familyOf(other.rule) && sideOf(one.at.step) === sideOf(other.at.step)
  );
}

function familyOf(rule: Rule): Rule {
  return FAMILIES.find((family) => family.includes(rule))?.[0] ?? rule;
}

function sideOf({ action }: Step): string {
  if (action === 'heartbeat') return action;
  return isDevice(action) ? 'device' : 'software';
}
