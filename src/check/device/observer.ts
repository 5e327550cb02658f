/** What the judged side is set up with: what an operator types into a controller, or a developer into a configuration. */
export interface SubjectSetup {
  /** The address without a path: `http://127.0.0.1:45123`. */
  readonly baseUrl: string;
  /** Made for this session; it opens nothing anywhere else. */
  readonly key: string;
  /** For a controller: where cards go. */
  readonly cardUrl: string;
  /** For a controller: where heartbeats go. */
  readonly heartUrl: string;
  /** For a device whose file has paths of its own: they follow this address. */
  readonly deviceUrl?: string | undefined;
  /** The addresses that this device calls, as they are typed into it: `['Card URL', 'http://…']`. */
  readonly addresses: readonly (readonly [label: string, url: string])[];
  /** How long the device waits for an answer, as it is set up. */
  readonly waitTimeMs: number;
  /** PEM of the certificate to trust, where the session uses HTTPS. */
  readonly ca?: string | undefined;
}

/** What a scene wants to know of a presentation. */
export type Want = 'door' | 'once' | 'relay' | 'seconds' | 'display' | 'light' | 'told' | 'online';

/** What a light tells the person: green to go, red to wait. */
export type Light = 'red' | 'green';

/** The texts that a display showed at one time. */
export interface Shown {
  readonly name: string;
  readonly note: string;
}

/** What was seen at the gate since a card was presented. `undefined`: nobody saw it. */
export interface Observation {
  readonly opened?: boolean | undefined;
  /** When the door opened, milliseconds since the session began; only where a program tells it. */
  readonly openedAtMs?: readonly number[] | undefined;
  /** `IN`, `OUT`, or as the device names it. */
  readonly relay?: string | undefined;
  readonly openMs?: number | undefined;
  readonly shown?: readonly Shown[] | undefined;
  /** The lights that came on, in order. */
  readonly lights?: readonly Light[] | undefined;
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
export interface Prompt {
  readonly wants: readonly Want[];
  /** What the display should show. */
  readonly text?: Shown | undefined;
  /** How long the door may stay open before the question about the seconds is dropped. */
  readonly openMsMax: number;
  /** How long a door that shut is watched, where it should open once. */
  readonly reactionMs: number;
  /** How many requests with the card arrived. */
  readonly requests: number;
  /** Where none arrived although one should have: what came in place of it, as `GET /other/path`. */
  readonly missing?: readonly string[] | undefined;
}

/** Thrown by an observer whose person wants to repeat the scene, or the one before it. */
export class PlayAgain extends Error {
  override readonly name = 'PlayAgain';
  readonly scene: 'this' | 'before';

  constructor(scene: 'this' | 'before') {
    super(`play ${scene} scene again`);
    this.scene = scene;
  }
}

/** Presents cards and sees what comes of it: a program, or a person at a terminal. */
export interface Observer {
  start(setup: SubjectSetup, now: () => number): Promise<void>;
  /** Says what is going on, where a person waits. */
  tell(text: string): void;
  /** Resolves when nothing more is going to come of the presentation, or at once when that cannot be known. */
  present(step: Step): Promise<void>;
  /** False when `present` cannot know whether more comes. */
  readonly knowsEnd: boolean;
  /** Whether the observer can cut and restore the power. */
  readonly hasPower: boolean;
  power(on: boolean): Promise<void>;
  /** What was seen since the last presentation. */
  observe(prompt: Prompt): Promise<Observation>;
  /** When the door opened although nothing was presented, as `openedAtMs`; empty where only a person looks. */
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
