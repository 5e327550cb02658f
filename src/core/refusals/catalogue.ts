import {
  conflict,
  type ErrorValues,
  limitReached,
  notAllowed,
  notFound,
  type RefusalText,
  usage,
  type ValuesOf,
} from './kinds.ts';
import { TICKET_REFUSALS } from './tickets.ts';

const general = (en: RefusalText, de: RefusalText) => ({ en, de });

/** What can be wrong with one value, after its name; the operations name it in `why`. */
const INPUT_REASONS = {
  en: {
    missing: 'is missing',
    short: 'needs at least {min} characters',
    long: 'may have at most {max} characters',
    small: 'must be at least {min}',
    large: 'must be at most {max}',
    few: 'needs at least {min} entries',
    many: 'may have at most {max} entries',
    not_valid: 'is not valid',
  },
  de: {
    missing: 'fehlt',
    short: 'braucht mindestens {min} Zeichen',
    long: 'darf höchstens {max} Zeichen haben',
    small: 'muss mindestens {min} sein',
    large: 'darf höchstens {max} sein',
    few: 'braucht mindestens {min} Einträge',
    many: 'darf höchstens {max} Einträge haben',
    not_valid: 'ist nicht gültig',
  },
} as const;

function reasonIn(
  reasons: Readonly<Record<string, string>>,
  { why = '', min = '', max = '' }: ErrorValues,
): string {
  const reason = reasons[why] ?? reasons['not_valid'] ?? '';
  return reason.replace('{min}', String(min)).replace('{max}', String(max));
}

/** What the page says of refusals without a reason of their own. An answer's code is then the kind of the error. */
const GENERAL = {
  usage: general('The server refused the input.', 'Der Server hat die Eingabe abgelehnt.'),
  invalid_request: general(
    (values: ErrorValues) =>
      `${values['field'] ? `"${values['field']}"` : 'The input'} ${reasonIn(INPUT_REASONS.en, values)}.`,
    (values: ErrorValues) =>
      `${values['field'] ? `„${values['field']}“` : 'Die Eingabe'} ${reasonIn(INPUT_REASONS.de, values)}.`,
  ),
  not_found: general(
    'This does not exist, or was deleted.',
    'Das existiert nicht oder wurde gelöscht.',
  ),
  conflict: general(
    'This conflicts with existing data. Reload the page, then try again.',
    'Das widerspricht vorhandenen Daten. Laden Sie die Seite neu und versuchen Sie es erneut.',
  ),
  limit_reached: general('A limit is reached.', 'Ein Grenzwert ist erreicht.'),
  not_allowed: general('You may not do this.', 'Das dürfen Sie nicht.'),
  too_many_attempts: general(
    'Too many attempts. Try again in {seconds} seconds.',
    'Zu viele Versuche. Versuchen Sie es in {seconds} Sekunden erneut.',
  ),
  busy: general(
    'The server is busy. Try again in {seconds} seconds.',
    'Der Server ist ausgelastet. Versuchen Sie es in {seconds} Sekunden erneut.',
  ),
  store_busy: general(
    'The data is in use by another program. Try again.',
    'Ein anderes Programm verwendet gerade die Daten. Versuchen Sie es erneut.',
  ),
  store_unavailable: general(
    'The data cannot be reached. Try again; the server’s log has the reason.',
    'Die Daten sind nicht erreichbar. Versuchen Sie es erneut; der Grund steht im Protokoll des Servers.',
  ),
  internal: general(
    'An error occurred on the server. The server’s log has the reason.',
    'Auf dem Server ist ein Fehler aufgetreten. Der Grund steht im Protokoll des Servers.',
  ),
};

