/** `usage`: what was asked for makes no sense. `unreachable`: no server there. `refused`: the server does not take the key. */
export type SimulateErrorKind = 'usage' | 'unreachable' | 'refused';

/** A failure that a person can act on: the message says what was wrong, where, and what to do. */
export class SimulateError extends Error {
  override readonly name = 'SimulateError';
  readonly kind: SimulateErrorKind;

  constructor(kind: SimulateErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
