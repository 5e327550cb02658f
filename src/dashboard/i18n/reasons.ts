import type { ErrorReason } from '../../core/error-reasons.ts';

/** Kinds of refusals without a reason of their own. */
type GeneralCode =
  | 'usage'
  | 'invalid_request'
  | 'not_found'
  | 'conflict'
  | 'limit_reached'
  | 'not_allowed'
  | 'too_many_attempts'
  | 'busy'
  | 'store_busy'
  | 'store_unavailable'
  | 'internal';

/** Every `code` of an answer of the admin API. */
type AnswerCode = ErrorReason | GeneralCode;

type Values = Readonly<Record<string, string | number>>;

/** What a person reads for each code; `values` are those of the answer. */
export type ReasonTexts = Readonly<Record<AnswerCode, string | ((values: Values) => string)>>;
