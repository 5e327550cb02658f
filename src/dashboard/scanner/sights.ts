import { digestOf } from './digest.ts';
import type { Kept } from './tab-settings.ts';

/** A code counts again when it was out of view for so long. */
const AWAY_MS = 3000;
/** What one picture says at most about the time before it: a page that stood still has looked at nothing. */
const PICTURE_MS_MAX = 500;
/** Something unread may hide a code that is still there, or be it: such a picture says little about what is out of view. */
const UNREAD_SHARE = 0.2;
/** So long after a camera was off, a card may lie before it that lay there when it was still on. */
const OFF_MS_MAX = 60_000;

export interface SightsParts {
  /** Keeps what is in view while the camera is off: another page, a reload, a screen that is dark for a moment. */
  readonly kept: Kept<string | undefined>;
  /** Milliseconds of the wall clock: no other goes on over a reload. */
  readonly wallNow: () => number;
}

/** The codes that were in view, as digests, and when they were seen last. */
interface KeptSights {
  readonly at: number;
  readonly codes: readonly string[];
}

/**
 * Tells which codes in the pictures of a camera are new: a camera sees the same ticket in every picture, and only the first sight
 * counts until the code was out of view. Each code has its own time, and only pictures that were looked at count, so a camera that
 * was off for a moment has not seen a card go.
 */
export class Sights {
  /** The time in milliseconds that each code is out of view, by its digest. */
  readonly #awayMs: Map<string, number>;
  readonly #parts: SightsParts;
  #lookedAt: number | undefined;

  constructor(parts: SightsParts) {
    this.#parts = parts;
    const { at, codes } = sightsIn(parts.kept.read());
    const isRecent = Math.abs(parts.wallNow() - at) <= OFF_MS_MAX;
    this.#awayMs = new Map(isRecent ? codes.map((code) => [code, 0]) : []);
  }

  /**
   * @param codes all that one picture shows; none for a picture without a code
   * @param at when it was looked at, in milliseconds of a monotonic clock
   * @param isUnread whether the picture shows something that may be a code, and could not be read
   * @returns the codes that are new
   */
  look(codes: readonly string[], at: number, isUnread = false): string[] {
    const found = this.#see(codes, at, isUnread);
    if (found.length > 0) this.keep();
    return found;
  }

  #see(codes: readonly string[], at: number, isUnread: boolean): string[] {
    const looked = Math.min(at - (this.#lookedAt ?? at), PICTURE_MS_MAX);
    const passed = isUnread ? looked * UNREAD_SHARE : looked;
    this.#lookedAt = at;
    for (const [digest, awayMs] of this.#awayMs) {
      if (awayMs + passed >= AWAY_MS) this.#awayMs.delete(digest);
      else this.#awayMs.set(digest, awayMs + passed);
    }
    const found = codes.filter((code) => !this.#awayMs.has(digestOf(code)));
    for (const code of codes) this.#awayMs.set(digestOf(code), 0);
    return found;
  }

  /** A picture whose codes do not count: those that did before are still in view, and the others stay new. */
  lookPast(codes: readonly string[], at: number, isUnread = false): void {
    for (const code of this.#see(codes, at, isUnread)) this.#awayMs.delete(digestOf(code));
  }

  /** The sight of a code that was not taken counts as none: the next picture with it is new. */
  forget(code: string): void {
    this.#awayMs.delete(digestOf(code));
    this.keep();
  }

  /** Called when the camera goes off, too: from then on the time counts in which a card may still lie there. */
  keep(): void {
    const sights: KeptSights = { at: this.#parts.wallNow(), codes: [...this.#awayMs.keys()] };
    this.#parts.kept.write(JSON.stringify(sights));
  }
}

function sightsIn(text: string | undefined): KeptSights {
  const none = { at: 0, codes: [] };
  try {
    const kept = JSON.parse(text ?? 'null') as Partial<KeptSights> | null;
    if (typeof kept?.at !== 'number' || !Array.isArray(kept.codes)) return none;
    return { at: kept.at, codes: kept.codes };
  } catch {
    return none;
  }
}
