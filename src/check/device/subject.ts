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

/** What can be seen at a gate. A program that is judged prints one as a line of JSON. */
export type Reaction =
  /** The relay came on, or went off. `relay` is `IN`, `OUT`, or 0 and 1 as in `ActIndex`. */
  | { readonly door: 'open' | 'closed'; readonly relay?: string | number | undefined }
  /** What the display, or the screen, shows now. */
  | { readonly display: { readonly name?: string; readonly note?: string } }
  /** Red tells the person that the door stays shut. */
  | { readonly light: 'red' | 'green' }
  /** What the device shows of its contact to the server. */
  | { readonly online: boolean };

/** The kinds of things that a subject can tell. */
export const TELLABLE = ['door', 'display', 'light', 'online'] as const;
/** One kind of thing that can be seen at a gate. */
export type Tellable = (typeof TELLABLE)[number];

/**
 * A device or client software that is judged without a person: it gets the setup, then codes, one at a time, and reports what
 * happens.
 *
 * Only the kinds in `tells` are judged.
 */
export interface Subject {
  /** Begins. `tell` is called for everything that happens from now on. */
  start(setup: SubjectSetup, tell: (reaction: Reaction) => void): Promise<void>;
  /**
   * Holds a code in front of the reader.
   * @returns when the subject has dealt with it, so that nothing more comes of it; at once when the subject cannot say
   */
  present(code: string): Promise<void>;
  /** False where `present` cannot say when nothing more comes: own software then gets time to wait after HTTP 429. */
  readonly tellsDone?: boolean | undefined;
  /** Cuts or restores the power. Without it, cases on power are skipped. */
  power?(on: boolean): Promise<void>;
  /** Everything, when it is left out. */
  readonly tells?: readonly Tellable[] | undefined;
  /** Ends; connections and processes are gone afterwards. */
  close(): Promise<void>;
}
