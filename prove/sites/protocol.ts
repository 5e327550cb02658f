import {
  askedBack,
  closed,
  decidesAtCentre,
  decidesAtSite,
  freed,
  givenAway,
  type Heard,
  type Held,
  type Home,
  heard,
  taken,
  type Word,
} from '../../src/features/sites/home.ts';

/** The steps that the program takes, each of which a faulty one takes otherwise. */
export interface Protocol {
  readonly decidesAtCentre: (home: Home) => boolean;
  readonly decidesAtSite: (held: Held | undefined) => boolean;
  readonly givenAway: (home: Home, site: string) => Home | undefined;
  readonly askedBack: (home: Home) => Home | undefined;
  readonly heard: (home: Home, word: Word, stored: number) => Heard;
  readonly freed: (home: Home) => Home | undefined;
  readonly taken: (held: Held | undefined, epoch: number) => Held | undefined;
  readonly closed: (held: Held | undefined, epoch: number) => Held | undefined;
  /** Whether a closed site says so; a faulty one says it before. */
  readonly saysClosed: (held: Held) => boolean;
  /** What the copy says of the uses that were taken. @param counted those of the rows of this epoch */
  readonly usesInCopy: (uses: number, counted: number) => number;
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
  freed,
  taken,
  closed,
  saysClosed: ({ isOpen }) => !isOpen,
  usesInCopy: (uses, counted) => uses - counted,
  atRisk: (allowed, uses) => allowed - uses,
  restoredName: (name) => `${name}'`,
  keepsEvents: false,
};
