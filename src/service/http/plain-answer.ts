/** The event of a server for each answer that was given without Node's HTTP, with a `PlainAnswer`. */
export const PLAIN_ANSWER = Symbol('plain answer');

export interface PlainAnswer {
  readonly path: string;
  readonly status: number;
  /** From the whole request to its answer. */
  readonly seconds: number;
}
