import * as z from 'zod';
import { nearest } from '../kit/nearest.ts';

/** The first problem of an input. */
export interface InputIssue {
  /** The path of the value, with dots between the members; empty for the input itself. */
  readonly field: string;
  readonly message: string;
  /** The kind of the problem, for a text in another language. */
  readonly why: InputReason;
  /** The smallest or largest allowed number or length, if that was the problem. */
  readonly min?: number;
  readonly max?: number;
}

/** A text is short or long, a number small or large, a list has few or many entries. */
type InputReason = 'missing' | 'short' | 'long' | 'small' | 'large' | 'few' | 'many' | 'not_valid';

/** Reads an input, and describes a problem in words. @returns the values, or the first issue */
export function readInput(
  schema: z.ZodType,
  input: unknown,
): { readonly value: unknown } | { readonly issue: InputIssue } {
  const { error, data } = z.safeParse(schema, input, { error: inWords });
  return error ? { issue: firstIssue(error, 'The request') } : { value: data };
}

/** Writes a value as it is sent: the reverse of `readInput`. */
export function writeInput(
  schema: z.ZodType,
  value: unknown,
): { readonly value: unknown } | { readonly issue: InputIssue } {
  const { error, data } = z.safeEncode(schema, value, { error: inWords });
  return error ? { issue: firstIssue(error) } : { value: data };
}

/** @param whole the name of the input itself, for an issue of none of its members */
function firstIssue({ issues: [first] }: z.ZodError, whole?: string): InputIssue {
  const { code = 'custom', path = [], message = 'does not fit' } = first ?? {};
  const isWhole = path.length === 0 && code !== 'custom';
  return {
    field: path.join('.'),
    message: isWhole && whole !== undefined ? `${whole} ${message}.` : message,
    why: reasonOf(first),
    ...(first?.code === 'too_small' && { min: Number(first.minimum) }),
    ...(first?.code === 'too_big' && { max: Number(first.maximum) }),
  };
}

function reasonOf(issue: z.core.$ZodIssue | undefined): InputReason {
  switch (issue?.code) {
    case 'invalid_type':
      return issue.message === MISSING ? 'missing' : 'not_valid';
    case 'too_small':
      return isNumber(issue.origin) || issue.minimum !== 1 ? smallOf(issue.origin) : 'missing';
    case 'too_big':
      return isNumber(issue.origin) ? 'large' : issue.origin === 'string' ? 'long' : 'many';
    default:
      return 'not_valid';
  }
}

function smallOf(origin: string): InputReason {
  return isNumber(origin) ? 'small' : origin === 'string' ? 'short' : 'few';
}

const MISSING = 'is missing';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Words a problem for a person, because Zod's own words are for programmers. Undefined keeps them, or the message of the schema. */
function inWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? MISSING
        : `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return leastOf(issue.origin, Number(issue.minimum));
    case 'too_big':
      return mostOf(issue.origin, Number(issue.maximum));
    case 'invalid_value':
      return `must be ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}`;
    case 'unrecognized_keys':
      return `has a member that cannot be given here: ${unknownMembers(issue.keys, issue.inst)}`;
    case 'invalid_union':
      return 'has none of the forms that are allowed';
    case 'invalid_format':
      return 'does not have the form that is needed';
    default:
      return undefined;
  }
}

/** Lists unknown members, each with the known one that was probably meant. @param schema the object that does not have them */
function unknownMembers(names: readonly string[], schema: unknown): string {
  const known = Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
  const shown = names.map((name) => {
    const meant = nearest(name, known);
    return meant === undefined ? name : `${name} (did you mean "${meant}"?)`;
  });
  return shown.join(', ');
}

function leastOf(origin: string, minimum: number): string {
  if (isNumber(origin)) return `must be at least ${minimum}`;
  if (minimum === 1) return 'must not be empty';
  return `needs at least ${minimum} ${origin === 'string' ? 'characters' : 'items'}`;
}

function mostOf(origin: string, maximum: number): string {
  if (isNumber(origin)) return `must be at most ${maximum}`;
  return `may have at most ${maximum} ${origin === 'string' ? 'characters' : 'items'}`;
}

function isNumber(origin: string): boolean {
  return origin === 'number' || origin === 'int' || origin === 'bigint';
}
