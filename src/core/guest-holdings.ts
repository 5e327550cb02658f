import { ERASED } from './erased-details.ts';
import { isSameName } from './folded-text.ts';
import { PERSONAL_MEMBERS } from './personal-texts.ts';
import type { Holder, Ticket } from './ticket.ts';

/** An entry of the audit log about a ticket. Its time is in milliseconds since 1970 UTC. */
export interface TicketChange {
  readonly at: number;
  readonly act: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Who a ticket was for: nobody who is named, somebody whose name was erased, or a holder. */
export type Guest = Holder | typeof ERASED | null;

/** The time in which a ticket had one holder. */
export interface Holding {
  readonly guest: Guest;
  /** Null for the first: since the ticket was made. */
  readonly from: number | null;
  /** Null for the present holder. */
  readonly until: number | null;
  /** The edit of the name with which it began; none for the first, and where a file was edited by hand. */
  readonly edit: TicketChange | null;
}

type HoldersOf = Pick<Ticket, 'holder'>;
type Members = Readonly<Record<string, unknown>>;

/** Whether two holders are the same person, even if an edit changed the spelling of one. */
export function isSameHolder(one: Holder | null | undefined, other: Holder | null): boolean {
  const none = { firstName: '', lastName: '' };
  const [first, second] = [one ?? none, other ?? none];
  return (
    isSameName(first.firstName, second.firstName) && isSameName(first.lastName, second.lastName)
  );
}

export function isSameGuest(one: Guest, other: Guest): boolean {
  if (one === ERASED || other === ERASED) return one === other;
  return isSameHolder(one, other);
}

/** The members that an edit changed, as they were and as they are. */
export function sidesOf({ details }: Pick<TicketChange, 'details'>): {
  readonly before: Members;
  readonly after: Members;
} {
  const side = (value: unknown) =>
    (typeof value === 'object' && value !== null ? value : {}) as Members;
  return { before: side(details['before']), after: side(details['after']) };
}

/** The holders that an edit of a ticket names; none for every other change. */
export function guestsInEdit(change: Pick<TicketChange, 'act' | 'details'>): readonly Guest[] {
  const { before, after } = sidesOf(change);
  if (change.act !== 'ticket.edit' || !('holder' in before)) return [];
  return [before['holder'] as Guest, (after['holder'] ?? null) as Guest];
}

/** Everybody whom a ticket was for, one after another. @param changes those of the ticket, oldest first */
export function holdingsOf({ holder }: HoldersOf, changes: readonly TicketChange[]): Holding[] {
  const found: Holding[] = [];
  let from: number | null = null;
  let edit: TicketChange | null = null;
  let now: Guest | undefined;
  for (const change of changes) {
    const [before, after] = guestsInEdit(change);
    if (before === undefined || after === undefined) continue;
    // Somebody edited the file of a store in between: the log does not say when.
    if (now !== undefined && !isSameGuest(now, before)) {
      found.push({ guest: now, from, until: from, edit });
      edit = null;
    }
    found.push({ guest: before, from, until: change.at, edit });
    [from, edit, now] = [change.at, change, after];
  }
  if (now !== undefined && now !== ERASED && !isSameGuest(now, holder)) {
    found.push({ guest: now, from, until: from, edit });
    edit = null;
  }
  found.push({ guest: holder, from, until: null, edit });
  return withFirstName(found, changes);
}

/** A ticket that was sold without a name is that of the first who is named, unless a name was erased meanwhile. */
function withFirstName(holdings: readonly Holding[], changes: readonly TicketChange[]): Holding[] {
  const [first, second, ...others] = holdings;
  if (!first || !second || first.guest !== null) return [...holdings];
  const isErased = changes.some(
    ({ act, at }) => act === 'ticket.erase' && at <= (first.until ?? at),
  );
  if (isErased) return [...holdings];
  return [{ ...first, guest: second.guest }, second, ...others];
}

/** A change with what it says about one guest. */
export interface ToldChange<Change> {
  readonly change: Change;
  readonly details: Members;
  /** What tells of another guest and is left out of `details`, such as `before.holder`. */
  readonly leftOut: readonly string[];
}

/**
 * The changes that were made while a ticket was that of a guest, without what they say about others.
 * @param isOfGuest decides about a change that says itself when it was, such as a use that was taken back; undefined for others
 */
export function changesOfGuest<Change extends TicketChange>(
  guest: Guest,
  holdings: readonly Holding[],
  changes: readonly Change[],
  isOfGuest: (change: Change) => boolean | undefined,
): ToldChange<Change>[] {
  const isOwn = (at: number) => isSameGuest(holdings[at]?.guest ?? null, guest);
  const told: ToldChange<Change>[] = [];
  let index = 0;
  /** What was written on the ticket in the time of another guest. */
  let inherited = new Set<string>();
  for (const change of changes) {
    const begun = holdings.findIndex(({ edit }) => edit === change);
    const isBegin = begun !== -1;
    // The holding before it may have begun with an edit of a file, which the log does not have.
    const wasOwn = isOwn(isBegin ? begun - 1 : index);
    if (isBegin) index = begun;
    if (!wasOwn) inherited = new Set(PERSONAL_MEMBERS);
    const sides = { wasOwn, isOwn: isOwn(index), inherited };
    const isTold = isOfGuest(change) ?? isOfEither(sides);
    if (isTold) told.push(toldChange(change, sides));
    for (const name of Object.keys(sidesOf(change).after)) inherited.delete(name);
  }
  return told;
}

interface Sides {
  /** Whether the ticket was that of the guest before the change, and is after it. */
  readonly wasOwn: boolean;
  readonly isOwn: boolean;
  readonly inherited: ReadonlySet<string>;
}

function isOfEither({ wasOwn, isOwn }: Sides): boolean {
  return wasOwn || isOwn;
}

function toldChange<Change extends TicketChange>(
  change: Change,
  { wasOwn, isOwn, inherited }: Sides,
): ToldChange<Change> {
  const { before, after } = sidesOf(change);
  const leftOut = [
    ...personalIn('before', before, (name) => !wasOwn || inherited.has(name)),
    ...personalIn('after', after, () => !isOwn),
  ];
  return { change, details: without(change.details, leftOut), leftOut };
}

function personalIn(side: string, members: Members, isOfOther: (name: string) => boolean) {
  return PERSONAL_MEMBERS.filter(
    (name) => (members[name] ?? null) !== null && members[name] !== ERASED && isOfOther(name),
  ).map((name) => `${side}.${name}`);
}

function without(details: Members, leftOut: readonly string[]): Members {
  if (leftOut.length === 0) return details;
  const kept = (side: string, members: unknown) =>
    Object.fromEntries(
      Object.entries(members as Members).filter(([name]) => !leftOut.includes(`${side}.${name}`)),
    );
  const sides = ['before', 'after'].filter((side) => side in details);
  return {
    ...details,
    ...Object.fromEntries(sides.map((side) => [side, kept(side, details[side])])),
  };
}

/** The times in which a ticket was that of a guest, each once. */
export function timesOfGuest(
  guest: Guest,
  holdings: readonly Holding[],
): Pick<Holding, 'from' | 'until'>[] {
  const times: Pick<Holding, 'from' | 'until'>[] = [];
  let isGoingOn = false;
  for (const { guest: one, from, until } of holdings) {
    const isOwn = isSameGuest(one, guest);
    const last = times.at(-1);
    if (isOwn && isGoingOn && last) times[times.length - 1] = { ...last, until };
    else if (isOwn) times.push({ from, until });
    isGoingOn = isOwn;
  }
  return times;
}
