import { both, type Table } from './both-languages.ts';

/** What every page says, the sign-in, and who may do what. */
export const generalTexts = {
  product: 'ticketscan',
  language: ['Language', 'Sprache'],
  navigation: {
    label: ['Pages', 'Seiten'],
    open: ['Open menu', 'Menü öffnen'],
    close: ['Close menu', 'Menü schließen'],
    skip: ['Skip to content', 'Zum Inhalt'],
    overview: ['Overview', 'Übersicht'],
    scanner: ['Scan', 'Scannen'],
    find: ['Find a ticket', 'Ticket suchen'],
    tickets: 'Tickets',
    log: ['Log', 'Protokoll'],
    live: 'Live',
    history: ['History', 'Verlauf'],
    refused: ['Refused requests', 'Abgewiesene Anfragen'],
    statistics: ['Statistics', 'Statistik'],
    closing: ['Closing', 'Abschluss'],
    events: ['Events', 'Veranstaltungen'],
    gates: ['Gates', 'Tore'],
    keys: ['Keys', 'Schlüssel'],
    devices: ['Devices', 'Geräte'],
    phones: ['Phones', 'Telefone'],
    sites: ['Sites', 'Standorte'],
    accounts: ['Accounts', 'Konten'],
    settings: ['Settings', 'Einstellungen'],
    general: ['General', 'Allgemein'],
    accessTokens: ['Access tokens', 'Zugriffstoken'],
    webhooks: 'Webhooks',
    auditLog: ['Audit log', 'Änderungsprotokoll'],
    signOut: ['Sign out', 'Abmelden'],
    notSignedOut: both`Not signed out: the server does not answer. Check the network, then try again.
      Nicht abgemeldet: Der Server antwortet nicht. Prüfen Sie das Netz und versuchen Sie es erneut.`,
    toDark: ['Dark colours', 'Dunkle Farben'],
    toLight: ['Light colours', 'Helle Farben'],
  },
  testControls: both`TEST CONTROLS ARE ON. Tests can change the clock of this server and cause faults: never use it at a gate.
    TESTSTEUERUNG IST AKTIV. Tests können die Uhr dieses Servers verstellen und Fehler auslösen: Verwenden Sie ihn nie an einem Tor.`,
  siteLine: {
    site: ['Site', 'Standort'],
    goOn: (since: string) => both`No line to the centre since ${since}; gates go on.
      Keine Verbindung zur Zentrale seit ${since}; die Tore arbeiten weiter.`,
    standStill: (since: string) => both`No line to the centre since ${since}; gates stand still.
      Keine Verbindung zur Zentrale seit ${since}; die Tore stehen still.`,
    waiting: (scans: number, shown: string) => [
      scans === 1 ? '1 scan waits.' : `${shown} scans wait.`,
      scans === 1 ? '1 Scan wartet.' : `${shown} Scans warten.`,
    ],
  },
  signIn: {
    title: ['Sign in', 'Anmelden'],
    name: ['Account', 'Konto'],
    password: ['Password', 'Passwort'],
    submit: ['Sign in', 'Anmelden'],
    refused: ['Account or password is wrong.', 'Konto oder Passwort ist falsch.'],
    slower: both`Too many attempts. Wait a moment, then try again.
      Zu viele Versuche. Warten Sie einen Moment und versuchen Sie es erneut.`,
    dropped: (
      codes: number,
    ) => both`Scanned codes without an answer when the session ended: ${codes}. Sign in with the same account, and scan them again: within 10 minutes each counts only once.
      Gescannte Codes ohne Antwort beim Ende der Sitzung: ${codes}. Melden Sie sich mit demselben Konto an und scannen Sie sie noch einmal: Innerhalb von 10 Minuten zählt jeder nur einmal.`,
    wasPaired: both`Was this phone paired? Ask for a new QR code at the desk: you need no password.
      War dieses Telefon gekoppelt? Lassen Sie sich an der Kasse einen neuen QR-Code zeigen: Ein Passwort brauchen Sie nicht.`,
    cookieWithoutTls: both`The password or code was right, but this browser did not keep the sign-in: this page came over plain HTTP from another machine, and the sign-in needs HTTPS. Open the address that begins with https://, or this page on the machine of the server.
      Passwort oder Code waren richtig, aber dieser Browser hat die Anmeldung nicht behalten: Die Seite kam ohne TLS von einem anderen Rechner, und die Anmeldung braucht HTTPS. Öffnen Sie die Adresse mit https:// oder diese Seite auf dem Rechner des Servers.`,
    cookieRefused: both`The password or code was right, but this browser did not keep the cookie of the sign-in. Allow cookies for this page, then try again.
      Passwort oder Code waren richtig, aber dieser Browser hat das Cookie der Anmeldung nicht behalten. Erlauben Sie Cookies für diese Seite und versuchen Sie es erneut.`,
    firstAccount: both`No account yet? The server printed the first one at its start. “ticketscan accounts create” creates more.
      Noch kein Konto? Der Server hat das erste beim Start ausgegeben. „ticketscan accounts create“ legt weitere an.`,
  },
  general: {
    showSecret: ['Show input', 'Eingabe anzeigen'],
    chooseFile: ['Choose a file', 'Datei auswählen'],
    waiting: ['Waiting for the server …', 'Warten auf den Server …'],
    tooLong: (max: number) => both`Too long: at most ${max} characters. Nothing was cut off.
      Zu lang: höchstens ${max} Zeichen. Nichts wurde abgeschnitten.`,
    loading: ['Loading …', 'Wird geladen …'],
    retry: ['Try again', 'Erneut versuchen'],
    save: ['Save', 'Speichern'],
    create: ['Create', 'Anlegen'],
    cancel: ['Cancel', 'Abbrechen'],
    close: ['Close', 'Schließen'],
    delete: ['Delete', 'Löschen'],
    edit: ['Edit', 'Bearbeiten'],
    copy: ['Copy', 'Kopieren'],
    copied: ['Copied', 'Kopiert'],
    copyFailed: both`Copying failed. Select the text and copy it yourself.
      Kopieren fehlgeschlagen. Markieren Sie den Text und kopieren Sie ihn selbst.`,
    newer: ['Previous page', 'Vorige Seite'],
    older: ['Next page', 'Nächste Seite'],
    line: (number: number) => [`Line ${number}`, `Zeile ${number}`],
    lines: (numbers: string, more: number) => [
      `Lines ${numbers}${more ? ` and ${more} more` : ''}`,
      `Zeilen ${numbers}${more ? ` und ${more} weitere` : ''}`,
    ],
    andMore: (more: string) => [`and ${more} more`, `und ${more} weitere`],
    numberRange: (min: number, max: number) => both`A whole number from ${min} to ${max}.
      Eine ganze Zahl von ${min} bis ${max}.`,
    exportCsv: ['Export CSV', 'CSV exportieren'],
    exportExcel: ['Export for Excel', 'Für Excel exportieren'],
    clearFile: ['Remove file', 'Datei entfernen'],
    page: (number: number) => [`Page ${number}`, `Seite ${number}`],
    name: 'Name',
    created: ['Created', 'Angelegt'],
    act: (act: string, name: string) => both`${act} ${name}
      ${name} ${act.toLocaleLowerCase('de')}`,
    actions: ['Actions', 'Aktionen'],
    more: (name: string) => both`More actions for ${name}
      Weitere Aktionen für ${name}`,
    all: ['All', 'Alle'],
    none: ['none', 'keine'],
    never: ['never', 'nie'],
    state: ['State', 'Zustand'],
    filters: (count: number) => [
      count === 0 ? 'Filter' : `Filter (${count})`,
      count === 0 ? 'Filter' : `Filter (${count})`,
    ],
    clearFilter: ['Clear filter', 'Filter löschen'],
  },
  failures: {
    unreachable: both`The server does not answer. Is it running, and is this device on the network?
      Der Server antwortet nicht. Läuft er, und ist dieses Gerät mit dem Netz verbunden?`,
    notFound: ['This does not exist, or was deleted.', 'Das existiert nicht oder wurde gelöscht.'],
    fault: both`An error occurred on the server. The server’s log has the reason.
      Auf dem Server ist ein Fehler aufgetreten. Der Grund steht im Protokoll des Servers.`,
    refused: (message: string) => both`The server refused this: ${message}
      Der Server hat das abgelehnt: ${message}`,
    title: ['This did not work', 'Das hat nicht geklappt'],
  },
  missing: {
    title: ['Page not found', 'Seite nicht gefunden'],
    text: ['This page does not exist.', 'Diese Seite gibt es nicht.'],
    forbidden: (role: string) => both`Your role may not see this page: it takes the role ${role}.
      Ihre Rolle darf diese Seite nicht sehen: Nötig ist die Rolle ${role}.`,
  },
  roles: {
    owner: ['Owner', 'Administrator'],
    operator: ['Operator', 'Kassenpersonal'],
    viewer: ['Viewer', 'Lesezugriff'],
    scanner: ['Scanner', 'Einlasspersonal'],
  },
} as const satisfies Table;
