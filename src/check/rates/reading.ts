/** What became of one request of a flood. `lost`: no answer came, so it may have been served or not. */
export type ReadingOutcome = 'served' | 'limited' | 'lost';

/** One request of a flood: the server decided on it at some time between the two, in milliseconds. */
export interface Reading {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly outcome: ReadingOutcome;
}

/** What the readings leave possible for a number of the server's limit. */
export interface Range {
  readonly from: number;
  readonly to: number;
}
