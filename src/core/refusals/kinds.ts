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

/** The HTTP status of each kind on the administrative API; 500 for the others. */
export const STATUS_OF_KIND: Partial<Record<ErrorCode, number>> = {
  usage: 422,
  not_found: 404,
  conflict: 409,
  limit_reached: 409,
  not_allowed: 403,
  too_many_attempts: 429,
  busy: 503,
  store_busy: 503,
  store_unavailable: 503,
};

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
export const busy = ofKind('busy');
