import { isoTime } from '../../../core/clock.ts';
import { endOfTicket } from '../../../core/end-of-ticket.ts';
import {
  detailsOfGuest,
  isAbout,
  type StoredMember,
  storedMembers,
} from '../../../core/guest-report.ts';
import { type LogEntry, ticketFromView, ticketToJson } from '../../../core/records.ts';
import type { Holder, Ticket } from '../../../core/ticket.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { DAY_MS } from '../../../kit/durations.ts';
import { sanitizeForTerminal } from '../../../kit/text.ts';
import { PAGE_ITEMS_MAX } from '../../../operations/fields.ts';
import type { AnswerOf } from '../../../operations/operation.ts';
import { collected, readSettings } from '../../../terminal/options.ts';
import { readAuditLog } from '../../audit-log/operations.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { pagesOf, readEntries } from '../../log/commands/read-log.ts';
import { TICKET, ticketIdFrom } from '../../tickets/commands/find-tickets.ts';
import { getTicket } from '../../tickets/operations.ts';
import { linksOfTicket } from '../../tickets/rules.ts';
import { zoneOf } from '../../time-zone.ts';
import { RETENTION_SETTINGS } from '../rules.ts';
import { namesAmong, ticketsOfGuest } from './guests.ts';

const HELP = `
Examples:
  ticketscan privacy report --ticket tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy report --name "Ada Lovelace" --json
  ticketscan privacy report --reference ORDER-4711

With --json each ticket has "stored", "personal" (what of it tells of the guest), "since", "until", "scans" and "changes".
Look whether each ticket is the guest's before you hand the report out: others may have the same name. It says nothing of
other guests and of who works here. At a server it needs an owner's token. Besides, answers that are stored for repeated
requests have the holder for up to 24 hours, and backups, exported lists and printed tickets have what they had when they
were made.`;

/** `ticketscan privacy report`: what is stored about a guest who asks for it (Art. 15 GDPR). */
export const reportCommand = dataCommand({
  name: 'report',
  summary:
    'Tell what is stored about a guest: of each ticket everything, its scans and its changes.',
  options: (one) =>
    one
      .option('--ticket <ticket>', `${TICKET[1]}; repeat it for others`, collected)
      .option('--name <text>', 'tickets whose holder has this text in the name')
      .option('--reference <text>', 'tickets with this reference, letter for letter'),
  settings: ['keepHoldersDays'],
  json: '{"at", "tickets"}',
  help: HELP,
  run: async (access, options) => {
    const { io } = access;
    const ids = (options.ticket ?? []).map((id) => ticketIdFrom(id, io));
    const tickets = await ticketsOfGuest(access, ids, options);
    const keepDays = readSettings(RETENTION_SETTINGS, options, io).keepHoldersDays;
    const reports: GuestReport[] = [];
    for (const view of tickets)
      reports.push(await reportOf(access, ticketFromView(view), keepDays));
    const at = access.clock.now();
    const names = namesAmong(tickets);
    if (names > 1)
      io.err(
        `These tickets have ${names} different names: hand out those of the guest alone, with --ticket for each.`,
      );
    if (options.json) {
      const json = reports.map((report) => reportJson(report, at));
      return io.out(JSON.stringify({ at: isoTime(at), tickets: json }, null, 2));
    }
    for (const report of reports) {
      const zone = await zoneOf(access, { event: report.ticket.eventId });
      for (const line of linesOf(report, zone)) io.out(line);
    }
  },
});

type AuditEntry = AnswerOf<typeof readAuditLog>['items'][number];

interface GuestReport {
  readonly ticket: Ticket;
  readonly eventName: string;
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** When what tells of the guest is erased by itself; null where nothing says so. */
  readonly until: number | null;
  readonly scans: readonly LogEntry[];
  readonly changes: readonly AuditEntry[];
}

