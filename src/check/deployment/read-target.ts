import { didYouMean } from '../../kit/nearest.ts';
import { isRecord } from '../facts/json.ts';
import { readTimestamp } from '../facts/timestamp.ts';
import { REAL_CLOCK } from '../time/clock.ts';
import { refuseContradictions } from './contradictions.ts';
import { readTicket } from './read-ticket.ts';
import {
  CheckUsageError,
  KEY_NAMES,
  type KeyName,
  type Resolve,
  type Target,
  type TargetChanges,
  type TargetLimits,
  type TargetTicket,
  TICKET_KINDS,
  type TicketKind,
} from './target.ts';

/** A run takes its time, and clocks differ. */
const SIDE_MARGIN_MS = 15 * 60_000;

/**
 * Reads a target file's value. Members whose name begins with `//` are comments.
 * @param resolve turns a key or ticket as written (`env:NAME`, `file:PATH`) into its value
 * @param now milliseconds since 1970: `notYetValid` and `expired` tickets that are so only just are left out
 * @throws CheckUsageError naming the member that is wrong
 */
export function readTarget(
  value: unknown,
  resolve: Resolve = (text) => text,
  now = REAL_CLOCK.wallNow(),
): Target {
  if (!isRecord(value)) throw new CheckUsageError('A target must be a JSON object.');
  refuseOtherMembers(value, ['baseUrl', 'keys', 'tickets', 'limits', 'changes'], 'the target');
  const { baseUrl } = value;
  if (baseUrl !== undefined && typeof baseUrl !== 'string')
    throw new CheckUsageError('"baseUrl" of the target must be a string.');
  const keys = readKeys(value['keys'] ?? {}, resolve);
  const tickets = readTickets(value['tickets'] ?? {}, resolve);
  refuseContradictions({ keys, tickets }, now);
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(value['limits'] === undefined ? {} : { limits: readLimits(value['limits']) }),
    ...(value['changes'] === undefined ? {} : { changes: readChanges(value['changes']) }),
    keys,
    tickets: onTheirSide(tickets, now),
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

/** Kinds that are refused for their window, or whose window nobody knows. */
const OUTSIDE_THEIR_WINDOW: readonly string[] = ['expired', 'otherEventExpired', 'unknown'];

/** True for a ticket that is on its side of its window no longer, or might not be within that time. */
export function isNearOtherSide(
  kind: string,
  { validFrom, validUntil }: TargetTicket,
  now: number,
  marginMs: number,
): boolean {
  const from = readTimestamp(validFrom)?.epochMs;
  const until = readTimestamp(validUntil)?.epochMs;
  if (kind === 'notYetValid') return from !== undefined && from - marginMs < now;
  if (kind === 'expired') return until !== undefined && until + marginMs > now;
  if (OUTSIDE_THEIR_WINDOW.includes(kind)) return false;
  return (from !== undefined && from > now) || (until !== undefined && until < now);
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
  return keys;
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

function refuseOtherMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  where: string,
): void {
  const other = Object.keys(value).find((name) => !name.startsWith('//') && !known.includes(name));
  if (other === undefined) return;
  throw new CheckUsageError(
    `"${other}" is not a member of ${where}. Known members: ${known.join(', ')}.${didYouMean(other, known)} ("//…" is a comment.)`,
  );
}
