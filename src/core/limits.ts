import { DAY_MS } from '../kit/durations.ts';

/** Every limit of section 8 and of the wire, once. Organisations may have other request limits; these are the defaults. */

export const USES_SINGLE = 1;
export const USES_MULTI_MIN = 2;
export const USES_MULTI_MAX = 100;
export const USES_PERMANENT = 9999;
/** The most uses of a card that one scan of the page takes, as for a family. */
export const USES_AT_ONCE_MAX = 9;

/** Pixels along one side of a module of a code. */
export const MODULE_PIXELS = { min: 2, max: 64, default: 8 } as const;
const USES_PERMANENT_WARNING = 9000;

/** True for a permanent card that is or soon will be exhausted: it counts its uses like any other ticket (section 3.2). */
export function isNearItsEnd(ticket: {
  readonly usesAllowed: number;
  readonly usesConsumed: number;
}): boolean {
  return ticket.usesAllowed === USES_PERMANENT && ticket.usesConsumed >= USES_PERMANENT_WARNING;
}

export const DISPLAY_NAME_BYTES_MAX = 16;
export const DISPLAY_NOTE_BYTES_MAX = 32;

/** A request body above this is unusable, whatever it says. */
export const BODY_BYTES_MAX = 8 * 1024;
export const BODY_DEPTH_MAX = 8;
export const TICKET_CODE_CHARACTERS_MAX = 256;

/** How long a stored answer is given again to the same `Idempotency-Key`. */
export const IDEMPOTENCY_MS = DAY_MS;
export const IDEMPOTENCY_KEY_CHARACTERS_MAX = 255;

export const NAME_CHARACTERS_MAX = 200;

export const ACCOUNT_NAME_CHARACTERS_MAX = 100;
export const PASSWORD_CHARACTERS_MIN = 12;
export const TOKEN_NAME_CHARACTERS_MAX = 100;
/** The name of a paired phone. */
export const PHONE_NAME_CHARACTERS_MAX = 60;
/** Why a use was taken back. */
export const REASON_CHARACTERS_MAX = 200;
export const PASSWORD_CHARACTERS_MAX = 200;
export const ACCOUNTS_PER_ORGANISATION_MAX = 200;
export const PHONES_PER_ACCOUNT_MAX = 20;
/** Pairings of phones that are under way. */
export const PAIRINGS_PER_ACCOUNT_MAX = 5;
export const ACCESS_TOKENS_PER_ACCOUNT_MAX = 20;
export const ACCESS_TOKEN_DAYS_MAX = 366;

export const SHEET_LINES_MAX = 4;
export const SHEET_LINE_CHARACTERS_MAX = 100;
/** A logo is printed 10 mm high: more pixels than these do not show. */
export const LOGO_SIDE_PIXELS_MAX = 1000;
export const LOGO_BYTES_MAX = 100 * 1024;

/** Events of an organisation that are not archived; the operator can set another number. */
export const EVENTS_PER_ORGANISATION_MAX = 2000;

/**
 * Devices that a key's heartbeats are remembered of; as many that only scan are remembered besides. A new one never takes the place of a known one, or somebody with a key could hide every
 * device by inventing serials; it takes that of one that was silent for long.
 */
export const DEVICES_PER_KEY_MAX = 250;
export const DEVICE_FORGOTTEN_AFTER_MS = 30 * DAY_MS;

/** A device is online after a heartbeat for this long: controllers send one about every five seconds; a few may get lost. */
const DEVICE_ONLINE_WITHIN_MS = 30_000;

/** A contact in the future counts as little as an old one: a clock was set back since. @param lastContactAt null for none */
export function isOnline(lastContactAt: number | null, now: number): boolean {
  return lastContactAt !== null && Math.abs(now - lastContactAt) <= DEVICE_ONLINE_WITHIN_MS;
}

/** How far back scans are counted by the minute. */
export const STATISTICS_MINUTES_MAX = 240;

/** How long the value before a rotation holds. */
export const ROTATION_OVERLAP_MS = DAY_MS;
export const ROTATION_OVERLAP_MS_MAX = 90 * ROTATION_OVERLAP_MS;

export const OPEN_SECONDS_DEFAULT = 5;
export const OPEN_SECONDS_MAX = 600;

/** What an organisation may ask of the service. */
export interface OrganisationLimits {
  /** Tokens a second that each key's bucket regains. */
  readonly ratePerSecond: number;
  /** Tokens that each key's bucket holds. */
  readonly burst: number;
  /** Accepted requests per key and calendar month (UTC). */
  readonly quotaPerMonth: number;
  /** Keys that are not deleted. */
  readonly keysMax: number;
}

/** So many keys the owners of the only organisation may give themselves. */
export const OWNERS_KEYS_MAX = 50;

/** The bucket of a key. */
export type RateLimit = Pick<OrganisationLimits, 'ratePerSecond' | 'burst'>;

export function isSameRate(one: RateLimit, other: RateLimit): boolean {
  return one.ratePerSecond === other.ratePerSecond && one.burst === other.burst;
}

export const DEFAULT_LIMITS: OrganisationLimits = {
  ratePerSecond: 50,
  burst: 100,
  quotaPerMonth: 500_000,
  keysMax: 3,
};

/**
 * A token bucket (section 8): holds `burst` tokens, regains `ratePerSecond`, each request takes one.
 * Time is passed in and must be monotonic, so that a stepped wall clock neither grants nor denies anything.
 */
export class TokenBucket {
  readonly rate: RateLimit;
  #tokens: number;
  #filledAtMs: number;

  constructor({ ratePerSecond, burst }: RateLimit, nowMs: number) {
    this.rate = { ratePerSecond, burst };
    this.#tokens = burst;
    this.#filledAtMs = nowMs;
  }

  /** Takes a token. Returns 0, or how many milliseconds to wait until there is one (then none was taken). */
  take(nowMs: number): number {
    const { ratePerSecond, burst } = this.rate;
    const regained = ((nowMs - this.#filledAtMs) * ratePerSecond) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + regained);
    this.#filledAtMs = nowMs;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return ((1 - this.#tokens) / ratePerSecond) * 1000;
  }
}

/** How many devices of an organisation may have a name. */
export const DEVICE_NAMES_MAX = 1000;
export const DEVICE_NAME_CHARACTERS_MAX = 60;
