import { isoTime } from '../../../core/clock.ts';
import { endOfTicket } from '../../../core/end-of-ticket.ts';
import type { GatePlace } from '../../../core/gate-name.ts';
import { type Guest, isSameGuest } from '../../../core/guest-holdings.ts';
import { storedAboutGuest, storedMembers } from '../../../core/guest-report.ts';
import { ticketToJson } from '../../../core/records.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { DAY_MS } from '../../../kit/durations.ts';
import { sanitizeForTerminal } from '../../../kit/text.ts';
import { collected, readSettings } from '../../../terminal/options.ts';
import { namesOf } from '../../../terminal/results.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { namesOfDevices } from '../../devices/device-names.ts';
import { pagesOf, readEntries } from '../../log/commands/read-log.ts';
import { TICKET, ticketIdFrom } from '../../tickets/commands/find-tickets.ts';
import { getTicket } from '../../tickets/operations.ts';
import { linksOfTicket } from '../../tickets/rules.ts';
import { zoneOf } from '../../time-zone.ts';
import { RETENTION_SETTINGS } from '../rules.ts';
import { type AskedTicket, askedTickets, namesAmong } from './guests.ts';
import { changeTexts, guestName, scanText, valueText } from './report-text.ts';

const HELP = `
Examples:
  ticketscan privacy report --ticket tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy report --name "Ada Lovelace" --json
  ticketscan privacy report --reference ORDER-4711

With --json each ticket has "stored", "personal" (what of it tells of the guest), "since", "until", "held" (when it had the name), "scans"
and "changes"; "leftOut" of a change names what tells of another guest. --name also finds names that a ticket had earlier.
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
      .option('--name <text>', 'tickets whose holder has this text in the name, or had it earlier')
      .option('--reference <text>', 'tickets with this reference, letter for letter'),
  settings: ['keepHoldersDays'],
  json: '{"at", "tickets"}',
  help: HELP,
  run: async (access, options) => {
    const { io } = access;
    const ids = (options.ticket ?? []).map((id) => ticketIdFrom(id, io));
    const asked = await askedTickets(access, ids, options);
    const keepDays = readSettings(RETENTION_SETTINGS, options, io).keepHoldersDays;
    const gateName = await gatesOf(access);
    const reports: GuestReport[] = [];
    for (const one of asked) reports.push(...(await reportsOf(access, one, gateName, keepDays)));
    const at = access.clock.now();
    const names = namesAmong(reports.map(({ guest }) => guest));
    if (names > 1)
      io.err(
        `These tickets have ${names} different names: hand out those of the guest alone, with --ticket for each, or the whole name for one that a ticket had earlier.`,
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

interface GuestReport extends ReturnType<typeof storedAboutGuest> {
  readonly guest: Guest;
  /** False for somebody who held the ticket earlier. */
  readonly isPresent: boolean;
  readonly ticket: Ticket;
  readonly eventName: string;
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** When what tells of the guest is erased by itself; null where nothing says so. */
  readonly until: number | null;
}

type GateName = (place: GatePlace) => string;

/** What gates are called, as in the log and in statistics. */
async function gatesOf(access: DataAccess): Promise<GateName> {
  const names = namesOf(await access.list('key'));
  const devices = await namesOfDevices(access);
  return (place) => devices.gate(place, (id) => names.get(id) ?? id);
}

/** A report for each of the guests who ask about the ticket. */
async function reportsOf(
  access: DataAccess,
  { ticket, changes, guests }: AskedTicket,
  gateName: GateName,
  keepDays: number | undefined,
): Promise<GuestReport[]> {
  const { id } = ticket;
  const event = await access.findEvent(ticket.eventId);
  const call = await access.callFor(event.organisationId);
  const links = access.local
    ? await linksOfTicket(access.local.store, id)
    : await call(getTicket, { id });
  const read = pagesOf(access.call, { ticket: id });
  const { entries: scans } = await readEntries(read, {}, Number.POSITIVE_INFINITY);
  const end = endOfTicket(ticket);
  const until = end === null || keepDays === undefined ? null : end + keepDays * DAY_MS;
  const stored = { ticket, scans, changes, gateName };
  return guests.map((guest) => {
    const isPresent = isSameGuest(guest, ticket.holder);
    const { replaces, replacedBy } = isPresent ? links : NO_LINKS;
    const about = storedAboutGuest(guest, stored);
    return {
      guest,
      isPresent,
      ticket,
      eventName: event.name,
      replaces,
      replacedBy,
      until,
      ...about,
    };
  });
}

/** A replacement may be that of a later guest. */
const NO_LINKS = { replaces: null, replacedBy: null };

function reportJson({ ticket, guest, isPresent, until, held, ...told }: GuestReport, now: number) {
  const personal = storedMembers(ticket).filter(({ isPersonal }) => isPersonal);
  const { scans, changes, ...others } = told;
  const { id: ticketId, eventId: event } = ticket;
  return {
    ...others,
    // Everything else that the ticket has now is about a later guest.
    stored: isPresent ? ticketToJson(ticket, now) : { ticketId, event, holder: guest },
    personal: isPresent ? personal.map(({ name }) => name) : ['holder'],
    present: isPresent,
    since: held[0]?.from ?? isoTime(ticket.createdAt),
    until: until === null ? null : isoTime(until),
    held,
    scans,
    changes,
  };
}

function linesOf(report: GuestReport, zone: string): string[] {
  const { ticket, eventName, isPresent, scans, changes } = report;
  const changeLines = changes.flatMap((change) => changeTexts(change, zone));
  const lines = [
    inZone(`Ticket ${ticket.id} for ${eventName}`, zone),
    ...(isPresent ? presentLines(report, zone) : earlierLines(report, zone)),
    'Scans:',
    ...listed(scans.map((scan) => scanText(scan, zone))),
    'Changes:',
    ...listed(changeLines),
    '',
  ];
  return lines.map(sanitizeForTerminal);
}

const listed = (lines: readonly string[]) =>
  lines.length > 0 ? lines.map((line) => `  ${line}`) : ['  None.'];

function presentLines(report: GuestReport, zone: string): string[] {
  const { ticket, replaces, replacedBy, held } = report;
  const members = storedMembers(ticket);
  const shown = (wanted: boolean) =>
    members
      .filter(({ isPersonal }) => isPersonal === wanted)
      .map((member) => `  ${member.label[0]}: ${valueText(member, zone)}`);
  const personal = shown(true);
  const links = [
    ...(replaces === null ? [] : [`  It replaces ${replaces}.`]),
    ...(replacedBy === null ? [] : [`  It was replaced by ${replacedBy}.`]),
  ];
  const isWhole = held.length === 1 && held[0]?.from === isoTime(ticket.createdAt);
  return [
    'About the guest:',
    ...(personal.length > 0 ? personal : ['  Nothing.']),
    ...(isWhole ? [] : heldLines(report, zone)),
    `  ${storedText(report, zone)}`,
    'About the ticket:',
    ...shown(false),
    ...links,
  ];
}

function earlierLines(report: GuestReport, zone: string): string[] {
  return [
    'About the guest:',
    `  Earlier holder: ${guestName(report.guest)}`,
    ...heldLines(report, zone),
    `  The name is in the audit log. ${storedText(report, zone)}`,
    'The ticket has another name now; what it says now is about that guest.',
  ];
}

function heldLines({ held }: GuestReport, zone: string): string[] {
  const time = (at: string) => shownTime(Date.parse(at), zone);
  return held.map(
    ({ from, until }) =>
      `  The ticket had this name from ${time(from)}${until === null ? ' on' : ` until ${time(until)}`}.`,
  );
}

function storedText({ ticket, held, until }: GuestReport, zone: string): string {
  const since = Date.parse(held[0]?.from ?? isoTime(ticket.createdAt));
  const end = until === null ? 'it is erased' : shownTime(until, zone);
  return `Stored since ${shownTime(since, zone)}, until ${end}.`;
}
