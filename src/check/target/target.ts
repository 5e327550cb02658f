import {
  FURTHER_KEYS,
  FURTHER_TICKETS,
  TARGET_KEYS,
  TARGET_TICKETS,
} from '../../target-file/names.ts';
import { isRecord } from '../facts/json.ts';
import { readTimestamp } from '../facts/timestamp.ts';

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

/** A run takes its time, and clocks differ. */
const SIDE_MARGIN_MS = 15 * 60_000;

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
type Resolve = (text: string, member: string) => string;

/**
 * Reads a target file's value. Members whose name begins with `//` are comments.
 * @param resolve turns a key or ticket as written (`env:NAME`, `file:PATH`) into its value
 * @param now milliseconds since 1970: `notYetValid` and `expired` tickets that are so only just are left out
 * @throws CheckUsageError naming the member that is wrong
 */
export function readTarget(
  value: unknown,
  resolve: Resolve = (text) => text,
  now = Date.now(),
): Target {
  if (!isRecord(value)) throw new CheckUsageError('A target must be a JSON object.');
  refuseOtherMembers(value, ['baseUrl', 'keys', 'tickets', 'limits', 'changes'], 'the target');
  const { baseUrl } = value;
  if (baseUrl !== undefined && typeof baseUrl !== 'string')
    throw new CheckUsageError('"baseUrl" of the target must be a string.');
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(value['limits'] === undefined ? {} : { limits: readLimits(value['limits']) }),
    ...(value['changes'] === undefined ? {} : { changes: readChanges(value['changes']) }),
    keys: readKeys(value['keys'] ?? {}, resolve),
    tickets: onTheirSide(readTickets(value['tickets'] ?? {}, resolve), now),
  };
}

/** Without the tickets that may begin while the target is used, and those whose end is too near for clocks that differ. */
function onTheirSide(tickets: Target['tickets'], now: number): Target['tickets'] {
  const left = Object.entries(tickets).map(([kind, list]) => [
    kind,
    list.filter((ticket) => !isNearOtherSide(kind, ticket, now, SIDE_MARGIN_MS)),
  ]);
  return Object.fromEntries(left);
}

/** True for a ticket that is `notYetValid` or `expired` no longer, or might not be within that time. */
export function isNearOtherSide(
  kind: string,
  { validFrom, validUntil }: TargetTicket,
  now: number,
  marginMs: number,
): boolean {
  const end = readTimestamp(kind === 'notYetValid' ? validFrom : validUntil);
  if (!end) return false;
  if (kind === 'notYetValid') return end.epochMs - marginMs < now;
  return kind === 'expired' && end.epochMs + marginMs > now;
}

function readLimits(value: unknown): TargetLimits {
  if (!isRecord(value)) throw new CheckUsageError('"limits" of the target must be an object.');
  refuseOtherMembers(value, ['rate', 'burst'], '"limits"');
  for (const name of ['rate', 'burst']) {
    const limit = value[name];
    if (limit === undefined || (Number.isInteger(limit) && Number(limit) > 0)) continue;
    throw new CheckUsageError(`"limits.${name}" must be a whole number above 0.`);
  }
  return value as TargetLimits;
}

function readChanges(value: unknown): TargetChanges {
  if (!isRecord(value)) throw new CheckUsageError('"changes" of the target must be an object.');
  refuseOtherMembers(value, ['name', 'hardwareName', 'events'], '"changes"');
  const { name, hardwareName, events } = value;
  for (const [member, text] of Object.entries({ name, hardwareName })) {
    if (text === undefined || (typeof text === 'string' && text !== '')) continue;
    throw new CheckUsageError(`"changes.${member}" must be the name of a key.`);
  }
  const isList = Array.isArray(events) && events.length > 0;
  if (events !== undefined && !(isList && events.every((one) => typeof one === 'string')))
    throw new CheckUsageError('"changes.events" must be an array of names or ids of events.');
  return value as TargetChanges;
}

