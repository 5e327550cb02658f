import * as z from 'zod';
import { mayScan } from '../../core/administrative-records.ts';
import { isGranted } from '../../core/decision.ts';
import { DIRECTIONS } from '../../core/direction.ts';
import { RetryLater, refuse, TicketscanError } from '../../core/errors.ts';
import { USES_AT_ONCE_MAX } from '../../core/limits.ts';
import { REASONS_OF_AN_EXIT, REJECTION_REASONS, SCAN_STATUSES } from '../../core/outcome-names.ts';
import { type Organisation, TicketJson, TimeOrNull, ticketView } from '../../core/records.ts';
import type { EncodedDecision, Language, ScanAnswer } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import { shownFields } from '../../core/ticket-field-values.ts';
import { asked, ErrorBody, ListPage, pagedList, pageOf } from '../../operations/fields.ts';
import { messageFor, preferredLanguage } from '../../scan/http/scan-result.ts';
import { ordinalIn } from '../../stores/ticket-row.ts';
import type { Principal } from '../accounts/access.ts';
import { operation, serverOf } from '../context.ts';
import { LastUse, lastUseOf } from '../log/last-use.ts';
import { mayFindGuests } from '../organisations/guest-search.ts';
import type { OrganisationScope } from '../scope.ts';
import { SEARCH_CHARACTERS_MAX } from '../tickets/rules.ts';

const CODE_CHARACTERS_MAX = 4096;

const NewScan = z.object({
  operation: z.enum(['validate', 'consume']),
  /** The code of the ticket, or its identifier as it is printed. */
  ticketCode: z.string().min(1).max(CODE_CHARACTERS_MAX),
  /** An id that the client makes for each scan. A repeated request with the same id gets the first answer again, and counts once. */
  requestId: z.string().regex(/^[\w-]{8,64}$/, 'expected 8 to 64 letters, digits, - or _'),
  /** True when a person chose the ticket, and read no code: the log says so. */
  byHand: z.boolean().default(false),
  /** How many uses a consume takes, all or none, as for a family with one card. Each has a log entry of its own. */
  uses: z.number().int().min(1).max(USES_AT_ONCE_MAX).default(1),
  /** `out` at a way out: a consume then counts a person out, who must have come in with the ticket, and takes no use. */
  direction: z.enum(DIRECTIONS).default('in'),
});

/** A ticket with the name of its event. */
const TicketOfEvent = TicketJson.extend({ eventName: z.string() }).meta({ id: 'TicketOfEvent' });

/** The result of section 2.3, with what only people of the organisation see: `holder` also of a denied ticket, what is written on it, and `lastUse`. */
export const ScanDone = z
  .object({
    valid: z.boolean(),
    status: z.enum(SCAN_STATUSES),
    /** `not_used` at a way out only: nobody came in with this ticket. */
    reason: z.enum([...REJECTION_REASONS, ...REASONS_OF_AN_EXIT]).nullable(),
    message: z.string(),
    ticket: TicketOfEvent.nullable(),
    scannedAt: TimeOrNull,
    /** How many uses were taken. */
    usesTaken: z.number().int(),
    /** What a reader seems to have done to an invalid code, in a sentence; null when nothing is known of it. */
    hint: z.string().nullable(),
    /** The newest use before this scan; `gate` is null when it is too far back in the log. Null after a consume. */
    lastUse: LastUse.nullable(),
  })
  .meta({ id: 'ScanDone' });
export type ScanDone = z.output<typeof ScanDone>;

const tag = 'Scans';
const VIEWERS_READ =
  'The role viewer only reads. Scan with an API key, or ask an owner for the role scanner.';

/** Scans by people who are signed in: the page, on a phone or at a desk. Software scans with a key, under `/scan`. */
export const scanTicket = operation({
  id: 'scanTicket',
  http: 'POST /scans',
  tag,
  role: 'scanner',
  sessionOnly: true,
  share: 'scans',
  summary: 'Scan a ticket as the signed-in account',
  description:
    'For the roles scanner, operator and owner, in a session only. The limits are those of one API key, for each account; the log names the account. A decision is a 200, also a denial: read `valid`. More `uses` than the ticket has left are refused with 409, and none is taken. With `direction` `out` a consume counts a person out and takes no use: it grants also a ticket that is exhausted, expired or cancelled since, so that nobody is locked in. After a 429, a 5xx or no answer, repeat the request with the same `requestId`: it counts once.',
  body: NewScan,
  answer: ScanDone,
  refusals: { 403: ErrorBody, 409: ErrorBody, 429: ErrorBody },
  run: async (context, scan) => {
    const { principal, language: accepted, scans } = serverOf(context);
    if (!mayScan(principal.role)) {
      throw refuse('role_missing', {}, { detail: VIEWERS_READ });
    }
    const language = preferredLanguage(accepted);
    const takesUses = scan.operation === 'consume' && scan.direction === 'in';
    if (scan.uses > 1 && !takesUses) throw refuse('uses_of_check');
    const decision = decisionOf(await scans.scan(principal, { ...scan, language }));
    const { scope } = context;
    const answer = await shown(decision, language, { scope, organisation: principal.organisation });
    if (answer.reason !== 'invalid_ticket') return answer;
    return { ...answer, hint: scans.hintFor({ ...scan, language }) };
  },
});

