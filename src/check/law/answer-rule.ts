import type { Endpoint, Exchange } from '../facts/exchange.ts';

/** A rule on every answer, which explains why other cases cannot read one that breaks it. */
export interface AnswerRule {
  readonly id: string;
  readonly endpoints: readonly Endpoint[];
  /** Expected and observed, and the fields that are wrong; all of them where none is named. */
  readonly wrong: (
    exchange: Exchange,
    isKeyGood: boolean,
  ) => readonly [expected: string, observed: string, fields?: readonly string[]] | undefined;
}
