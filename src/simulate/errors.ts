/** `usage`: the options are invalid. `unreachable`: no server answers. `refused`: the server refuses the key. */
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
