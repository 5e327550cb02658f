import type { ReasonTexts } from './english-reasons.ts';

/** Warum der Server etwas abgelehnt hat, in den Worten der Seite. */
export const germanReasons: ReasonTexts = {
  usage: 'Der Server hat die Eingabe abgelehnt.',
  invalid_request: ({ field, max }) =>
    `${field ? `„${field}“ ist` : 'Die Eingabe ist'} nicht gültig.${max ? ` Erlaubt sind höchstens ${max}.` : ''}`,
  not_found: 'Das existiert nicht oder wurde gelöscht.',
  conflict:
    'Das widerspricht vorhandenen Daten. Laden Sie die Seite neu und versuchen Sie es erneut.',
  limit_reached: 'Ein Grenzwert ist erreicht.',
  not_allowed: 'Das dürfen Sie nicht.',
  too_many_attempts: ({ seconds }) =>
    `Zu viele Versuche. Versuchen Sie es in ${seconds} Sekunden erneut.`,
  busy: ({ seconds }) =>
    `Der Server ist ausgelastet. Versuchen Sie es in ${seconds} Sekunden erneut.`,
  store_busy: 'Ein anderes Programm verwendet gerade die Daten. Versuchen Sie es erneut.',
  store_unavailable:
    'Die Daten sind nicht erreichbar. Versuchen Sie es erneut; der Grund steht im Protokoll des Servers.',
  internal: 'Auf dem Server ist ein Fehler aufgetreten. Der Grund steht im Protokoll des Servers.',

  name_invalid: ({ max }) => `Ein Name hat 1 bis ${max} Zeichen und keine Steuerzeichen.`,
  name_secret:
    'Ein Name darf keinen API-Schlüssel und kein Token enthalten: Namen werden angezeigt und protokolliert.',
  name_taken: 'Dieser Name ist vergeben. Wählen Sie einen anderen.',
  unknown_time_zone: ({ name }) => `„${name}“ ist keine Zeitzone wie Europe/Berlin.`,
  unknown_sheet: 'Dieses Papierformat gibt es nicht.',
  code_too_small: 'Auf diesem Papier wären die QR-Codes zu klein. Wählen Sie ein größeres.',
  own_lines: ({ lines, characters }) =>
    `Ein Ticket hat höchstens ${lines} eigene Zeilen mit höchstens ${characters} Zeichen.`,
  logo_not_png: 'Das Logo ist keine PNG-Datei. Speichern Sie es als PNG.',
  logo_too_large: ({ kibibytes, pixels }) =>
    `Das Logo ist zu groß: höchstens ${kibibytes} KiB und ${pixels} × ${pixels} Pixel.`,
  logo_damaged: 'Das Logo ist beschädigt oder unvollständig. Speichern Sie es erneut als PNG.',
  no_logo: 'Es gibt kein Logo.',

  account_name_spaces: 'Ein Name darf nicht mit einem Leerzeichen beginnen oder enden.',
  account_name_invisible: 'Ein Name darf keine unsichtbaren Zeichen enthalten.',
  account_name_taken: 'Dieser Name ist vergeben oder reserviert. Wählen Sie einen anderen.',
  accounts_max: ({ max }) =>
    `Es gibt schon ${max} Konten, mehr sind nicht möglich. Löschen Sie zuerst eines.`,
  access_tokens_max: ({ max }) =>
    `Sie haben schon ${max} Token, mehr sind nicht möglich. Löschen Sie zuerst eines.`,
  last_owner: 'Das ist der letzte Administrator. Geben Sie diese Rolle zuerst einem anderen Konto.',
  password_length: ({ min, max }) => `Ein Passwort hat ${min} bis ${max} Zeichen.`,
  password_wrong: 'Das bisherige Passwort ist falsch.',
  own_password: 'Ihr eigenes Passwort ändern Sie auf der Seite „Einstellungen“.',
  token_role: 'Ein Token kann keine höhere Rolle haben als Ihr Konto.',
  sign_in_first: 'Bitte melden Sie sich zuerst an.',
  role_missing: 'Ihre Rolle erlaubt das nicht. Ein Administrator kann Ihre Rolle ändern.',
  other_site:
    'Die Anfrage kam von einer anderen Seite. Öffnen Sie das Dashboard unter seiner eigenen Adresse.',
  session_needed: 'Melden Sie sich dafür mit einem Passwort an; ein Zugriffstoken genügt nicht.',
  sign_in_refused: 'Konto oder Passwort ist falsch.',
  events_of_scanners:
    'Nur Konten mit der Rolle Einlasspersonal können auf ausgewählte Veranstaltungen beschränkt werden.',

  pairings_max: ({ max }) =>
    `Höchstens ${max} QR-Codes für Telefone können gleichzeitig offen sein. Warten Sie zwei Minuten.`,
  phones_max: ({ max }) => `Ein Konto hat höchstens ${max} Telefone. Entfernen Sie zuerst eines.`,
  webhook_url: ({ max }) =>
    `Die Adresse muss mit https:// beginnen und darf höchstens ${max} Zeichen haben.`,
  webhook_url_parts:
    'Die Adresse darf keinen Benutzernamen, kein Passwort und kein # enthalten. Nachrichten werden stattdessen signiert.',
  webhook_address: ({ host }) =>
    `${host} ist eine private Adresse oder die des Servers selbst. Der Betreiber des Dienstes kann ihr Netz erlauben.`,
  webhook_events: 'Wählen Sie mindestens ein Ereignis.',
  phone_not_asked: 'Noch kein Telefon hat den QR-Code gescannt.',
  phone_account:
    'Ein Telefon scannt für Ihr eigenes Konto. Ein Administrator kann auch ein Konto mit der Rolle Einlasspersonal wählen.',
  pairing_ended: 'Dieser Code gilt nicht mehr. Wählen Sie „Neuen Code anzeigen“.',
  pairing_code:
    'Dieser Code ist abgelaufen oder wurde schon verwendet. Zeigen Sie im Dashboard einen neuen und scannen Sie ihn.',

  keys_max: ({ max, command }) =>
    `Es gibt schon ${max} API-Schlüssel, mehr sind nicht möglich. Löschen Sie zuerst einen; der Betreiber des Dienstes erhöht die Anzahl mit: ${command}`,
  keys_max_raisable: ({ max }) =>
    `Es gibt schon ${max} API-Schlüssel, mehr sind nicht möglich. Löschen Sie zuerst einen, oder erhöhen Sie die Anzahl in den Einstellungen.`,
  limits_of_operator: ({ command }) =>
    `Nur der Betreiber des Dienstes ändert diese Grenzwerte, mit: ${command}`,
  owners_keys_max: ({ max }) =>
    `Die Anzahl der API-Schlüssel kann auf höchstens ${max} erhöht werden.`,
  no_overlap: 'Der Schlüssel hat keinen alten Wert, der noch gilt.',
  open_seconds: ({ max }) => `Die Tür öffnet für 1 bis ${max} ganze Sekunden.`,
  event_elsewhere: 'Eine der Veranstaltungen gibt es nicht, oder sie wurde gelöscht.',
  no_event_chosen: 'Wählen Sie mindestens eine Veranstaltung oder alle.',
  device_unknown: ({ name, known }) =>
    `Dieser Server hat keine Gerätedatei „${name}“. Er hat: ${known}.`,
  readers_invalid: ({ max }) =>
    `Schreiben Sie jedes Lesegerät einmal mit in oder out, etwa 0=in,1=out, oder *=out für alle; höchstens ${max} Lesegeräte.`,
  expiry_past:
    'Das Ablaufdatum liegt in der Vergangenheit. Damit der Schlüssel sofort abgewiesen wird, wählen Sie „Sperren“ oder „Löschen“.',

  uses_fixed: ({ allowed }) =>
    allowed === 1 ? 'Ein Einzelticket hat 1 Nutzung.' : `Eine Dauerkarte hat ${allowed} Nutzungen.`,
  uses_missing: 'Eine Mehrfachkarte braucht die Anzahl ihrer Nutzungen, 2 bis 100.',
  uses_range: ({ min, max }) => `Eine Mehrfachkarte hat ${min} bis ${max} Nutzungen.`,
  holder_name: ({ max }) => `Ein Name hat höchstens ${max} Zeichen und keine Steuerzeichen.`,
  window_reversed: '„Gültig bis“ liegt vor „Gültig ab“.',
  time_range: 'Zeiten liegen in den Jahren 1970 bis 9998.',
  time_form: ({ text }) =>
    `„${text}“ ist kein Datum. Schreiben Sie 30.09.2027, 30.09.2027 14:00 oder 2027-09-30.`,
  time_missing: ({ text }) => `„${text}“ gibt es im Kalender nicht.`,
  kind_unknown: ({ text }) =>
    `„${text}“ ist keine Ticketart. Arten sind Einzelticket, Mehrfachkarte und Dauerkarte.`,
  uses_number: ({ text }) => `„${text}“ ist keine Anzahl von Nutzungen.`,
  tickets_taken: 'Eines der Tickets gibt es schon.',
  uses_below_consumed: ({ consumed }) =>
    `Die Anzahl der Nutzungen kann nicht kleiner als ${consumed} sein, weil so viele schon verbraucht sind.`,
  ticket_used:
    'Dieses Ticket wurde benutzt, steht im Scan-Protokoll oder gehört zu einem Ersatz und kann deshalb nicht gelöscht werden. Wählen Sie stattdessen „Ticket stornieren“.',
  replace_cancelled:
    'Dieses Ticket ist storniert, deshalb wird kein Ersatz dafür ausgestellt. Heben Sie zuerst die Stornierung auf, oder legen Sie ein neues Ticket an.',
  ticket_replaced: 'Für dieses Ticket wurde ein Ersatz ausgestellt, deshalb bleibt es storniert.',
  undo_reason: ({ max }) => `Geben Sie einen Grund mit 1 bis ${max} Zeichen in einer Zeile an.`,
  undo_no_use: ({ entry }) => `Eintrag ${entry} des Scan-Protokolls hat keine Nutzung verbraucht.`,
  undo_twice: ({ entry, by }) =>
    `Die Nutzung von Eintrag ${entry} wurde schon zurückgegeben, durch Eintrag ${by} des Scan-Protokolls.`,
  log_entry_missing: ({ entry }) =>
    `Das Scan-Protokoll hat keinen Eintrag ${entry}. Alte Einträge wurden vielleicht entfernt.`,

  list_type: 'Wählen Sie eine CSV- oder JSON-Lines-Datei.',
  list_too_large: 'Die Datei ist zu groß. Teilen Sie sie auf.',
  list_line_too_long: ({ line }) =>
    `Zeile ${line} ist zu lang. Schreiben Sie ein Ticket in jede Zeile.`,
  list_lines_max: ({ max }) => `Die Datei hat mehr als ${max} Zeilen. Teilen Sie sie auf.`,
  list_encoding: ({ line }) =>
    `Zeile ${line} ist nicht UTF-8. Wählen Sie „Windows-1252 (Excel)“ als Kodierung.`,
  list_refused: 'Wegen dieser Zeilen wurde nichts gespeichert:',
  list_empty: 'Die Datei hat keine Zeilen.',
  list_no_ids:
    'Die Liste hat keine Spalte mit Ticket-IDs. Legen Sie aus ihren Zeilen neue Tickets an.',
  list_columns: 'Die Zuordnung der Spalten ist ungültig.',
  column_unknown: 'Diese Spalte ist unbekannt. Ordnen Sie sie zu oder lassen Sie sie weg.',
  column_twice: 'Zwei Spalten sind demselben Feld zugeordnet.',
  column_missing: 'Die Datei hat diese Spalte nicht.',
  row_cells: ({ cells, headings }) =>
    `Die Zeile hat ${cells} Zellen, es gibt aber ${headings} Überschriften.`,
  row_quote_open: 'Hier beginnt ein Anführungszeichen, das nie geschlossen wird.',
  row_quote_end:
    'Hinter einem schließenden Anführungszeichen steht Text; in einer Zelle wird es doppelt geschrieben.',
  row_not_json: 'Diese Zeile ist kein JSON-Objekt.',
  row_value: 'Hier muss ein Text, eine Zahl oder nichts stehen.',
  row_future: ({ text }) => `„${text}“ liegt in der Zukunft.`,
  row_ticket_id: ({ text }) => `„${text}“ ist keine Ticket-ID.`,
  row_other_event: ({ named }) => `Die Zeile nennt eine andere Veranstaltung: „${named}“.`,
  row_code: 'Dieser Code gehört nicht zu dem Ticket.',
  row_batch: ({ text }) => `„${text}“ ist keine Serie wie bat_0123456789.`,
  row_consumed: ({ text, max }) => `„${text}“ ist keine Anzahl von Nutzungen von 0 bis ${max}.`,
  row_twice: ({ line }) => `Dieses Ticket steht auch in Zeile ${line}.`,
  rows_max: ({ max }) => `Eine Datei hat höchstens ${max} Tickets. Teilen Sie sie auf.`,
  row_unknown_event: ({ event }) => `Es gibt keine Veranstaltung mit der ID ${event}.`,
  row_existing:
    'Dieses Ticket gibt es schon. „Vorhandene Tickets überspringen“ lässt es, wie es ist.',

  day_invalid: ({ text }) => `„${text}“ ist kein Tag der Jahre 1970 bis 9998.`,
  period_reversed: '„Letzter Tag“ liegt vor „Erster Tag“.',
  period_too_long: ({ by, max, days }) =>
    by === 'hour'
      ? `Nach Stunden hat ein Zeitraum höchstens ${max} Tage, nicht ${days}. Wählen Sie einen kürzeren oder Zeilen nach Tagen.`
      : `Ein Zeitraum hat höchstens ${max} Tage, nicht ${days}. Wählen Sie einen kürzeren.`,

  event_not_empty:
    'Die Veranstaltung hat Tickets oder Scans und kann deshalb nicht gelöscht werden. Wählen Sie stattdessen „Archivieren“.',
  changed_meanwhile:
    'Jemand anderes hat das inzwischen geändert. Laden Sie die Seite neu und versuchen Sie es erneut.',
};
