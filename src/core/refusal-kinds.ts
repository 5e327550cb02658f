/** The kinds of expected failures. */
export type ErrorCode =
  | 'usage'
  | 'not_found'
  | 'conflict'
  | 'limit_reached'
  | 'not_allowed'
  | 'too_many_attempts'
  | 'busy'
  | 'keyring'
  | 'store_busy'
  | 'store_newer'
  | 'store_damaged'
  | 'store_unavailable'
  | 'unreachable';

/** What the text of a refusal fills in. */
export type ErrorValues = Readonly<Record<string, string | number>>;

/** A sentence with its values as `{name}`, or a function where the words depend on a value. */
export type RefusalText = string | ((values: never) => string);

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The values that a text needs. */
export type ValuesOf<Text> = Text extends string
  ? Readonly<Record<NamesIn<Text>, string | number>>
  : Text extends (values: infer Values) => string
    ? Values
    : never;

function ofKind<const Code extends ErrorCode>(code: Code) {
  return <const English extends RefusalText>(en: English, de: RefusalText) => ({ code, en, de });
}

export const usage = ofKind('usage');
export const notFound = ofKind('not_found');
export const conflict = ofKind('conflict');
export const limitReached = ofKind('limit_reached');
export const notAllowed = ofKind('not_allowed');
