import { isoTime } from '../../core/clock.ts';
import { type Decision, isGranted } from '../../core/decision.ts';
import { BODY_ISSUES, DENIALS, GRANTS } from '../../core/refusals/scans.ts';
import type { Language } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import { inZone, localTimeIn } from '../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';

/** The HTTP status of a decision (section 7.1); only what the specification names is not 200. */
export function statusOf(decision: Decision): 200 | 400 | 403 | 404 {
  if (isGranted(decision)) return 200;
  return DENIALS[decision.status === 'rejected' ? decision.reason : decision.status].status;
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

/** The text of each outcome and of each fault of a body; software reads `status` and `reason`. */
const MESSAGES = { ...GRANTS, ...DENIALS, ...BODY_ISSUES };

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
  if (decision.status === 'exhausted') {
    const { lastConsumedAt } = decision.ticket;
    const text = MESSAGES.exhausted[language];
    if (lastConsumedAt === null) return text;
    return `${text}: ${lastUsedText(lastConsumedAt, language, lastUsed)}`;
  }
  if (decision.status !== 'rejected') return MESSAGES[decision.status][language];
  return MESSAGES[('fault' in decision && decision.fault) || decision.reason][language];
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
