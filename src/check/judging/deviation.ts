import { inOneClause } from '../../kit/failures.ts';
import type { Exchange, RequestSpec } from '../requests/exchange.ts';

/** A requirement that was not kept: what should have been, what was, and the exchange that shows it. */
export class Deviation extends Error {
  override readonly name = 'Deviation';
  readonly expected: string;
  readonly observed: string;
  readonly exchange: Exchange | undefined;
  /** The fields of the answer that are not as required; undefined where it is about the answer as a whole. */
  readonly fields: readonly string[] | undefined;

  constructor(expected: string, observed: string, exchange?: Exchange, fields?: readonly string[]) {
    super(`expected ${expected}, observed ${observed}`);
    this.expected = expected;
    this.observed = observed;
    this.exchange = exchange;
    this.fields = fields;
  }
}

/** The checker was about to send something other than it meant: its own fault, never the server's. */
export class CheckerBug extends Error {
  override readonly name = 'CheckerFault';
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
