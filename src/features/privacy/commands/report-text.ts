import { ERASED } from '../../../core/erased-details.ts';
import type { Guest } from '../../../core/guest-holdings.ts';
import {
  editedMembers,
  type ReportedChange,
  type StoredMember,
  type ToldScan,
} from '../../../core/guest-report.ts';
import { OUTCOME_WORDS } from '../../../core/scan-words.ts';
import type { Holder, Ticket } from '../../../core/ticket.ts';
import { memberOf, TICKET_MEMBER_NAMES } from '../../../core/ticket-members.ts';
import { shownTime } from '../../../core/time-zone.ts';
import type { Words } from '../../../core/words.ts';

const ACTS: Readonly<Record<string, string>> = {
  'ticket.create': 'ticket made',
  'ticket.import': 'ticket imported',
  'ticket.cancel': 'ticket cancelled',
  'ticket.reinstate': 'cancellation undone',
  'ticket.replace': 'replacement issued',
  'ticket.delete': 'ticket deleted',
  'ticket.undo': 'a use was taken back',
  'ticket.erase': 'name erased',
};

/** A moment that the log has no more is a dash. */
function timeText(at: string | null, zone: string): string {
  return at === null ? '-' : shownTime(Date.parse(at), zone);
}

export function guestName(guest: Guest): string {
  if (guest === null) return 'no name';
  return guest === ERASED ? ERASED : `${guest.firstName} ${guest.lastName}`.trim();
}

/** What happened at a scan, in words for the guest. */
export function scanText(scan: ToldScan, zone: string): string {
  const { at, gate, serial, takesBack, takenBack, takenBackBecause, repeated } = scan;
  if (takesBack) {
    const when = takesBack.at === null ? '' : ` of ${timeText(takesBack.at, zone)}`;
    return `${timeText(at, zone)}  the use${when} was taken back: ${takenBackBecause}`;
  }
  const later = takenBack ? `, taken back${onText(takenBack.at, zone)}` : '';
  const again = repeated ? ', the same answer once more' : '';
  return `${timeText(at, zone)}  ${outcomeText(scan)}${placeText(gate, serial)}${again}${later}`;
}

function onText(at: string | null, zone: string): string {
  return at === null ? '' : ` on ${timeText(at, zone)}`;
}

/** The gate, with the serial of its device where the name does not say it. */
function placeText(gate: string | null, serial: string | null): string {
  const device = serial && !gate?.includes(serial) ? ` (device ${serial})` : '';
  return `${gate === null ? '' : ` at ${gate}`}${device}`;
}

function outcomeText(scan: ToldScan): string {
  const { status, reason, direction, byHand } = scan;
  const hand = byHand ? ' by hand' : '';
  if (status !== 'consumed' && status !== 'validated') {
    const why = reasonText(reason ?? status);
    return `${direction === 'out' ? 'way out, ' : ''}refused${hand}: ${why}`;
  }
  return `${direction === 'out' ? wayOutText(scan) : wayInText(scan)}${hand}`;
}

/** An outcome as the page calls it, within a sentence. */
function reasonText(outcome: string): string {
  const words: Readonly<Record<string, Words>> = OUTCOME_WORDS;
  return words[outcome]?.[0].toLowerCase() ?? outcome;
}

function wayOutText({ operation, status }: ToldScan): string {
  if (status === 'consumed') return 'way out, a use was taken';
  return operation === 'validate' ? 'way out, only looked at' : 'way out';
}

function wayInText({ status }: ToldScan): string {
  return status === 'consumed' ? 'let in' : 'looked at, valid';
}

/** The lines of a change in words, such as `name changed: from Anna to Ann`. */
export function changeTexts(change: ReportedChange, zone: string): string[] {
  const { at, act, details } = change;
  const members = editedMembers(change);
  const told = (what: string) => `${timeText(at, zone)}  ${what}`;
  if (members.length === 0) return [told(otherText(act, details))];
  return members.map(({ name, before, after }) => {
    const label = name === 'holder' ? 'name' : labelOf(name).toLowerCase();
    return told(
      `${label} changed: from ${editedText(name, before, zone)} to ${editedText(name, after, zone)}`,
    );
  });
}

function otherText(act: string, details: ReportedChange['details']): string {
  const what = ACTS[act] ?? act.replace(/^ticket\./u, '');
  const why = act === 'ticket.undo' && details['reason'] ? `: ${details['reason']}` : '';
  const other = details['replacedBy'] ? `: ${details['replacedBy']}` : '';
  return `${what}${why}${other}`;
}

const isMember = (name: string): name is keyof Ticket =>
  (TICKET_MEMBER_NAMES as readonly string[]).includes(name);

function labelOf(name: string): string {
  return isMember(name) ? memberOf(name).label[0] : name;
}

function editedText(name: string, value: unknown, zone: string): string {
  if (value === undefined)
    return name === 'holder' ? 'the name of another guest' : 'what was written for another guest';
  if (value === null) return 'none';
  const isTime = isMember(name) && memberOf(name).isTime === true;
  return plainText(isTime ? Date.parse(String(value)) : value, isTime, zone);
}

/** What a ticket has in a member. */
export function valueText({ value, isTime }: StoredMember, zone: string): string {
  return plainText(value, isTime, zone);
}

function plainText(value: unknown, isTime: boolean, zone: string): string {
  if (isTime) return shownTime(Number(value), zone);
  if (value === true) return 'yes';
  return typeof value === 'object' ? guestName(value as Holder) : String(value);
}
