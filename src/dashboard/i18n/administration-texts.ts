import { both, type Table } from './both-languages.ts';

/** Accounts, access tokens, settings, the audit log and webhooks. */
export const administrationTexts = {
  accounts: {
    title: ['Accounts', 'Konten'],
    create: ['Create account', 'Konto anlegen'],
    role: ['Role', 'Rolle'],
    lastSignIn: ['Last sign-in', 'Letzte Anmeldung'],
    password: ['Password', 'Passwort'],
    passwordHelp: ['At least 12 characters.', 'Mindestens 12 Zeichen.'],
    you: ['you', 'Sie'],
    edit: (name: string) => [`Change role of ${name}`, `Rolle von ${name} ändern`],
    deleteTitle: ['Delete account?', 'Konto löschen?'],
    deleteText: (name: string) => both`“${name}” is signed out everywhere and cannot sign in again.
      „${name}“ wird überall abgemeldet und kann sich nicht mehr anmelden.`,
    roleHelp: both`Scanners scan tickets in this page and see nothing else. Viewers see the data and change nothing. Operators also manage events and tickets. Owners also manage keys and accounts.
      Einlasspersonal scannt Tickets auf dieser Seite und sieht sonst nichts. Lesezugriff sieht die Daten und ändert nichts. Kassenpersonal verwaltet auch Veranstaltungen und Tickets, Administratoren auch Schlüssel und Konten.`,
  },
  accessTokens: {
    help: both`For scripts and for the command line (--url and --token). A token has the rights of its role.
      Für Skripte und die Kommandozeile (--url und --token). Ein Token hat die Rechte seiner Rolle.`,
    create: ['Create token', 'Token anlegen'],
    empty: ['You have no access token.', 'Sie haben kein Zugriffstoken.'],
    expires: ['Expires', 'Läuft ab'],
    days: ['Valid for (days)', 'Gültig für (Tage)'],
    createdTitle: (name: string) => both`Token “${name}” was created
      Token „${name}“ wurde angelegt`,
    value: 'Token',
    deleteTitle: ['Delete token?', 'Token löschen?'],
    deleteText: (name: string) => both`Scripts with “${name}” are then refused.
      Skripte mit „${name}“ werden dann abgewiesen.`,
    all: ['Tokens of all accounts', 'Token aller Konten'],
    allHelp: both`For owners. A new password makes the tokens of the account invalid.
      Für Administratoren. Ein neues Passwort macht die Token des Kontos ungültig.`,
    allEmpty: ['No account has an access token.', 'Kein Konto hat ein Zugriffstoken.'],
    account: ['Account', 'Konto'],
    revoke: ['Revoke', 'Widerrufen'],
    ofAccount: (name: string, account: string) => both`${name} of ${account}
      ${name} von ${account}`,
  },
  settings: {
    password: ['Change password', 'Passwort ändern'],
    current: ['Current password', 'Bisheriges Passwort'],
    next: ['New password', 'Neues Passwort'],
    changed: both`The password was changed. Your other sessions and your access tokens are no longer valid.
      Das Passwort ist geändert. Ihre anderen Sitzungen und Ihre Zugriffstoken sind ungültig.`,
    venue: ['Organisation', 'Organisation'],
    venueSave: ['Save organisation', 'Organisation speichern'],
    venueName: ['Name of the venue', 'Name des Hauses'],
    saved: ['The changes are saved.', 'Die Änderungen sind gespeichert.'],
    timeZone: ['Time zone', 'Zeitzone'],
    timeZoneHelp: both`Messages show times in this time zone, for example when a ticket was last used. Without one, answers to software show the server’s time, and scans on this page UTC.
      Meldungen nennen Zeiten in dieser Zeitzone, etwa wann ein Ticket zuletzt benutzt wurde. Ohne Zeitzone nennen Antworten an Software die Zeit des Servers, Scans im Dashboard UTC.`,
    scannersFindGuests: ['Door staff may find guests', 'Einlasspersonal darf Gäste suchen'],
    scannersFindGuestsHelp: both`The page Scan then shows the names, references and notes of guests to accounts with the role “scanner”, and to paired phones. Operators and owners always find guests.
      Die Seite „Scannen“ zeigt dann auch Konten mit der Rolle „Einlasspersonal“ und gekoppelten Telefonen Namen, Referenzen und Notizen von Gästen. Kassenpersonal und Administratoren können immer suchen.`,
    timeZoneNone: ['None', 'Keine'],
    insideFrom: ['Reset people inside each day at', 'Personen drinnen täglich auf 0 setzen um'],
    insideFromHelp: both`Each day at this time the count is set to 0, by the clocks of the time zone, or of the server where there is none. Choose a time when nobody is inside, and “Never” if guests stay over night.
      Jeden Tag zu dieser Uhrzeit wird die Zählung auf 0 gesetzt, nach den Uhren der Zeitzone, ohne Zeitzone nach denen des Servers. Wählen Sie eine Zeit, zu der niemand drinnen ist, und „Nie“, wenn Gäste über Nacht bleiben.`,
    insideNever: ['Never', 'Nie'],
    limits: ['Limits', 'Grenzwerte'],
    limitsHelp: both`The limits apply to each key. Heartbeats do not count against the month.
      Die Grenzwerte gelten für jeden Schlüssel. Heartbeats zählen nicht zum Monat.`,
    limitsChange: both`Whoever runs the server changes them, with this command on the store:
      Wer den Server betreibt, ändert sie mit diesem Befehl am Datenspeicher:`,
    ratePerSecond: ['Requests per second', 'Anfragen je Sekunde'],
    burst: ['Requests at once (burst)', 'Anfragen auf einmal'],
    quota: ['Requests per month', 'Anfragen je Monat'],
    keysMax: ['API keys', 'API-Schlüssel'],
    keysMaxHelp: (max: number) => both`You can raise the number to at most ${max}.
      Sie können die Anzahl auf höchstens ${max} erhöhen.`,
    keysMaxSave: ['Raise the number of API keys', 'Anzahl der API-Schlüssel erhöhen'],
    server: 'Server',
    version: 'Version',
    engine: ['Store', 'Datenspeicher'],
    engines: {
      sqlite: 'SQLite',
      postgres: 'PostgreSQL',
      json: ['JSON file', 'JSON-Datei'],
      memory: ['Memory: nothing is kept', 'Arbeitsspeicher: Nichts bleibt erhalten'],
    },
    apiDocument: ['API description (OpenAPI)', 'API-Beschreibung (OpenAPI)'],
  },
  auditLog: {
    help: both`Every administrative change: who changed what, and when. The command line, edited files and sites are marked; every other name is an account.
      Alle Änderungen in der Verwaltung: wer, was und wann. Die Kommandozeile, bearbeitete Dateien und Standorte sind gekennzeichnet; jeder andere Name ist ein Konto.`,
    authors: {
      command_line: ['Command line', 'Kommandozeile'],
      document: ['Edited file', 'Bearbeitete Datei'],
      site: ['Site', 'Standort'],
      centre: ['Centre', 'Zentrale'],
    },
    empty: ['No changes yet.', 'Noch keine Änderungen.'],
    when: ['When', 'Wann'],
    who: ['Who', 'Wer'],
    what: ['What', 'Was'],
    details: 'Details',
  },
  webhooks: {
    help: both`Sends signed messages (Standard Webhooks) to other software. They never contain ticket codes, keys or holders.
      Sendet signierte Nachrichten (Standard Webhooks) an andere Software. Sie enthalten nie Ticketcodes, Schlüssel oder Inhaber.`,
    create: ['Create webhook', 'Webhook anlegen'],
    empty: ['No webhook yet.', 'Noch kein Webhook.'],
    url: ['Address', 'Adresse'],
    events: ['Events', 'Ereignisse'],
    eventNames: {
      'scan.granted': ['Admitted', 'Eingelassen'],
      'scan.denied': ['Denied', 'Abgewiesen'],
      'device.offline': ['Device offline', 'Gerät offline'],
      'device.online': ['Device online again', 'Gerät wieder online'],
      'quota.warning': ['Quota at 80 % and 95 %', 'Kontingent bei 80 % und 95 %'],
      'denials.many': ['Many denials at a gate', 'Viele Abweisungen an einem Tor'],
      'webhook.test': 'Test',
      'webhook.gap': ['Gap', 'Lücke'],
    },
    states: {
      active: ['Active', 'Aktiv'],
      paused: ['Paused', 'Pausiert'],
      failing: ['Failing', 'Gestört'],
      switched_off: ['Switched off', 'Abgeschaltet'],
    },
    switchedOffText: both`Deliveries failed for 72 hours, or the address no longer exists. Repair the receiver, then enable the webhook: deliveries continue where they stopped.
      Die Zustellung schlug 72 Stunden lang fehl, oder die Adresse gibt es nicht mehr. Reparieren Sie den Empfänger und aktivieren Sie den Webhook: Die Zustellung wird dort fortgesetzt, wo sie endete.`,
    since: ['Failing since', 'Fehlerhaft seit'],
    nextAttempt: ['Next try at', 'Nächster Versuch um'],
    delivered: ['Delivered', 'Zugestellt'],
    secret: ['Secret', 'Geheimnis'],
    createdTitle: (name: string) => both`Webhook “${name}” was created
      Webhook „${name}“ wurde angelegt`,
    newSecret: ['New secret', 'Neues Geheimnis'],
    newSecretText: both`For 24 hours, messages are signed with the earlier secret too.
      Nachrichten werden noch 24 Stunden lang auch mit dem früheren Geheimnis signiert.`,
    secretTitle: (name: string) => [`New secret of “${name}”`, `Neues Geheimnis von „${name}“`],
    test: ['Send test', 'Test senden'],
    testGood: (status: number, ms: number) => both`Delivered: HTTP ${status} after ${ms} ms.
      Zugestellt: HTTP ${status} nach ${ms} ms.`,
    testBad: (error: string) => [`Not delivered: ${error}`, `Nicht zugestellt: ${error}`],
    deliveries: ['Deliveries', 'Zustellungen'],
    deliveriesOf: (name: string) => [`Deliveries of ${name}`, `Zustellungen von ${name}`],
    noDeliveries: ['Nothing was sent yet.', 'Es wurde noch nichts gesendet.'],
    time: ['Time', 'Zeit'],
    event: ['Event', 'Ereignis'],
    attempt: ['Attempt', 'Versuch'],
    result: ['Result', 'Ergebnis'],
    took: ['Time taken', 'Dauer'],
    editTitle: (name: string) => [`Edit webhook “${name}”`, `Webhook „${name}“ bearbeiten`],
    pause: ['Pause', 'Pausieren'],
    enable: ['Enable', 'Aktivieren'],
    deleteTitle: ['Delete webhook?', 'Webhook löschen?'],
    deleteText: (name: string) => [
      `“${name}” gets no more messages. Messages that are still waiting are discarded.`,
      `„${name}“ erhält keine Nachrichten mehr. Ausstehende Nachrichten werden verworfen.`,
    ],
  },
} as const satisfies Table;