function readKeys(value: unknown, resolve: Resolve): Target['keys'] {
  if (!isRecord(value)) throw new CheckUsageError('"keys" of the target must be an object.');
  refuseOtherMembers(value, KEY_NAMES, '"keys"');
  const keys: Partial<Record<KeyName, string>> = {};
  for (const name of KEY_NAMES) {
    const text = value[name];
    if (text === undefined || text === null || text === '') continue;
    if (typeof text !== 'string') throw new CheckUsageError(`"keys.${name}" must be a string.`);
    const key = resolve(text, `keys.${name}`);
    if (!/^[\x21-\x7e]{4,1000}$/.test(key)) {
      throw new CheckUsageError(
        `"keys.${name}" is not a usable key: it must be 4 to 1000 visible ASCII characters.`,
      );
    }
    keys[name] = key;
  }
  refuseSameKey(keys);
  return keys;
}

/** A key that is good under one name cannot be refused under another. */
function refuseSameKey(keys: Target['keys']): void {
  for (const refused of KEY_NAMES.filter((name) => /disabled|deleted|quota/i.test(name))) {
    const same = KEY_NAMES.find((name) => name !== refused && keys[name] === keys[refused]);
    if (keys[refused] === undefined || same === undefined) continue;
    throw new CheckUsageError(
      `"keys.${refused}" and "keys.${same}" are the same key: it cannot be in both states.`,
    );
  }
}

function readTickets(value: unknown, resolve: Resolve): Target['tickets'] {
  if (!isRecord(value)) throw new CheckUsageError('"tickets" of the target must be an object.');
  refuseOtherMembers(value, TICKET_KINDS, '"tickets"');
  const tickets: Partial<Record<TicketKind, TargetTicket[]>> = {};
  for (const kind of TICKET_KINDS) {
    const list = value[kind];
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) throw new CheckUsageError(`"tickets.${kind}" must be an array.`);
    tickets[kind] = list.map((one, i) => readTicket(one, `tickets.${kind}[${i}]`, resolve));
  }
  return tickets;
}

function readTicket(value: unknown, where: string, resolve: Resolve) {
  const ticket = typeof value === 'string' ? { code: value } : value;
  if (!isRecord(ticket) || typeof ticket['code'] !== 'string' || ticket['code'] === '') {
    throw new CheckUsageError(`"${where}" must be a ticket code or an object with a "code".`);
  }
  const uses = ticket['usesAllowed'];
  if (uses !== undefined && !Number.isInteger(uses))
    throw new CheckUsageError(`"${where}.usesAllowed" must be a whole number.`);
  if (ticket['holder'] !== undefined && ticket['holder'] !== null && !isRecord(ticket['holder']))
    throw new CheckUsageError(`"${where}.holder" must be an object.`);
  const { inScope } = ticket;
  if (inScope !== undefined && typeof inScope !== 'boolean')
    throw new CheckUsageError(`"${where}.inScope" must be true or false.`);
  const { holder, validFrom, validUntil, ...rest } = ticket;
  return {
    ...rest,
    ...(isRecord(holder) ? { holder } : {}),
    ...(typeof validFrom === 'string' ? { validFrom } : {}),
    ...(typeof validUntil === 'string' ? { validUntil } : {}),
    code: usableCode(resolve(ticket['code'], where), where),
  } as TargetTicket;
}

const CODE_CHARACTERS_MAX = 1000;

/** No code of a ticket is as long as a private key or another file, or has several lines. */
function usableCode(code: string, where: string): string {
  if (code.length <= CODE_CHARACTERS_MAX && !/[\r\n]/.test(code)) return code;
  throw new CheckUsageError(
    `"${where}" is not a ticket code: it has several lines, or more than ${CODE_CHARACTERS_MAX} characters. Nothing was sent.`,
  );
}

function refuseOtherMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  where: string,
): void {
  const other = Object.keys(value).find((name) => !name.startsWith('//') && !known.includes(name));
  if (other === undefined) return;
  throw new CheckUsageError(
    `"${other}" is not a member of ${where}. Known members: ${known.join(', ')}. ("//…" is a comment.)`,
  );
}