async function reportOf(
  access: DataAccess,
  ticket: Ticket,
  keepDays: number | undefined,
): Promise<GuestReport> {
  const { id } = ticket;
  const event = await access.findEvent(ticket.eventId);
  const call = await access.callFor(event.organisationId);
  const { replaces, replacedBy } = access.local
    ? await linksOfTicket(access.local.store, id)
    : await call(getTicket, { id });
  const read = pagesOf(access.call, { ticket: id });
  const { entries: scans } = await readEntries(read, {}, Number.POSITIVE_INFINITY);
  const changes = await changesOf(call, id);
  const end = endOfTicket(ticket);
  const until = end === null || keepDays === undefined ? null : end + keepDays * DAY_MS;
  return { ticket, eventName: event.name, replaces, replacedBy, until, scans, changes };
}

/** The audit entries about a ticket, oldest first. */
async function changesOf(
  call: Awaited<ReturnType<DataAccess['callFor']>>,
  id: string,
): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let before: number | undefined;
  for (;;) {
    const page: AnswerOf<typeof readAuditLog> = await call(readAuditLog, {
      before,
      limit: PAGE_ITEMS_MAX,
    });
    found.push(...page.items.filter((entry) => isAbout(entry, id)));
    if (page.next === null) return found.reverse();
    before = page.next;
  }
}

function reportJson({ ticket, until, scans, changes, ...others }: GuestReport, now: number) {
  const personal = storedMembers(ticket).filter(({ isPersonal }) => isPersonal);
  return {
    ...others,
    stored: ticketToJson(ticket, now),
    personal: personal.map(({ name }) => name),
    since: isoTime(ticket.createdAt),
    until: until === null ? null : isoTime(until),
    scans: scans.map((scan) => ({
      at: isoTime(scan.at),
      operation: scan.operation,
      status: scan.status,
      reason: scan.reason,
      direction: scan.direction ?? null,
      serial: scan.serial,
      takenBackBecause: scan.undo?.reason ?? null,
    })),
    changes: changes.map((entry) => ({
      at: isoTime(entry.at),
      act: entry.act,
      details: detailsOfGuest(entry.details),
    })),
  };
}

function linesOf(report: GuestReport, zone: string): string[] {
  const { ticket, eventName, replaces, replacedBy, until, scans, changes } = report;
  const members = storedMembers(ticket);
  const shown = (wanted: boolean) =>
    members
      .filter(({ isPersonal }) => isPersonal === wanted)
      .map((member) => `  ${member.label[0]}: ${valueText(member, zone)}`);
  const personal = shown(true);
  const time = (at: number) => shownTime(at, zone);
  const links = [
    ...(replaces === null ? [] : [`  It replaces ${replaces}.`]),
    ...(replacedBy === null ? [] : [`  It was replaced by ${replacedBy}.`]),
  ];
  const lines = [
    inZone(`Ticket ${ticket.id} for ${eventName}`, zone),
    'About the guest:',
    ...(personal.length > 0 ? personal : ['  Nothing.']),
    `  Stored since ${time(ticket.createdAt)}, until ${until === null ? 'it is erased' : time(until)}.`,
    'About the ticket:',
    ...shown(false),
    ...links,
    'Scans:',
    ...(scans.length > 0 ? scans.map((scan) => `  ${scanText(scan, zone)}`) : ['  None.']),
    'Changes:',
    ...(changes.length > 0
      ? changes.map(
          (entry) =>
            `  ${time(entry.at)}  ${entry.act}  ${JSON.stringify(detailsOfGuest(entry.details))}`,
        )
      : ['  None.']),
    '',
  ];
  return lines.map(sanitizeForTerminal);
}

function valueText({ value, isTime }: StoredMember, zone: string): string {
  if (isTime) return shownTime(Number(value), zone);
  if (value === true) return 'yes';
  if (typeof value !== 'object') return String(value);
  const { firstName, lastName } = value as Holder;
  return `${firstName} ${lastName}`.trim();
}

function scanText({ at, operation, status, reason, serial, undo }: LogEntry, zone: string): string {
  const what = `${operation} ${status}${reason === null ? '' : `, ${reason}`}`;
  const where = serial === null ? '' : ` at ${serial}`;
  const why = undo ? `: ${undo.reason}` : '';
  return `${shownTime(at, zone)}  ${what}${where}${why}`;
}
