import type { BodyFault, Decision } from '../../core/decision.ts';
import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../../core/limits.ts';
import type { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import type { Language } from '../../core/scan-batch.ts';
import { inZone, localTimeIn } from '../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';

type MessageName = (typeof OUTCOME_NAMES)[number] | BodyFault;

const KIB = BODY_BYTES_MAX / 1024;

/** `message` of a scan result, for people; software reads `status` and `reason`. */
const MESSAGES: Readonly<Record<Language, Readonly<Record<MessageName, string>>>> = {
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
    broken_http: 'The request is not valid HTTP: its body breaks off, or it names no host or two',
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
      'Die Anfrage ist kein gültiges HTTP: ihr Inhalt bricht ab, oder sie nennt keinen Host oder zwei',
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

/** With the date, so that a repeated answer is the same on the next day. */
const LAST_USED: Readonly<Record<Language, (date: string, minute: string) => string>> = {
  en: (date, minute) => `last used on ${date} at ${minute}`,
  de: (date, minute) =>
    `zuletzt benutzt am ${date.split('-').reverse().join('.')} um ${minute} Uhr`,
};

/** What the message of a used ticket says besides the time that the ticket keeps. */
export interface LastUsed {
  /** Which zone the text gives the time in; without it UTC. It says which. */
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