/** Why a change of anything but tickets is refused, or a caller. */
const OTHER_REFUSALS = {
  name_invalid: usage(
    'A name has 1 to {max} characters, no control characters and none that change the text direction.',
    'Ein Name hat 1 bis {max} Zeichen, keine Steuerzeichen und keine, die die Schreibrichtung ändern.',
  ),
  name_secret: usage(
    'A name or another text must not contain an API key or a token, because it is shown and logged.',
    'Ein Name oder anderer Text darf keinen API-Schlüssel und kein Token enthalten: Er wird angezeigt und protokolliert.',
  ),
  text_code: usage(
    'This text contains the code of a ticket: anyone with it can enter. Write the identifier of the ticket (tkt_…) alone.',
    'Dieser Text enthält den Code eines Tickets: Wer ihn hat, kann damit eintreten. Schreiben Sie nur die Kennung des Tickets (tkt_…).',
  ),
  name_taken: conflict(
    'This name already exists. Choose another.',
    'Dieser Name ist vergeben. Wählen Sie einen anderen.',
  ),
  unknown_time_zone: usage(
    '"{name}" is not a time zone. Use a name such as Europe/Athens, or UTC.',
    '„{name}“ ist keine Zeitzone. Schreiben Sie einen Namen wie Europe/Berlin, oder UTC.',
  ),
  inside_from_invalid: usage(
    '"{text}" is not a time to count people inside from. Write a quarter of an hour, such as 04:00 or 05:30, or never.',
    '„{text}“ ist keine Uhrzeit, zu der die Zählung auf 0 gesetzt werden kann. Schreiben Sie eine Viertelstunde wie 04:00 oder 05:30, oder never.',
  ),
  unknown_sheet: usage(
    'There is no paper format "{name}".',
    'Das Papierformat „{name}“ gibt es nicht.',
  ),
  code_too_small: usage(
    'On this paper the QR codes would be too small. Choose a larger one.',
    'Auf diesem Papier wären die QR-Codes zu klein. Wählen Sie ein größeres.',
  ),
  own_lines: usage(
    'A ticket has at most {lines} lines of your own text, each with at most {characters} characters and without control characters.',
    'Ein Ticket hat höchstens {lines} eigene Zeilen mit höchstens {characters} Zeichen, ohne Steuerzeichen.',
  ),
  logo_not_png: usage(
    'The logo is not a PNG file. Save it as PNG.',
    'Das Logo ist keine PNG-Datei. Speichern Sie es als PNG.',
  ),
  logo_too_large: usage(
    'The logo is too large: at most {kibibytes} KiB and {pixels} × {pixels} pixels.',
    'Das Logo ist zu groß: höchstens {kibibytes} KiB und {pixels} × {pixels} Pixel.',
  ),
  logo_damaged: usage(
    'The logo is damaged or incomplete. Save it again as PNG.',
    'Das Logo ist beschädigt oder unvollständig. Speichern Sie es erneut als PNG.',
  ),
  no_logo: notFound('There is no logo.', 'Es gibt kein Logo.'),

  account_name_spaces: usage(
    'A name must not begin or end with a space.',
    'Ein Name darf nicht mit einem Leerzeichen beginnen oder enden.',
  ),
  account_name_invisible: usage(
    'A name must not contain invisible characters.',
    'Ein Name darf keine unsichtbaren Zeichen enthalten.',
  ),
  account_name_taken: conflict(
    'The name "{name}" is taken or reserved. Choose another.',
    'Der Name „{name}“ ist vergeben oder reserviert. Wählen Sie einen anderen.',
  ),
  accounts_max: limitReached(
    'There are {max} accounts already, the maximum. Delete one first.',
    'Es gibt schon {max} Konten, mehr sind nicht möglich. Löschen Sie zuerst eines.',
  ),
  access_tokens_max: limitReached(
    'An account has at most {max} access tokens. Delete one first.',
    'Ein Konto hat höchstens {max} Zugriffstoken. Löschen Sie zuerst eines.',
  ),
  last_owner: conflict(
    'This is the last owner. Give another account the role owner first.',
    'Das ist der letzte Administrator. Geben Sie diese Rolle zuerst einem anderen Konto.',
  ),
  password_length: usage(
    'A password has {min} to {max} characters.',
    'Ein Passwort hat {min} bis {max} Zeichen.',
  ),
  password_wrong: notAllowed(
    'The current password is wrong.',
    'Das bisherige Passwort ist falsch.',
  ),
  own_password: notAllowed(
    'You change your own password in the settings of the dashboard, with the current one.',
    'Ihr eigenes Passwort ändern Sie in den Einstellungen, mit dem bisherigen.',
  ),
  token_role: notAllowed(
    'A token cannot have a higher role than its account.',
    'Ein Token kann keine höhere Rolle haben als sein Konto.',
  ),
  sign_in_first: notAllowed('Please sign in first.', 'Bitte melden Sie sich zuerst an.'),
  role_missing: notAllowed(
    'Your role does not allow this. An owner can change your role.',
    'Ihre Rolle erlaubt das nicht. Ein Administrator kann Ihre Rolle ändern.',
  ),
  other_site: notAllowed(
    'The request came from another site. Open the page at its own address.',
    'Die Anfrage kam von einer anderen Seite. Öffnen Sie das Dashboard unter seiner eigenen Adresse.',
  ),
  session_needed: notAllowed(
    'Sign in with a password to do this; an access token is not enough.',
    'Melden Sie sich dafür mit einem Passwort an; ein Zugriffstoken genügt nicht.',
  ),
  sign_in_refused: notAllowed('Account or password is wrong.', 'Konto oder Passwort ist falsch.'),
  events_of_scanners: usage(
    'Only an account with the role scanner can be limited to selected events.',
    'Nur Konten mit der Rolle Einlasspersonal können auf ausgewählte Veranstaltungen beschränkt werden.',
  ),

  pairings_max: limitReached(
    'At most {max} QR codes for phones can be open at a time. Wait two minutes.',
    'Höchstens {max} QR-Codes für Telefone können gleichzeitig offen sein. Warten Sie zwei Minuten.',
  ),
  phones_max: limitReached(
    'An account has at most {max} phones. Remove one first.',
    'Ein Konto hat höchstens {max} Telefone. Entfernen Sie zuerst eines.',
  ),
  device_names_max: limitReached(
    'At most {max} devices can have a name. Take the name of another one away first.',
    'Höchstens {max} Geräte können einen Namen haben. Nehmen Sie zuerst einem anderen den Namen.',
  ),
  phone_not_asked: conflict(
    'No phone has scanned the QR code yet.',
    'Noch kein Telefon hat den QR-Code gescannt.',
  ),
  phone_account: notAllowed(
    'A phone scans for your own account. An owner can also choose an account with the role scanner.',
    'Ein Telefon scannt für Ihr eigenes Konto. Ein Administrator kann auch ein Konto mit der Rolle Einlasspersonal wählen.',
  ),
  pairing_ended: notFound(
    'This code is no longer valid. Show a new one.',
    'Dieser Code gilt nicht mehr. Zeigen Sie einen neuen an.',
  ),
  pairing_unconfirmed: notFound(
    'The dashboard has not confirmed this phone. Nothing has changed on it.',
    'Das Dashboard hat dieses Telefon nicht bestätigt. Auf ihm hat sich nichts geändert.',
  ),
  pairing_code: notFound(
    'This code has expired or was used already. Show a new one on the dashboard, and scan it.',
    'Dieser Code ist abgelaufen oder wurde schon verwendet. Zeigen Sie im Dashboard einen neuen und scannen Sie ihn.',
  ),

  webhook_url: usage(
    'The address of a webhook must begin with https:// and have at most {max} characters.',
    'Die Adresse muss mit https:// beginnen und darf höchstens {max} Zeichen haben.',
  ),
  webhook_url_parts: usage(
    'The address of a webhook must have no user name, no password and no #. Messages are signed instead.',
    'Die Adresse darf keinen Benutzernamen, kein Passwort und kein # enthalten. Nachrichten werden stattdessen signiert.',
  ),
  webhook_address: usage(
    '{host} is a private address or the server’s own. The operator of the service can allow its network.',
    '{host} ist eine private Adresse oder die des Servers selbst. Der Betreiber des Dienstes kann ihr Netz erlauben.',
  ),
  webhook_secrets: conflict(
    'Messages of this webhook are signed with {max} secrets already. Each earlier one ends 24 hours after the next was made: use the newest, or wait.',
    'Nachrichten dieses Webhooks werden schon mit {max} Geheimnissen signiert. Jedes frühere endet 24 Stunden, nachdem das nächste erzeugt wurde: Verwenden Sie das neueste, oder warten Sie.',
  ),
  webhook_events: usage('Choose at least one event.', 'Wählen Sie mindestens ein Ereignis.'),

  events_max: limitReached(
    'There are {max} events already, the maximum. Archive or delete one first; the operator of the service raises the number with: {command}',
    'Es gibt schon {max} Veranstaltungen, mehr sind nicht möglich. Archivieren oder löschen Sie zuerst eine; der Betreiber des Dienstes erhöht die Anzahl mit: {command}',
  ),
  keys_max: limitReached(
    'There are {max} API keys already, the maximum. Delete one first; the operator of the service raises the number with: {command}',
    'Es gibt schon {max} API-Schlüssel, mehr sind nicht möglich. Löschen Sie zuerst einen; der Betreiber des Dienstes erhöht die Anzahl mit: {command}',
  ),
  keys_max_raisable: limitReached(
    'There are {max} API keys already, the maximum. Delete one first, or raise the number in the settings of the dashboard.',
    'Es gibt schon {max} API-Schlüssel, mehr sind nicht möglich. Löschen Sie zuerst einen, oder erhöhen Sie die Anzahl in den Einstellungen.',
  ),
  guest_search_off: notAllowed(
    'Your role finds no guests by name here. Operators and owners do, and scanners if an owner allows it in the settings.',
    'Ihre Rolle kann hier keine Gäste suchen. Das können Kassenpersonal und Administratoren, und Einlasspersonal, wenn ein Administrator es in den Einstellungen erlaubt.',
  ),
  limits_of_operator: notAllowed(
    'Only the operator of the service changes these limits, with: {command}',
    'Nur der Betreiber des Dienstes ändert diese Grenzwerte, mit: {command}',
  ),
  owners_keys_max: usage(
    'The number of API keys can be raised to at most {max}.',
    'Die Anzahl der API-Schlüssel kann auf höchstens {max} erhöht werden.',
  ),
  no_overlap: conflict(
    'The key has no old value that is still valid.',
    'Der Schlüssel hat keinen alten Wert, der noch gilt.',
  ),
  open_seconds: usage(
    'The door opens for 1 to {max} whole seconds.',
    'Die Tür öffnet für 1 bis {max} ganze Sekunden.',
  ),
  event_elsewhere: notFound(
    'One of the events does not exist, or was deleted.',
    'Eine der Veranstaltungen gibt es nicht, oder sie wurde gelöscht.',
  ),
  no_event_chosen: usage(
    'Choose at least one event, or all.',
    'Wählen Sie mindestens eine Veranstaltung oder alle.',
  ),
  device_unknown: usage(
    'This server has no device file "{name}". It has: {known}.',
    'Dieser Server hat keine Gerätedatei „{name}“. Er hat: {known}.',
  ),
  readers_invalid: usage(
    'Write each reader once with in or out, such as 0=in,1=out, or *=out for all; at most {max} readers.',
    'Schreiben Sie jedes Lesegerät einmal mit in oder out, etwa 0=in,1=out, oder *=out für alle; höchstens {max} Lesegeräte.',
  ),
  expiry_past: usage(
    'The expiry is in the past. To end the key now, disable or delete it.',
    'Das Ablaufdatum liegt in der Vergangenheit. Damit der Schlüssel sofort abgewiesen wird, sperren oder löschen Sie ihn.',
  ),

  event_not_empty: conflict(
    'The event has tickets or scans, so it cannot be deleted. Archive it instead.',
    'Die Veranstaltung hat Tickets oder Scans und kann deshalb nicht gelöscht werden. Archivieren Sie sie stattdessen.',
  ),
  only_at_centre: conflict(
    'This is a site: events, keys and tickets are administered at its centre, from which it has them. Nothing was changed.',
    'Dies ist ein Standort: Veranstaltungen, Schlüssel und Tickets werden an seiner Zentrale verwaltet, von der er sie hat. Nichts wurde geändert.',
  ),
  event_away: conflict(
    'Only where the event is decided can this be done. Do it there, or bring the event back first.',
    'Das geht nur dort, wo über die Veranstaltung entschieden wird. Tun Sie es dort, oder holen Sie die Veranstaltung zuerst zurück.',
  ),
  event_not_here: conflict(
    'The event is decided at a site. Bring it back first.',
    'Über die Veranstaltung wird an einem Standort entschieden. Holen Sie sie zuerst zurück.',
  ),
  event_asked_for: conflict(
    'It is not known yet who decides the event: this store was restored or copied, and a site was not heard since. Wait until every site was heard, or free one that is lost.',
    'Es steht noch nicht fest, wer über die Veranstaltung entscheidet: Dieser Datenspeicher wurde wiederhergestellt oder kopiert, und ein Standort war seitdem nicht zu hören. Warten Sie, bis alle Standorte zu hören waren, oder geben Sie einen verlorenen frei.',
  ),
  event_here: conflict(
    'The event is decided here already.',
    'Über die Veranstaltung wird schon hier entschieden.',
  ),
  centre_engine: conflict(
    'A centre needs a SQLite or PostgreSQL store: memory forgets what its sites have, and a document could be edited behind their back.',
    'Eine Zentrale braucht einen Datenspeicher in SQLite oder PostgreSQL: Der Arbeitsspeicher vergisst, was ihre Standorte haben, und ein Dokument könnte an ihnen vorbei bearbeitet werden.',
  ),
  site_retired: conflict(
    'This site is retired: it gets no event any more.',
    'Dieser Standort ist stillgelegt: Er bekommt keine Veranstaltung mehr.',
  ),
  changed_meanwhile: conflict(
    'Somebody else has changed this meanwhile. Reload it, then try again.',
    'Jemand anderes hat das inzwischen geändert. Laden Sie die Seite neu und versuchen Sie es erneut.',
  ),
};

