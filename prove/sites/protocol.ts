import {
  answered,
  askedBack,
  asking,
  closed,
  decidesAtCentre,
  decidesAtSite,
  freed,
  givenAway,
  type Held,
  type Home,
  heard,
  isOfThisStay,
  placeOfRow,
  type SentRow,
  taken,
  type Word,
} from '../../src/core/event-home.ts';

/** The steps that the program takes, each of which a faulty one takes otherwise. */
export interface Protocol {
  readonly decidesAtCentre: (home: Home) => boolean;
  readonly decidesAtSite: (held: Held | undefined) => boolean;
  readonly givenAway: (home: Home, site: string) => Home | undefined;
  readonly askedBack: (home: Home) => Home | undefined;
  readonly heard: (home: Home, word: Word, stored: number) => Home;
  readonly placeOfRow: (row: SentRow, stored: number) => ReturnType<typeof placeOfRow>;
  readonly isOfThisStay: (home: Home, row: SentRow) => boolean;
  readonly freed: typeof freed;
  readonly asking: typeof asking;
  readonly answered: typeof answered;
  readonly taken: typeof taken;
  readonly closed: typeof closed;
  /** Whether a closed site says so; a faulty one says it before. */
  readonly saysClosed: (held: Held) => boolean;
  /** What the copy says of the uses that were taken. */
  readonly usesInCopy: (uses: number) => number;
  /** How many uses may be taken twice, as the command that frees an event prints it. */
  readonly atRisk: (allowed: number, uses: number) => number;
  /** The name of a site that was restored or copied. */
  readonly restoredName: (name: string) => string;
  /** Whether it still has the events of its backup. */
  readonly keepsEvents: boolean;
}

/** What the program does. */
export const RIGHT: Protocol = {
  decidesAtCentre,
  decidesAtSite,
  givenAway,
  askedBack,
  heard,
  placeOfRow,
  isOfThisStay,
  freed,
  asking,
  answered,
  taken,
  closed,
  saysClosed: ({ isOpen }) => !isOpen,
  usesInCopy: (uses) => uses,
  atRisk: (allowed, uses) => allowed - uses,
  restoredName: (name) => `${name}'`,
  keepsEvents: false,
};
