import type { Endpoint } from '../facts/exchange.ts';

/**
 * Kinds of what is wrong with an answer. A case names those that it states: of the cases that fail by one of a kind, the first that states
 * it is the root, because its sentence says what is broken.
 */
export type SymptomKind =
  | 'a good ticket'
  | 'a refused ticket'
  | 'a heartbeat'
  | 'a good key'
  | 'a key by itself'
  | 'a key for its own event'
  | 'a refused key'
  | 'a disabled key'
  | 'a deleted key'
  | 'a key in the wrong place'
  | 'a forged code'
  | 'a ticket out of scope'
  | 'a body without a code'
  | 'uses'
  | 'uses at one moment'
  | 'another ticket'
  | 'the HTTP status'
  | 'the Note of a grant'
  | 'an opening'
  | 'the Note of a denial'
  | `the fact ${FactName}`;

/** What answers tell of a ticket besides its uses. */
export type FactName = 'ticketId' | 'ticketType' | 'usesAllowed' | 'holder' | 'window' | 'Name';

/** What fails first where an endpoint answers nothing as it should. */
export function servedKind(endpoint: Endpoint): SymptomKind {
  return endpoint === 'heartbeat' ? 'a heartbeat' : 'a good ticket';
}
