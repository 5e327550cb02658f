import { readTimestamp } from '../facts/timestamp.ts';
import {
  CheckUsageError,
  KEY_NAMES,
  type Target,
  type TargetTicket,
  TICKET_KINDS,
  type TicketKind,
  usesOfKind,
} from './target.ts';

/**
 * Refuses a target that contradicts itself: a right server would be accused of what the file says twice, or in the wrong list.
 * @throws CheckUsageError naming both places
 */
export function refuseContradictions(
  { keys, tickets }: Pick<Target, 'keys' | 'tickets'>,
  now: number,
): void {
  refuseSameKey(keys);
  refuseSameTicket(tickets);
  for (const [where, ticket, kind] of placesIn(tickets)) {
    refuseOtherUses(where, ticket, kind);
    refuseOtherWindow(where, ticket, kind, now);
  }
}

/** Each key has one role: what one role may do, another may not. */
function refuseSameKey(keys: Target['keys']): void {
  const names = new Map<string, string>();
  for (const name of KEY_NAMES) {
    const key = keys[name];
    if (key === undefined) continue;
    const same = names.get(key);
    if (same !== undefined)
      throw new CheckUsageError(
        `"keys.${same}" and "keys.${name}" are the same key: each role needs a key of its own. Leave out the one that you do not have.`,
      );
    names.set(key, name);
  }
}

function refuseSameTicket(tickets: Target['tickets']): void {
  const codes = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const [where, { code, ticketId }] of placesIn(tickets)) {
    const same = codes.get(code);
    if (same !== undefined)
      throw new CheckUsageError(
        `"${same}" and "${where}" are the same ticket code: each entry must be a ticket of its own, in one list.`,
      );
    codes.set(code, where);
    const other = ticketId === undefined ? undefined : ids.get(ticketId);
    if (other !== undefined)
      throw new CheckUsageError(
        `"${other}" and "${where}" have the same "ticketId" and different codes: one of them is wrong.`,
      );
    if (ticketId !== undefined) ids.set(ticketId, where);
  }
}

function refuseOtherUses(where: string, { usesAllowed }: TargetTicket, kind: TicketKind): void {
  const [least, most] = usesOfKind(kind) ?? [0, Number.POSITIVE_INFINITY];
  if (usesAllowed === undefined || (usesAllowed >= least && usesAllowed <= most)) return;
  throw new CheckUsageError(
    `"${where}" allows ${usesAllowed} uses, but "${kind}" is for tickets of ${least === most ? least : `${least} to ${most}`}: move it to another list.`,
  );
}

function refuseOtherWindow(
  where: string,
  { validFrom, validUntil }: TargetTicket,
  kind: TicketKind,
  now: number,
): void {
  const from = readTimestamp(validFrom)?.epochMs ?? Number.NEGATIVE_INFINITY;
  const until = readTimestamp(validUntil)?.epochMs ?? Number.POSITIVE_INFINITY;
  if (from > until)
    throw new CheckUsageError(`"${where}" ends before it begins: look at its window.`);
  // one that begins at some time is an old file at most: it is left out
  if (kind === 'notYetValid' && validFrom === undefined && until < now)
    throw new CheckUsageError(
      `"${where}" ended on ${validUntil}, but "notYetValid" is for tickets that begin later: it belongs to "expired".`,
    );
  if (kind.toLowerCase().endsWith('expired') && from > now)
    throw new CheckUsageError(
      `"${where}" begins on ${validFrom}, but "${kind}" is for tickets that have ended: it belongs to "notYetValid".`,
    );
}

/** Every ticket with its place in the target: `tickets.single[0]`. */
function* placesIn(
  tickets: Target['tickets'],
): Generator<[where: string, ticket: TargetTicket, kind: TicketKind]> {
  for (const kind of TICKET_KINDS)
    for (const [index, ticket] of (tickets[kind] ?? []).entries())
      yield [`tickets.${kind}[${index}]`, ticket, kind];
}
