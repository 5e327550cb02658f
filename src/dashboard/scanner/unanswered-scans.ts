/**
 * Scans that nobody has seen an answer to. Such a scan may have taken a use, so the same ticket, read again by whatever means, is the
 * same scan: it goes out under the first name, and the server gives the answer that it stored under that.
 *
 *            read               answer: a decision
 *   (none) ────────► kept ─────────────────────────► (none)
 *                    │  ▲
 *                    │  │ read again, or try again, within SAME_VISIT_MS: the name that is kept
 *                    └──┘
 *
 * It outlives a reload and the end of a session, so no code is in here, only digests. They belong to the account: the names of
 * one account say nothing to another.
 */
import { digestOf } from './digest.ts';
import { codedId, printedId } from './scan-ids.ts';
import type { ScanAnswer, ScanAttempt } from './scan-requests.ts';
import type { Kept } from './tab-settings.ts';

/** So long after it was read last, a ticket that comes again is the guest who has no answer. Later it is a new visit. */
const SAME_VISIT_MS = 10 * 60_000;
/** So long it is told that a scan was lost: somebody may look at the page again after a break. */
const TOLD_MS = 12 * 60 * 60_000;
const KEPT_MAX = 60;
const ID_END = 5;

export interface UnansweredScan {
  /** A digest of the account, the key and what the scan does. */
  readonly who: string;
  readonly account: string;
  /** The digests of the text that was read, and of the identifier in it; that is empty where there is none. */
  readonly text: string;
  readonly id: string;
  /** Whether the text was the identifier alone. */
  readonly isTyped: boolean;
  readonly retryName: string;
  /** How many uses it takes, where that is more than one. */
  readonly uses?: number;
  /** When it was read or asked about last, in milliseconds. */
  readonly at: number;
  /** Whether a request was sent, so that a use may be registered. */
  readonly isAsked: boolean;
  /** The end of the identifier, as it is shown; empty for other text. */
  readonly end: string;
}

type Asked = Pick<UnansweredScan, 'who' | 'account' | 'text' | 'id' | 'isTyped' | 'end'>;

export class UnansweredScans {
  readonly #account: string;
  readonly #kept: Kept<string | undefined>;
  readonly #now: () => number;
  /** A browser may keep nothing for a page. */
  #own: readonly UnansweredScan[] = [];

  /** @param now milliseconds of the wall clock: no other goes on over a reload */
  constructor(account: string, kept: Kept<string | undefined>, now: () => number) {
    this.#account = account;
    this.#kept = kept;
    this.#now = now;
  }

  /** The attempt under the name of the scan that has no answer, if there is one of this ticket. */
  asBefore(attempt: ScanAttempt): ScanAttempt {
    const asked = this.#askedBy(attempt);
    const scan = this.#all().find(
      (one) => isSame(one, asked) && this.#isWithin(one, SAME_VISIT_MS),
    );
    if (!scan) return attempt;
    const { retryName, uses } = scan;
    const { uses: _, ...others } = attempt;
    return {
      ...others,
      retryName,
      ...(uses !== undefined && { uses }),
      ...(scan.isAsked && { inDoubt: true }),
    };
  }

  /** Called for a code that was taken, before anything is asked. */
  noteRead(attempt: ScanAttempt): void {
    this.#note(attempt, attempt.inDoubt === true);
  }

  /** Called before a request is sent. */
  noteAsked(attempt: ScanAttempt): void {
    this.#note(attempt, true);
  }

  /** Called for an answer that somebody sees. */
  noteAnswer({ retryName, inDoubt }: ScanAttempt, { kind }: ScanAnswer): void {
    const isRefused = kind === 'key_refused' || kind === 'not_allowed';
    const isSettled = kind === 'decided' || kind === 'too_few';
    // A refusal says nothing about the request before it.
    if (!isSettled && !(isRefused && !inDoubt)) return;
    this.#write(this.#all().filter((one) => one.retryName !== retryName));
  }

  /** The scans of this account, newest first. */
  ofAccount(): readonly UnansweredScan[] {
    const account = digestOf(this.#account);
    return this.#all().filter((one) => one.account === account && this.#isWithin(one, TOLD_MS));
  }

  /** Forgets those that are too old to be the same scan: they were told. */
  forgetOld(): void {
    this.#write(this.#all().filter((one) => this.#isWithin(one, SAME_VISIT_MS)));
  }

  #note(attempt: ScanAttempt, isAsked: boolean): void {
    const { retryName, uses } = attempt;
    const several = uses !== undefined && { uses };
    const others = this.#all().filter((one) => one.retryName !== retryName);
    const scan = { ...this.#askedBy(attempt), ...several, retryName, at: this.#now(), isAsked };
    const kept = [scan, ...others].filter((one) => this.#isWithin(one, TOLD_MS));
    this.#write(kept.slice(0, KEPT_MAX));
  }

  #askedBy({ action, key, ticketCode, direction }: ScanAttempt): Asked {
    const typed = printedId(ticketCode);
    const id = typed ?? codedId(ticketCode);
    return {
      who: digestOf([this.#account, key ?? '', direction ?? action].join(' ')),
      account: digestOf(this.#account),
      text: digestOf(ticketCode),
      id: id === undefined ? '' : digestOf(id),
      isTyped: typed !== undefined,
      end: id?.slice(-ID_END) ?? '',
    };
  }

  /** Whether it is near in either direction: a clock may have been set. */
  #isWithin({ at }: UnansweredScan, ms: number): boolean {
    return Math.abs(this.#now() - at) <= ms;
  }

  /** Reads anew each time: another tab of the browser may have asked meanwhile. */
  #all(): readonly UnansweredScan[] {
    return listIn(this.#kept.read()) ?? this.#own;
  }

  #write(scans: readonly UnansweredScan[]): void {
    this.#own = scans;
    this.#kept.write(JSON.stringify(scans));
  }
}

/** A forged code may have the identifier of a real one: only where one of the two is the identifier alone, that is enough. */
function isSame(a: Asked, b: Asked): boolean {
  if (a.who !== b.who) return false;
  return a.text === b.text || (a.id !== '' && a.id === b.id && (a.isTyped || b.isTyped));
}

function listIn(text: string | undefined): readonly UnansweredScan[] | undefined {
  try {
    const list: unknown = text === undefined ? undefined : JSON.parse(text);
    return Array.isArray(list) ? (list as UnansweredScan[]) : undefined;
  } catch {
    return undefined;
  }
}
