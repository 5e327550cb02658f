import {
  FURTHER_KEYS,
  FURTHER_TICKETS,
  TARGET_KEYS,
  TARGET_TICKETS,
} from '../../target-file/names.ts';

/** Which of the keys of a target is meant. */
export type KeyName = (typeof KEY_NAMES)[number];
export const KEY_NAMES = [...TARGET_KEYS, ...FURTHER_KEYS] as const;

/** The shell variable that is printed instead of a key: `REST_SCOPED_KEY`. */
export function keyVariable(name: KeyName): string {
  return `${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}_KEY`;
}

export const TICKET_KINDS = [...TARGET_TICKETS, ...FURTHER_TICKETS] as const;
/** State of a ticket that a run needs, such as `single` or `cancelled`. */
export type TicketKind = (typeof TICKET_KINDS)[number];

/** The uses that section 2.2 gives to tickets of a kind; kinds that may be any ticket are left out. */
export const USES_OF_KIND = {
  single: [1, 1],
  multi: [2, 100],
  hundred: [100, 100],
  permanent: [9999, 9999],
  permanentEnded: [9999, 9999],
} as const satisfies Readonly<Partial<Record<TicketKind, readonly [least: number, most: number]>>>;

/** @returns the uses of a ticket by the target, else by its kind; undefined where neither says one number */
export function allowedUsesOf(
  { usesAllowed }: Pick<TargetTicket, 'usesAllowed'>,
  kind: TicketKind,
): number | undefined {
  const [least, most] = usesOfKind(kind) ?? [];
  return usesAllowed ?? (least === most ? least : undefined);
}

/** @returns the range of uses of a kind, both ends included */
export function usesOfKind(kind: TicketKind): readonly [least: number, most: number] | undefined {
  return kind in USES_OF_KIND ? USES_OF_KIND[kind as keyof typeof USES_OF_KIND] : undefined;
}

const OPTIONAL: ReadonlySet<string> = new Set([...FURTHER_KEYS, ...FURTHER_TICKETS]);

/** True for a member that a complete check can do without. */
export function isOptional(name: KeyName | TicketKind): boolean {
  return OPTIONAL.has(name);
}

/** Refused by every server in every state of the run: what is made of them can be spent nowhere. Clearest answer first. */
export const NEVER_CONSUMABLE = [
  'exhausted',
  'expired',
  'unknown',
  'cancelled',
] as const satisfies readonly TicketKind[];

/** Of an event outside of the scoped keys, and refused with every key. */
export const OTHER_EVENT_REFUSED = [
  'otherEventCancelled',
  'otherEventExpired',
] as const satisfies readonly TicketKind[];

/** A ticket of the target; everything but the code is optional knowledge that makes the check stricter. */
export interface TargetTicket {
  readonly code: string;
  readonly ticketId?: string;
  readonly usesAllowed?: number;
  readonly holder?: { readonly firstName?: string; readonly lastName?: string };
  readonly validFrom?: string;
  readonly validUntil?: string;
  /** True for an `unknown` ticket whose event the scoped keys have access to. */
  readonly inScope?: boolean;
}

/** Limits of the deployment where they differ from section 8. */
export interface TargetLimits {
  /** Requests a second for each key. */
  readonly rate?: number;
  /** Requests at once for each key. */
  readonly burst?: number;
}

/** The limits of a target's keys: its own, and those of section 8 where it says none. */
export function limitsOf({ limits = {} }: Target): Required<TargetLimits> {
  return { rate: limits.rate ?? 50, burst: limits.burst ?? 100 };
}

/** What is needed to put back the keys `spare` and `hardwareSpare`, which a check may change. */
export interface TargetChanges {
  /** The name of the key `spare`. */
  readonly name?: string;
  /** The name of the key `hardwareSpare`. */
  readonly hardwareName?: string;
  /** The events of the tickets but `otherEvent`: by their names or ids, as the hook takes them. */
  readonly events?: readonly string[];
}

/** A deployment to check. What is missing is skipped, with the reason. */
export interface Target {
  readonly baseUrl?: string;
  readonly limits?: TargetLimits;
  readonly changes?: TargetChanges;
  readonly keys: Readonly<Partial<Record<KeyName, string>>>;
  readonly tickets: Readonly<Partial<Record<TicketKind, readonly TargetTicket[]>>>;
}

/** Tickets of a target that one case has to itself, or shares with others that only look. */
export type AllottedTickets = Readonly<Partial<Record<TicketKind, readonly TargetTicket[]>>>;

/** A ticket as `seed` and people write it: other members are ignored, and null is the same as absent. */
interface TicketInput extends Omit<TargetTicket, 'holder' | 'validFrom' | 'validUntil'> {
  readonly holder?: TargetTicket['holder'] | null;
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
}

/** The target as people write it: a ticket may be just its code. */
export interface TargetInput {
  readonly baseUrl?: string;
  readonly limits?: TargetLimits;
  readonly changes?: TargetChanges;
  readonly keys?: Readonly<Partial<Record<KeyName, string>>>;
  readonly tickets?: Readonly<Partial<Record<TicketKind, readonly (string | TicketInput)[]>>>;
}

/** The target, the selection or the options make no sense; the message says what to do. */
export class CheckUsageError extends Error {
  override readonly name = 'CheckUsageError';
}

/** Gives the value of a key or ticket as written; `member` is its place in the target. */
export type Resolve = (text: string, member: string) => string;
