import type { Clock } from '../time/clock.ts';
import type {
  Light,
  Observation,
  Observer,
  Prompt,
  Shown,
  Step,
  SubjectSetup,
} from './observer.ts';

/** What can be seen at a gate. A program that is judged prints one as a line of JSON. */
export type Reaction =
  /** The relay came on, or went off. `relay` is `IN`, `OUT`, or 0 and 1 as in `ActIndex`. */
  | { readonly door: 'open' | 'closed'; readonly relay?: string | number | undefined }
  /** What the display, or the screen, shows now. */
  | { readonly display: { readonly name?: string; readonly note?: string } }
  /** Red tells the person that the door stays shut. */
  | { readonly light: Light }
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

const POLL_MS = 10;
/** A limit for programs that repeat a request without end. */
const PRESENT_MS_MAX = 30_000;

interface Told {
  readonly atMs: number;
  readonly reaction: Reaction;
}

/** The observer of a program: sees what the program reports. */
export class SubjectObserver implements Observer {
  readonly #subject: Subject;
  readonly #clock: Clock;
  readonly #presentMsMax: number;
  #told: Told[] = [];
  #now = (): number => 0;
  readonly strayOpenings: number[] = [];
  readonly reopenings: number[] = [];
  #isPresenting = false;
  #isClosed = false;

  /** @param presentMsMax how long a presentation lasts at most */
  constructor(subject: Subject, clock: Clock, presentMsMax = PRESENT_MS_MAX) {
    this.#subject = subject;
    this.#clock = clock;
    this.#presentMsMax = presentMsMax;
  }

  get hasPower(): boolean {
    return this.#subject.power !== undefined;
  }

  get knowsEnd(): boolean {
    return this.#subject.tellsDone !== false;
  }

  async start(setup: SubjectSetup, now: () => number): Promise<void> {
    this.#now = now;
    await this.#subject.start(setup, (reaction) => {
      if (isDoor(reaction, 'open') && this.#hasShut()) this.reopenings.push(now());
      this.#told.push({ atMs: now(), reaction });
      if (!this.#isPresenting && isDoor(reaction, 'open')) this.strayOpenings.push(now());
    });
  }

  tell(): void {}

  async present({ code }: Step): Promise<void> {
    this.#told = [];
    this.#isPresenting = true;
    const limit = new AbortController();
    const tooLong = this.#clock.sleep(this.#presentMsMax, limit.signal).catch(() => {});
    await Promise.race([this.#subject.present(code), tooLong]);
    limit.abort();
  }

  async power(on: boolean): Promise<void> {
    await this.#subject.power?.(on);
  }

  async observe({ wants, openMsMax, reactionMs }: Prompt): Promise<Observation> {
    const opened = this.#told.filter(({ reaction }) => isDoor(reaction, 'open'));
    const isTimed = wants.includes('seconds') || wants.includes('once');
    const openMs = isTimed && opened.length > 0 ? await this.#openMs(openMsMax) : undefined;
    if (wants.includes('once') && openMs !== undefined && !this.#isClosed)
      await this.#clock.sleep(reactionMs);
    this.#isPresenting = false;
    return {
      ...(this.#tells('door') ? doorSeen(opened) : {}),
      ...(openMs === undefined ? {} : { openMs }),
      ...(this.#tells('display') ? { shown: this.#shown() } : {}),
      ...(this.#tells('display') || this.#tells('light') ? { told: this.#wasTold() } : {}),
      ...(this.#tells('light') ? { lights: this.#lights() } : {}),
      ...(this.#tells('online') ? { online: this.#online() } : {}),
    };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#subject.close();
  }

  /** Whether the door opened and closed since the last presentation. */
  #hasShut(): boolean {
    const opened = this.#told.findIndex(({ reaction }) => isDoor(reaction, 'open'));
    return (
      opened >= 0 && this.#told.slice(opened).some(({ reaction }) => isDoor(reaction, 'closed'))
    );
  }

  #tells(kind: Tellable): boolean {
    return (this.#subject.tells ?? TELLABLE).includes(kind);
  }

  /** From the first opening to the closing after it; the limit when it stays open for longer. */
  async #openMs(msMax: number): Promise<number> {
    const from = this.#told.find(({ reaction }) => isDoor(reaction, 'open'))?.atMs ?? 0;
    for (;;) {
      const shut = this.#told.find(
        ({ reaction, atMs }) => isDoor(reaction, 'closed') && atMs >= from,
      );
      if (shut) return shut.atMs - from;
      // After an interruption nobody tells that it closed, and nobody waits for this.
      if (this.#isClosed || this.#now() - from > msMax) return msMax;
      await this.#clock.sleep(POLL_MS);
    }
  }

  #shown(): Shown[] {
    return this.#told.flatMap(({ reaction }) =>
      'display' in reaction
        ? [{ name: reaction.display.name ?? '', note: reaction.display.note ?? '' }]
        : [],
    );
  }

  #wasTold(): boolean {
    return this.#lights().includes('red') || this.#shown().some(({ note }) => note !== '');
  }

  #lights(): Light[] {
    return this.#told.flatMap(({ reaction }) => ('light' in reaction ? [reaction.light] : []));
  }

  #online(): boolean[] {
    return this.#told.flatMap(({ reaction }) => ('online' in reaction ? [reaction.online] : []));
  }
}

function isDoor(reaction: Reaction, state: 'open' | 'closed'): boolean {
  return 'door' in reaction && reaction.door === state;
}

function doorSeen(opened: readonly Told[]): Observation {
  const first = opened[0]?.reaction;
  const relay = first && 'relay' in first ? first.relay : undefined;
  return {
    opened: opened.length > 0,
    openedAtMs: opened.map(({ atMs }) => atMs),
    ...(relay === undefined ? {} : { relay: String(relay) }),
  };
}
