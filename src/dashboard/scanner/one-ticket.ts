import type { Sight } from './codes-in-picture.ts';

/** The beginning of the codes of this program, whatever a reader did to the case of its letters. */
const TICKET_CODE = /^ts[12]\.tkt_/iu;

/**
 * The code that one picture gives. If there are two tickets, neither is chosen: the person shows one alone. Another code beside a ticket,
 * such as a link to an app on the same sheet, does not count.
 * @returns undefined when the picture shows none, or several
 */
function onlyCodeOf({ codes }: Sight): string | undefined {
  if (codes.length <= 1) return codes[0];
  const tickets = codes.filter((code) => TICKET_CODE.test(code));
  return tickets.length === 1 ? tickets[0] : undefined;
}

/** So long a code waits when something unread lies beside it: that may be the other of two tickets, still blurred. */
const BESIDE_MS = 500;
/** So long something may look like a code and not be read: people move tickets, and cameras look for their sharpness. */
const UNREAD_MS = 3000;
/** Several codes are said at once, and for so long after the last picture with them that it can be read. */
const SHOWN_MS = 1500;
/** What one picture says at most about the time before it. */
const PICTURE_MS_MAX = 500;

interface Looked {
  /** The code that the picture gives. */
  readonly code: string | undefined;
  /** Whether the page asks for one ticket alone. */
  readonly isCrowded: boolean;
}

/** Tells which ticket the pictures of a camera give: none while they show several, or when for a while something cannot be read. */
export class OneTicket {
  #besideMs = 0;
  #unreadMs = 0;
  #severalMs = 0;
  #lookedAt: number | undefined;

  /** @param at when the picture was looked at, in milliseconds of a monotonic clock */
  look(sight: Sight, at: number): Looked {
    const passed = Math.min(at - (this.#lookedAt ?? at), PICTURE_MS_MAX);
    this.#lookedAt = at;
    const code = onlyCodeOf(sight);
    if (code !== undefined && !sight.isUnread) return this.#alone(code);
    const isSeveral = sight.codes.length > 1 && code === undefined;
    this.#severalMs = isSeveral ? SHOWN_MS : Math.max(0, this.#severalMs - passed);
    const unreadMs = this.#unreadMs + (sight.isUnread ? passed : -passed);
    this.#unreadMs = Math.min(Math.max(0, unreadMs), UNREAD_MS + SHOWN_MS);
    this.#besideMs = code === undefined ? 0 : this.#besideMs + passed;
    const isGiven = this.#besideMs >= BESIDE_MS && this.#severalMs === 0;
    return {
      code: isGiven ? code : undefined,
      isCrowded: this.#severalMs > 0 || this.#unreadMs >= UNREAD_MS,
    };
  }

  #alone(code: string): Looked {
    this.#besideMs = 0;
    this.#unreadMs = 0;
    this.#severalMs = 0;
    return { code, isCrowded: false };
  }
}
