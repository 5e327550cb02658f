import type { Endpoint } from '../facts/exchange.ts';

/**
 * Kinds of what is wrong with an answer. A case names those that it states: of the cases that fail by one of a kind, the first that states
 * it is the root, because its sentence says what is broken.
 */
export type SymptomKind =
  | 'a good ticket'
  | 'a refused ticket'
  | 'the edge of a window'
  | 'any reader'
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
  | 'a look at uses'
  | 'uses at one moment'
  | 'another ticket'
  | 'the HTTP status'
  | 'the Note of a grant'
  | 'an opening'
  | 'the Note of a denial'
  | `the fact ${FactName}`
  | SessionKind;

/** What is wrong in what a session with a device or with client software left. Of a door, what it was answered when it did wrong. */
export type SessionKind =
  | 'an admission'
  | 'an answer in pieces'
  | 'a denial'
  | 'a card admitted before'
  | `HTTP ${number}`
  | 'no decision'
  | 'no answer'
  | 'no server'
  | 'the key'
  | 'the body'
  | 'the code'
  | 'the Serial'
  | 'the Reader'
  | 'the wait after HTTP 429'
  | 'the text of a denial'
  | 'regular heartbeats';

/** What answers tell of a ticket besides its uses. */
export type FactName = 'ticketId' | 'ticketType' | 'usesAllowed' | 'holder' | 'window' | 'Name';

/** What fails first where an endpoint answers nothing as it should. */
export function servedKind(endpoint: Endpoint): SymptomKind {
  return endpoint === 'heartbeat' ? 'a heartbeat' : 'a good ticket';
}

/**
 * What is wrong with an answer, named so that the same fault has the same name in every case that meets it. Cases that fail by one
 * symptom have one root.
 */
export interface Symptom {
  readonly name: string;
  /** Where the answer came from that shows it; left out for what the endpoints share. */
  readonly endpoint?: Endpoint;
  /** A grant that had to be a denial, or a use that was not counted: never the follower of anything else. */
  readonly isDangerous?: true;
  /** What is broken: the root is a case that states the first of these, or else the next. */
  readonly kinds?: readonly SymptomKind[];
  /** The case that is the root wherever it fails by this: the one with the rule that an answer breaks. */
  readonly root?: string;
  /** True for an answer that is right after a wrong one before it: it shows the fault, and never best. */
  readonly isConsequence?: true;
  /** True where it is the whole of a fault of which other symptoms may be parts. */
  readonly isWhole?: true;
  /** True where what several answers show is the cause of its parts as well: theirs is about one answer. */
  readonly isCauseOfParts?: true;
  /**
   * The names of symptoms that may be the whole of which this is a part, the most telling first. Where one shows, at the same endpoint or one
   * that the endpoints share, this is nothing of its own.
   */
  readonly partOf?: readonly string[];
  /** A sentence on the answer; only of what was observed. */
  readonly cause?: string | undefined;
}
