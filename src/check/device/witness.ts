import type { SubjectSetup } from './subject.ts';

/** What a scene wants to know of a presentation. */
export type Want = 'door' | 'relay' | 'seconds' | 'display' | 'told' | 'online';

/** The texts that a display showed at one time. */
export interface Shown {
  readonly name: string;
  readonly note: string;
}

/** What was seen at the gate since a card was presented. Undefined members are not known. */
export interface Sight {
  readonly opened?: boolean | undefined;
  /** When the door opened, milliseconds since the session began; only where a program tells it. */
  readonly openedAtMs?: readonly number[] | undefined;
  /** `IN`, `OUT`, or as the device names it. */
  readonly relay?: string | undefined;
  readonly openMs?: number | undefined;
  readonly shown?: readonly Shown[] | undefined;
  /** The person was told that the door stays shut. */
  readonly told?: boolean | undefined;
  /** What the device showed of its contact to the server, in order. */
  readonly online?: readonly boolean[] | undefined;
}

/** One presentation, as an operator has to know it. */
export interface Step {
  readonly code: string;
  /** Of the code on a printed sheet, from 1. */
  readonly number: number;
  /** What the server is going to do: `The server denies the ticket.` */
  readonly hint: string;
}

/** The questions of a scene after a presentation. */
export interface Question {
  readonly wants: readonly Want[];
  /** What the display should show. */
  readonly text?: Shown | undefined;
  /** How long the door may stay open before the question about the seconds is dropped. */
  readonly openMsMax: number;
  /** How many requests with the card arrived. */
  readonly requests: number;
}

/** Presents cards and sees what comes of it: a program, or a person at a terminal. */
export interface Witness {
  start(setup: SubjectSetup, now: () => number): Promise<void>;
  /** Says what is going on, where a person waits. */
  tell(text: string): void;
  /** Resolves when nothing more is going to come of the presentation, or at once when that cannot be known. */
  present(step: Step): Promise<void>;
  /** False when `present` cannot know whether more comes. */
  readonly knowsEnd: boolean;
  /** Whether the witness can cut and restore the power. */
  readonly hasPower: boolean;
  power(on: boolean): Promise<void>;
  /** What was seen since the last presentation. */
  sight(question: Question): Promise<Sight>;
  /** When the door opened although nothing was presented, as `Sight.openedAtMs`; empty where only a person looks. */
  readonly strayOpenings: readonly number[];
  /** When the door opened once more after it had closed, in the same presentation; empty where only a person looks. */
  readonly reopenings: readonly number[];
  /**
   * Whether the door opened although nothing was presented, since this was asked before. Only where a person looks.
   * @returns undefined when nobody saw it
   */
  openedBetween?(): Promise<boolean | undefined>;
  close(): Promise<void>;
}
