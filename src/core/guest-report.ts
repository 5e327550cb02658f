import { isAccountId } from './administrative-records.ts';
import { isoTime } from './clock.ts';
import type { GatePlace } from './gate-name.ts';
import {
  changesOfGuest,
  type Guest,
  holdingsOf,
  isSameGuest,
  sidesOf,
  type TicketChange,
  timesOfGuest,
} from './guest-holdings.ts';
import { isPersonal, PERSONAL_MEMBERS } from './personal-texts.ts';
import type { LogEntry } from './records.ts';
import type { Ticket } from './ticket.ts';
import { memberOf, TICKET_MEMBER_NAMES } from './ticket-members.ts';
import type { Words } from './words.ts';

/** What a ticket has in one member. */
export interface StoredMember {
  readonly name: keyof Ticket;
  readonly label: Words;
  /** Whether it tells of the guest: then erasing and retention forget it. */
  readonly isPersonal: boolean;
  /** Whether the value is a time, in milliseconds since 1970 UTC. */
  readonly isTime: boolean;
  readonly value: NonNullable<unknown>;
}

/** Everything that a ticket says, what tells of its guest first. */
export function storedMembers(ticket: Ticket): StoredMember[] {
  const others = TICKET_MEMBER_NAMES.filter((name) => !isPersonal(name));
  return [...PERSONAL_MEMBERS, ...others].flatMap((name) => {
    const value = ticket[name] ?? null;
    if (value === null) return [];
    const { label, isTime = false } = memberOf(name);
    return [{ name, label, isPersonal: isPersonal(name), isTime, value }];
  });
}

/** What of an entry of the audit log says which ticket it is about. */
interface ChangeOfTickets {
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The tickets that a change was about; other ids are among them for changes of other objects. */
export function ticketsIn({ subject, details }: ChangeOfTickets): string[] {
  const listed = details['tickets'];
  const ids = Array.isArray(listed) ? listed.map(String) : [];
  return subject === null ? ids : [subject, ...ids];
}

/** What the stores say about a ticket. Times are in milliseconds since 1970 UTC. */
interface StoredOfTicket {
  readonly ticket: Pick<Ticket, 'holder' | 'createdAt'>;
  /** Oldest first. */
  readonly scans: readonly LogEntry[];
  /** Oldest first. */
  readonly changes: readonly (TicketChange & ChangeOfTickets)[];
  /** What a gate is called. */
  readonly gateName: (place: GatePlace) => string;
}

/**
 * What a report says about one guest of a ticket, as JSON: the times in which the ticket was that guest's, and the scans and changes of these
 * times, without what tells of others.
 */
export function storedAboutGuest(
  guest: Guest,
  { ticket, scans, changes, gateName }: StoredOfTicket,
) {
  const holdings = holdingsOf(ticket, changes);
  const times = timesOfGuest(guest, holdings);
  const bySequence = new Map(scans.map((scan) => [scan.sequence, scan]));
  const isOnly = holdings.every((one) => isSameGuest(one.guest, guest));
  const isIn = (at: number) =>
    times.some(
      ({ from, until }) => (from === null || from <= at) && (until === null || at < until),
    );
  // A use that was taken back is that of the guest who used the ticket: of one that was pruned, nobody can say who that was.
  const isOfUse = (sequence: number) => {
    const use = bySequence.get(sequence);
    return use ? isIn(use.at) : isOnly;
  };
  const isOfGuest = ({ act, details }: TicketChange) =>
    act === 'ticket.undo' ? isOfUse(Number(details['sequence'])) : undefined;
  return {
    held: times.map(({ from, until }) => ({
      from: isoTime(from ?? ticket.createdAt),
      until: isoTime(until),
    })),
    scans: scans
      .filter(({ at, undo }) => (undo ? isOfUse(undo.sequence) : isIn(at)))
      .map((scan) => toldScan(scan, bySequence, gateName)),
    changes: changesOfGuest(guest, holdings, changes, isOfGuest).map(
      ({ change, details, leftOut }) => {
        const { tickets: _, ...own } = details;
        return { at: isoTime(change.at), act: change.act, details: own, leftOut };
      },
    ),
  };
}

type AboutGuest = ReturnType<typeof storedAboutGuest>;
export type ToldScan = AboutGuest['scans'][number];
export type ReportedChange = AboutGuest['changes'][number];

/** What the log has of a scan. The account that scanned is left out: the report says nothing about who works here. */
function toldScan(
  scan: LogEntry,
  bySequence: ReadonlyMap<number, LogEntry>,
  gateName: (place: GatePlace) => string,
) {
  const { at, sequence, operation, status, reason, keyId, serial, reader, undo, undoneBy } = scan;
  const isByAccount = isAccountId(keyId);
  const timeOf = (other: number | undefined) =>
    isoTime(other === undefined ? null : (bySequence.get(other)?.at ?? null));
  return {
    at: isoTime(at),
    sequence,
    operation,
    status,
    reason,
    direction: scan.direction ?? null,
    done: scan.done ?? null,
    byHand: scan.byHand ?? false,
    repeated: scan.replayed,
    usesConsumed: scan.usesConsumed,
    key: isByAccount ? null : keyId,
    gate: isByAccount ? null : gateName(scan),
    serial,
    reader,
    /** The entry of the use that this one takes back, and when that was. */
    takesBack: undo ? { sequence: undo.sequence, at: timeOf(undo.sequence) } : null,
    takenBackBecause: undo?.reason ?? null,
    /** The entry that took this use back later, and when. */
    takenBack: undoneBy === undefined ? null : { sequence: undoneBy, at: timeOf(undoneBy) },
  };
}

/** One member of a ticket that an edit changed. */
export interface EditedMember {
  readonly name: string;
  /** Undefined where it tells of another guest. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What an edit changed, member by member; none for every other change. */
export function editedMembers({
  details,
  leftOut,
}: Pick<ReportedChange, 'details' | 'leftOut'>): EditedMember[] {
  const { before, after } = sidesOf({ details });
  const hidden = leftOut.map((path) => path.slice(path.indexOf('.') + 1));
  const names = new Set([...Object.keys(before), ...Object.keys(after), ...hidden]);
  return [...names].map((name) => ({ name, before: before[name], after: after[name] }));
}