export type { ErrorValues } from './kinds.ts';

/** Everything that is refused for a reason of its own: the kind of error, and what a person reads on the page and the command line. */
export const REFUSALS = { ...OTHER_REFUSALS, ...TICKET_REFUSALS };

/** Stable: the `code` of an answer of the admin API. */
export type ErrorReason = keyof typeof REFUSALS;

/** What a refusal with this reason must say. */
export type ValuesFor<Reason extends ErrorReason> = ValuesOf<(typeof REFUSALS)[Reason]['en']>;

/** Why something was refused, beside the English message. */
export interface Explanation {
  readonly reason?: ErrorReason | undefined;
  readonly values?: ErrorValues | undefined;
}

/** Every code of an answer with its texts. */
export const ANSWER_TEXTS = { ...GENERAL, ...REFUSALS };

/** The sentence for a code, with the values filled in; undefined for a code that is not known here, of a newer server for example. */
export function refusalText(
  code: string,
  values: ErrorValues,
  language: 'en' | 'de' = 'en',
): string | undefined {
  if (!Object.hasOwn(ANSWER_TEXTS, code)) return undefined;
  const text: RefusalText = ANSWER_TEXTS[code as keyof typeof ANSWER_TEXTS][language];
  if (typeof text === 'function') return text(values as never);
  return text.replace(/\{(\w+)\}/gu, (_, name: string) => String(values[name]));
}