/** Tickets examined per request, as in the list of tickets. */
const SEARCH_MAX = 20_000;
const SEARCH_CHARACTERS_MIN = 2;
const GUESTS_MAX = 20;

/** What a person at the gate may look for. */
const GuestSearch = z.object({
  /** Part of the id, of the holder's name or of the reference. */
  search: z.string().trim().min(SEARCH_CHARACTERS_MIN).max(SEARCH_CHARACTERS_MAX),
  /** The `next` of the answer before. */
  after: z.string().max(100).optional(),
});

export const findGuests = operation({
  id: 'findGuests',
  http: 'GET /guests',
  tag,
  role: 'scanner',
  sessionOnly: true,
  summary: 'Find guests by name, reference or part of the id',
  description:
    'For who may scan, in a session only, and in the events that the account scans; archived events are left out. The role scanner may where an owner allows it (`scannersFindGuests` of the organisation), because names are shown. One answer examines a limited number of tickets, the newest first: it can be empty and still have a `next`.',
  query: GuestSearch,
  answer: z.object({ items: z.array(TicketOfEvent), next: z.string().nullable() }),
  refusals: { 403: ErrorBody },
  run: async (context, { search, after }) => {
    const { principal } = serverOf(context);
    const { store, clock, scope } = context;
    if (!(await mayFindGuests(store, principal.role, principal.organisation.id))) {
      throw refuse('guest_search_off');
    }
    const events = (await scope.events()).filter(
      ({ id, archivedAt }) => archivedAt === null && mayScanEvent(principal, id),
    );
    // The search would start again at its first ticket.
    if (after !== undefined && ordinalIn(after) === undefined) await scope.ticket(after);
    const page = await store.searchTickets({
      eventIds: events.map(({ id }) => id),
      limit: GUESTS_MAX,
      searchMax: SEARCH_MAX,
      newestFirst: true,
      search,
      ...(after !== undefined && { afterId: after }),
    });
    const names = new Map(events.map(({ id, name }) => [id, name]));
    const now = clock.now();
    const items = page.tickets.map((ticket) => ({
      ...ticketView(ticket, now),
      eventName: names.get(ticket.eventId) ?? ticket.eventId,
    }));
    return { items, next: page.next };
  },
});

function mayScanEvent({ events }: Principal, eventId: string): boolean {
  return events === 'all' || events.includes(eventId);
}

export const listScanners = operation({
  id: 'listScanners',
  http: 'GET /scanners',
  tag,
  role: 'viewer',
  summary: 'The accounts that have scanned',
  description: 'Also deleted ones. Entries of the scan log name them in place of a key.',
  query: z.object(ListPage),
  answer: pagedList(z.object({ id: z.string(), name: z.string() })),
  run: async ({ scope }, { after, limit }) => {
    const scanners = await scope.scanners(asked({ after, limit }));
    const { items, next } = pageOf(scanners, limit);
    return { items: items.map(({ id, name }) => ({ id, name })), next };
  },
});

function decisionOf(answer: ScanAnswer) {
  switch (answer.kind) {
    case 'decided':
      return answer.decision;
    case 'limited':
    case 'quota_exceeded':
      throw new RetryLater('too_many_attempts', answer.retryAfterSeconds);
    case 'too_few_uses':
      throw refuse('too_few_uses', { left: answer.usesLeft });
    case 'retry_conflict':
      throw new TicketscanError('usage', 'This requestId belongs to another scan. Make a new one.');
    default:
      throw new Error(`a scan by an account was answered with ${answer.kind}`);
  }
}

/** The messages of the scan endpoints mention an API key. */
const NOT_ALLOWED = {
  en: 'Your account may not scan tickets of this event',
  de: 'Dein Konto darf Tickets dieser Veranstaltung nicht scannen',
} as const;

/** The answer to a scan by somebody who is signed in. */
async function shown(
  decision: EncodedDecision,
  language: Language,
  { scope, organisation }: { scope: OrganisationScope; organisation: Organisation },
): Promise<ScanDone> {
  const ticket = 'ticket' in decision ? decision.ticket : null;
  const reason = decision.status === 'rejected' ? decision.reason : null;
  const lastUse = ticket && decision.status !== 'consumed' ? await lastUseOf(ticket, scope) : null;
  const { timeZone } = organisation;
  const lastUsed = { timeZone, gate: lastUse?.gate ?? undefined };
  const message =
    reason === 'event_not_allowed'
      ? NOT_ALLOWED[language]
      : messageFor(decision, language, lastUsed);
  return {
    valid: isGranted(decision),
    status: decision.status,
    reason,
    message,
    ticket: ticket && (await shownTicket(ticket, scope)),
    scannedAt: decision.status === 'consumed' ? decision.scannedAt : null,
    usesTaken: decision.status === 'consumed' ? (decision.uses ?? 1) : 0,
    hint: null,
    lastUse,
  };
}

/** A decision does not read what is written on a ticket, and the answer to a repeated request is older than what is written now. */
async function shownTicket(ticket: Ticket, scope: OrganisationScope): Promise<ScanDone['ticket']> {
  const [[event], [written = {}]] = await Promise.all([
    scope.eventsOf([ticket.eventId]),
    scope.store.findTickets([ticket.id]),
  ]);
  return {
    ...ticketView(ticket, scope.clock.now()),
    ...shownFields(written),
    eventName: event?.name ?? ticket.eventId,
  };
}
