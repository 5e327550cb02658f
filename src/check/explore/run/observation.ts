import type { TransportFailure } from '../../judging/deviation.ts';
import type { Answer, RequestSpec } from '../../requests/exchange.ts';
import type { TargetTicket } from '../../target/target.ts';
import type { Step } from '../histories/history.ts';

/** One request of a group and what came of it. Times are of a clock that never runs backwards, in milliseconds. */
export interface Observation {
  readonly step: Step;
  readonly request: RequestSpec;
  readonly ticket?: TargetTicket;
  /** The same for requests that are one request sent again. */
  readonly retryOf?: string;
  /** Just before the first byte was sent. */
  readonly startedAt: number;
  /** When the answer was whole, or nothing more could come. */
  readonly endedAt: number;
  /** Absent when no complete answer came. */
  readonly answer?: Answer;
  readonly failure?: TransportFailure;
  /** True when the connection had carried a request before: the server may just have closed it. */
  readonly mayBeReset: boolean;
  /** True when the next request was sent before this answer: a server may refuse that by closing the connection. */
  readonly mayBeCut?: boolean;
}
