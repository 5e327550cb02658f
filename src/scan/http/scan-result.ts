import { isoTime } from '../../core/clock.ts';
import { type BodyIssue, type Decision, isGranted } from '../../core/decision.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../../core/limits.ts';
import type { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import type { Language } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import { inZone, localTimeIn } from '../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';

/** The HTTP status of a decision (section 7.1); only what the specification names is not 200. */
export function statusOf(decision: Decision): 200 | 400 | 403 | 404 {
  if (decision.status === 'not_found') return 404;
  if (decision.status !== 'rejected') return 200;
  if (decision.reason === 'missing_ticket_code') return 400;
  return decision.reason === 'event_not_allowed' ? 403 : 200;
}

/** The body of an answer on REST. @param lastUsed for its message */
export function scanResultText(
  decision: Decision,
  language: Language,
  lastUsed?: LastUsed,
): string {
  return JSON.stringify(toScanResult(decision, messageFor(decision, language, lastUsed)));
}

/** The JSON scan result of section 2.3. Holder data goes out with a granted scan only. */
function toScanResult(decision: Decision, message: string): Record<string, unknown> {
  if (isGranted(decision)) return grantedResult(decision, message);
  if (decision.status !== 'rejected') {
    const uses = decision.status === 'exhausted' ? generalAndUses(decision.ticket) : {};
    return { valid: false, status: decision.status, message, ...uses };
  }
  const { status, reason } = decision;
  return {
    valid: false,
    status,
    reason,
    message,
    ...('ticket' in decision && generalAndUses(decision.ticket)),
    ...('ticket' in decision && reason !== 'ticket_cancelled' && windowOf(decision.ticket)),
  };
}

function grantedResult(
  decision: Extract<Decision, { status: 'validated' | 'consumed' }>,
  message: string,
): Record<string, unknown> {
  const { status, ticket } = decision;
  return {
    valid: true,
    status,
    message,
    ...generalAndUses(ticket),
    ...(ticket.holder && { holder: ticket.holder }),
    ...windowOf(ticket),
    ...(decision.status === 'consumed' && { scannedAt: isoTime(decision.scannedAt) }),
  };
}

function generalAndUses(ticket: Ticket): Record<string, unknown> {
  const { id, ticketType, usesAllowed, usesConsumed } = ticket;
  const usesRemaining = usesAllowed - usesConsumed;
  return { ticketId: id, ticketType, usesAllowed, usesConsumed, usesRemaining };
}

function windowOf(ticket: Ticket): Record<string, unknown> {
  return { validFrom: isoTime(ticket.validFrom), validUntil: isoTime(ticket.validUntil) };
}

type MessageName = (typeof OUTCOME_NAMES)[number] | BodyIssue;

const KIB = BODY_BYTES_MAX / 1024;

/** `message` of a scan result, for people; software reads `status` and `reason`. */
export const MESSAGES: Readonly<Record<Language, Readonly<Record<MessageName, string>>>> = {
  en: {
    validated: 'Ticket is valid',
    consumed: 'Ticket consumed',
    exhausted: 'All uses of this ticket are used up',
    not_found: 'Ticket not found',
    invalid_ticket: 'Invalid ticket',
    event_not_allowed: 'This API key has no access to the event of the ticket',
    ticket_cancelled: 'Ticket was cancelled',
    not_yet_valid: 'Ticket is not valid yet',
    expired: 'Ticket has expired',
    not_used: 'Ticket has not been used yet',
    missing_ticket_code: 'ticketCode is missing or the body cannot be read',
    not_json_type: 'The content type must be application/json',
    too_long: `The body is longer than ${KIB} KiB`,
    broken_http:
      'The request is not valid HTTP: its body breaks off or has a coding other than chunked, or it names no host or two',
    not_utf8: 'The body is not valid UTF-8',
    byte_order_mark: 'The body begins with a byte-order mark; send it without one',
    not_json: 'The body is not valid JSON',
    not_object: 'The body must be a JSON object',
    too_deep: `The body is nested deeper than ${BODY_DEPTH_MAX} levels`,
    code_twice: 'The body has more than one ticketCode',
    no_code: 'ticketCode is missing',
    code_not_text: 'ticketCode must be a string',
    code_empty: 'ticketCode is empty',
  },
  de: {
    validated: 'Ticket ist gültig',
    consumed: 'Ticket eingelöst',
    exhausted: 'Ticket ist aufgebraucht',
    not_found: 'Ticket nicht gefunden',
    invalid_ticket: 'Ungültiges Ticket',
    event_not_allowed: 'Dieser API-Schlüssel hat keinen Zugriff auf die Veranstaltung des Tickets',
    ticket_cancelled: 'Ticket wurde storniert',
    not_yet_valid: 'Ticket ist noch nicht gültig',
    expired: 'Ticket ist abgelaufen',
    not_used: 'Ticket wurde noch nicht benutzt',
    missing_ticket_code: 'ticketCode fehlt, oder die Anfrage ist nicht lesbar',
    not_json_type: 'Der Content-Type muss application/json sein',
    too_long: `Der Inhalt der Anfrage ist länger als ${KIB} KiB`,
    broken_http:
      'Die Anfrage ist kein gültiges HTTP: ihr Inhalt bricht ab oder ist anders codiert als in Stücken (chunked), oder sie nennt keinen Host oder zwei',
    not_utf8: 'Der Inhalt der Anfrage ist kein gültiges UTF-8',
    byte_order_mark:
      'Der Inhalt der Anfrage beginnt mit einer Byte-Reihenfolge-Markierung (BOM); bitte ohne senden',
    not_json: 'Der Inhalt der Anfrage ist kein gültiges JSON',
    not_object: 'Der Inhalt der Anfrage muss ein JSON-Objekt sein',
    too_deep: `Der Inhalt der Anfrage ist tiefer als ${BODY_DEPTH_MAX} Ebenen verschachtelt`,
    code_twice: 'Die Anfrage enthält mehr als einen ticketCode',
    no_code: 'ticketCode fehlt',
    code_not_text: 'ticketCode muss eine Zeichenkette sein',
    code_empty: 'ticketCode ist leer',
  },
};

/** The last use with its date, so that a repeated answer is the same on the next day. */
const LAST_USED: Readonly<Record<Language, (date: string, minute: string) => string>> = {
  en: (date, minute) => `last used on ${date} at ${minute}`,
  de: (date, minute) =>
    `zuletzt benutzt am ${date.split('-').reverse().join('.')} um ${minute} Uhr`,
};

/** The gate and the zone of the time in the message of a used ticket. */
export interface LastUsed {
  /** The zone of the time in the text, which names it; without it UTC. */
  readonly timeZone?: string | undefined;
  /** Undefined when it is not known. */
  readonly gate?: string | undefined;
}

/**
 * The text of a decision; of a body that cannot be used, what is wrong with it; of a ticket that is used up, when and where it
 * was used.
 */
export function messageFor(
  decision: Decision,
  language: Language,
  lastUsed: LastUsed = {},
): string {
  const texts = MESSAGES[language];
  if (decision.status === 'exhausted') {
    const { lastConsumedAt } = decision.ticket;
    if (lastConsumedAt === null) return texts.exhausted;
    return `${texts.exhausted}: ${lastUsedText(lastConsumedAt, language, lastUsed)}`;
  }
  if (decision.status !== 'rejected') return texts[decision.status];
  return texts[('fault' in decision && decision.fault) || decision.reason];
}

function lastUsedText(
  at: number,
  language: Language,
  { timeZone = 'UTC', gate }: LastUsed,
): string {
  const { date, minute } = localTimeIn(at, timeZone);
  // It contains the serial that a device sent, and programs show the message to people.
  const where = gate === undefined ? '' : `, ${sanitizeForTerminal(gate)}`;
  return `${inZone(LAST_USED[language](date, minute), timeZone)}${where}`;
}

/** More are not looked at; browsers send fewer than ten. */
const RANGES_MAX = 30;
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The language that a request's `Accept-Language` prefers: German when it is wanted more than English, or as much and
 * is named first; English otherwise. `*` matches any language that is not named (RFC 9110, 12.5.4).
 */
export function preferredLanguage(header: string | undefined): Language {
  if (header === undefined || header === '*') return 'en';
  const qualities = qualitiesOf(header);
  const others = qualities.get('*') ?? 0;
  const [german, english] = [qualities.get('de') ?? others, qualities.get('en') ?? others];
  if (german !== english) return german > english ? 'de' : 'en';
  const first = [...qualities.keys()].find((language) => language === 'de' || language === 'en');
  return german > 0 && first === 'de' ? 'de' : 'en';
}

/** The qualities by primary language, in the order in which they are named. */
function qualitiesOf(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const range of header.toLowerCase().split(',', RANGES_MAX)) {
    const [tag = '', quality] = range.split(';', 2);
    const language = tag.trim().split('-', 1)[0] ?? '';
    qualities.set(language, Math.max(qualities.get(language) ?? 0, qualityOf(quality)));
  }
  return qualities;
}

function qualityOf(parameter: string | undefined): number {
  if (parameter === undefined) return 1;
  return Number(QUALITY.exec(parameter.trim())?.[1] ?? 0);
}
