import { inOneClause } from '../../kit/failures.ts';
import type { Exchange, RequestSpec } from './exchange.ts';
import type { Level } from './level.ts';

/** What is known of a deviation besides what was expected and what came. */
export interface DeviationFacts {
  /**
   * The fields of the answer that are not as required; left out where it is about the answer as a whole. Of what a session left, the kinds of
   * what is wrong, from the plainest on.
   */
  readonly fields?: readonly string[] | undefined;
  /** What is wrong, where what was seen tells. */
  readonly cause?: string | undefined;
  /** How much the specification says about it, where that is more, or less, than about the rest of the case. */
  readonly level?: Level | undefined;
  /** A door opens that must not, a use is taken too many, or a key is given away. */
  readonly isDangerous?: true | undefined;
  /** It is about when something came: a judge that was late itself may have seen its own delay. */
  readonly isTimed?: true | undefined;
}

/**
 * A requirement that was not kept: what should have been, what was, and the exchange that shows it. `Shown` is the form of
 * that: an exchange with a server, or a request that a device sent.
 */
export class Deviation<Shown = Exchange> extends Error {
  override readonly name = 'Deviation';
  readonly expected: string;
  readonly observed: string;
  readonly exchange: Shown | undefined;
  readonly facts: DeviationFacts;

  constructor(expected: string, observed: string, exchange?: Shown, facts: DeviationFacts = {}) {
    super(`expected ${expected}, observed ${observed}`);
    this.expected = expected;
    this.observed = observed;
    this.exchange = exchange;
    this.facts = facts;
  }
}

/** The checker was about to send something other than it meant: its own fault, never the server's. */
export class CheckerBug extends Error {
  override readonly name = 'CheckerBug';
}

export type TransportKind =
  | 'refused'
  | 'unknown-host'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'incomplete'
  | 'not-http'
  | 'stopped';

interface TransportFailureOptions extends ErrorOptions {
  readonly advice?: string;
}

/** No complete answer came. A request that may take a use is never sent again: whether it took one is unknown. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: TransportKind;
  /** What to do or to look at, for who started the command; undefined where the message says it all. */
  readonly advice: string | undefined;
  /** The request that got no answer. */
  request: RequestSpec | undefined;

  constructor(kind: TransportKind, message: string, options: TransportFailureOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.advice = options.advice;
  }

  /** What happened and what to do, as the end of a sentence with its full stop. */
  get ending(): string {
    const { message, advice } = this;
    const text = advice === undefined ? message : inOneClause({ what: message, advice });
    return text.endsWith('?') ? text : `${text}.`;
  }
}

/** The deployment cannot be reached, or stopped answering; the message says what happened. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/**
 * Sends what may stay without an answer: a server may close the connection instead.
 * @returns undefined where no answer came
 * @throws TransportFailure when the run was stopped
 */
export async function answeredOrNot<T>(send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof TransportFailure && error.kind !== 'stopped') return undefined;
    throw error;
  }
}
