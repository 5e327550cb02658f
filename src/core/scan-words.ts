import type { LOG_STATUSES, OUTCOME_NAMES } from './outcome-names.ts';
import type { Words } from './words.ts';

type Outcome = (typeof OUTCOME_NAMES)[number] | (typeof LOG_STATUSES)[number];

/** What an answer to a scan is called, on the page and in files for people. */
export const OUTCOME_WORDS = {
  validated: ['Valid', 'Gültig'],
  consumed: ['Admitted', 'Eingelassen'],
  exhausted: ['Used up', 'Aufgebraucht'],
  not_found: ['Not found', 'Nicht gefunden'],
  rejected: ['Rejected', 'Abgelehnt'],
  invalid_ticket: ['Not a valid code', 'Kein gültiger Code'],
  event_not_allowed: ['Other event', 'Andere Veranstaltung'],
  ticket_cancelled: ['Cancelled', 'Storniert'],
  not_yet_valid: ['Not valid yet', 'Noch nicht gültig'],
  expired: ['Expired', 'Abgelaufen'],
  not_used: ['Not used yet', 'Noch nicht benutzt'],
  missing_ticket_code: ['No ticket code', 'Kein Ticketcode'],
  undone: ['Taken back', 'Zurückgegeben'],
} as const satisfies Readonly<Record<Outcome, Words>>;

/** What the figures of a closing are called, on the page and in files for people. */
export const CLOSING_WORDS = {
  admitted: ['Admitted', 'Eingelassen'],
  firstUses: ['First use', 'Erste Nutzung'],
  repeats: ['Further use', 'Weitere Nutzung'],
  byHand: ['By hand', 'Von Hand'],
  exits: ['Out', 'Hinaus'],
  denied: ['Denied', 'Abgewiesen'],
  undone: ['Taken back', 'Zurückgegeben'],
} as const satisfies Readonly<Record<string, Words>>;

/** What the figures are called that only some tables have. */
export const OTHER_FIGURE_WORDS = {
  validations: ['Only checked', 'Nur geprüft'],
  mostInside: ['Most inside', 'Meiste drinnen'],
} as const satisfies Readonly<Record<string, Words>>;

/** What is said of a scan that a site sent when its event was decided elsewhere already. */
export const LATE_WORDS = [
  'came after the event had been freed, took no use',
  'kam nach der Freigabe der Veranstaltung, hat keine Nutzung verbraucht',
] as const satisfies Words;

/** The German ones alone, by name. */
export function germanOf<Name extends string>(
  words: Readonly<Record<Name, Words>>,
): Readonly<Record<Name, string>> {
  const german = Object.entries<Words>(words).map(([name, [, text]]) => [name, text]);
  return Object.fromEntries(german) as Record<Name, string>;
}
