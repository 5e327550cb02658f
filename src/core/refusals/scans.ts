import { BODY_BYTES_MAX, BODY_DEPTH_MAX } from '../limits.ts';

/** How a ticket is granted: the text for people (section 2.3). What a display shows depends on the ticket. */
export const GRANTS = {
  validated: { en: 'Ticket is valid', de: 'Ticket ist gültig' },
  consumed: { en: 'Ticket consumed', de: 'Ticket eingelöst' },
} as const;

/**
 * Why a scan is not granted, once: its HTTP status on REST (section 7.1), the text for people in both languages, and what a display
 * shows (section 7.3 and, where that has none, ADR 0005).
 */
export const DENIALS = {
  exhausted: {
    status: 200,
    en: 'All uses of this ticket are used up',
    de: 'Ticket ist aufgebraucht',
    note: 'Ticket erschöpft',
  },
  not_found: {
    status: 404,
    en: 'Ticket not found',
    de: 'Ticket nicht gefunden',
    note: 'Ticket nicht gefunden',
  },
  invalid_ticket: {
    status: 200,
    en: 'Invalid ticket',
    de: 'Ungültiges Ticket',
    note: 'Ungültiges Ticket',
  },
  event_not_allowed: {
    status: 403,
    en: 'This API key has no access to the event of the ticket',
    de: 'Dieser API-Schlüssel hat keinen Zugriff auf die Veranstaltung des Tickets',
    note: 'Kein Zugriff',
  },
  ticket_cancelled: {
    status: 200,
    en: 'Ticket was cancelled',
    de: 'Ticket wurde storniert',
    note: 'Ticket storniert',
  },
  not_yet_valid: {
    status: 200,
    en: 'Ticket is not valid yet',
    de: 'Ticket ist noch nicht gültig',
    note: 'Noch nicht gültig',
  },
  expired: {
    status: 200,
    en: 'Ticket has expired',
    de: 'Ticket ist abgelaufen',
    note: 'Ticket abgelaufen',
  },
  not_used: {
    status: 200,
    en: 'Ticket has not been used yet',
    de: 'Ticket wurde noch nicht benutzt',
    note: 'Noch nicht benutzt',
  },
  missing_ticket_code: {
    status: 400,
    en: 'ticketCode is missing or the body cannot be read',
    de: 'ticketCode fehlt, oder die Anfrage ist nicht lesbar',
    note: 'Ungültiges Ticket',
  },
} as const;

const KIB = BODY_BYTES_MAX / 1024;

/** What is wrong with a body that names no ticket: the texts are more precise than that of `missing_ticket_code`, whose status and note it has. */
export const BODY_ISSUES = {
  not_json_type: {
    en: 'The content type must be application/json',
    de: 'Der Content-Type muss application/json sein',
  },
  too_long: {
    en: `The body is longer than ${KIB} KiB`,
    de: `Der Inhalt der Anfrage ist länger als ${KIB} KiB`,
  },
  broken_http: {
    en: 'The request is not valid HTTP: its body breaks off or has a coding other than chunked, or it names no host or two',
    de: 'Die Anfrage ist kein gültiges HTTP: ihr Inhalt bricht ab oder ist anders codiert als in Stücken (chunked), oder sie nennt keinen Host oder zwei',
  },
  not_utf8: {
    en: 'The body is not valid UTF-8',
    de: 'Der Inhalt der Anfrage ist kein gültiges UTF-8',
  },
  byte_order_mark: {
    en: 'The body begins with a byte-order mark; send it without one',
    de: 'Der Inhalt der Anfrage beginnt mit einer Byte-Reihenfolge-Markierung (BOM); bitte ohne senden',
  },
  not_json: {
    en: 'The body is not valid JSON',
    de: 'Der Inhalt der Anfrage ist kein gültiges JSON',
  },
  not_object: {
    en: 'The body must be a JSON object',
    de: 'Der Inhalt der Anfrage muss ein JSON-Objekt sein',
  },
  too_deep: {
    en: `The body is nested deeper than ${BODY_DEPTH_MAX} levels`,
    de: `Der Inhalt der Anfrage ist tiefer als ${BODY_DEPTH_MAX} Ebenen verschachtelt`,
  },
  code_twice: {
    en: 'The body has more than one ticketCode',
    de: 'Die Anfrage enthält mehr als einen ticketCode',
  },
  no_code: { en: 'ticketCode is missing', de: 'ticketCode fehlt' },
  code_not_text: {
    en: 'ticketCode must be a string',
    de: 'ticketCode muss eine Zeichenkette sein',
  },
  code_empty: { en: 'ticketCode is empty', de: 'ticketCode ist leer' },
} as const;

/** What a display shows when a request was not decided. REST answers these by their status alone. */
export const UNDECIDED_NOTES = {
  key_refused: 'Kein Zugriff',
  too_many_requests: 'Zu viele Anfragen',
  server_error: 'Serverfehler',
} as const;
