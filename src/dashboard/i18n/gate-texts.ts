import { both, type Table } from './both-languages.ts';

/** Keys, devices, phones, and the scan page. */
export const gateTexts = {
  keys: {
    title: ['API keys', 'API-Schlüssel'],
    create: ['Create key', 'Schlüssel anlegen'],
    empty: both`No API key yet. Software and turnstiles need an API key.
      Noch kein API-Schlüssel. Software und Drehkreuze brauchen einen API-Schlüssel.`,
    type: ['Integration', 'Wofür'],
    api: ['Own software / API', 'Eigene Software'],
    hardware: ['Hardware', 'Drehkreuz oder Leser'],
    events: ['Events', 'Veranstaltungen'],
    allEvents: ['All events', 'Alle Veranstaltungen'],
    selectedEvents: ['Selected events', 'Ausgewählte Veranstaltungen'],
    chooseEvents: ['Choose events', 'Veranstaltungen auswählen'],
    searchEvents: ['Search events', 'Veranstaltungen suchen'],
    active: ['Active', 'Aktiv'],
    disabled: ['Disabled', 'Gesperrt'],
    expired: ['Expired', 'Abgelaufen'],
    expires: ['Expires', 'Läuft ab'],
    expiresHint: both`From then on the key is refused. Empty: never.
      Ab dann wird der Schlüssel abgewiesen. Leer: nie.`,
    expiresSoon: (when: string) => both`This key expires on ${when}. Its requests are then refused.
      Dieser Schlüssel läuft am ${when} ab. Seine Anfragen werden dann abgewiesen.`,
    lastUsed: ['Last used', 'Zuletzt benutzt'],
    previousUntil: ['Old value valid until', 'Alter Wert gilt bis'],
    readers: ['Readers', 'Lesegeräte'],
    readersHint: both`Which way each reader points, such as 0=in,1=out; *=out for devices without an index. Empty: every reader takes a use.
      Richtung je Lesegerät, etwa 0=in,1=out; *=out für Geräte ohne Nummer. Leer: Jedes Lesegerät verbraucht eine Nutzung.`,
    readersWrong: both`Write each reader once with in or out, such as 0=in,1=out.
      Schreiben Sie jedes Lesegerät einmal mit in oder out, etwa 0=in,1=out.`,
    onExit: ['On the way out', 'Beim Hinausgehen'],
    exitRules: {
      consume: ['Take a use', 'Nutzung verbrauchen'],
      validate: ['Check only', 'Nur prüfen'],
      open: ['Open for everybody who came in', 'Für alle öffnen, die drinnen sind'],
    },
    device: ['Device file', 'Gerätedatei'],
    deviceHint: both`Describes the requests and answers of the devices of this key.
      Beschreibt die Anfragen und Antworten der Geräte dieses Schlüssels.`,
    deviceNone: ['None (known models)', 'Keine (bekannte Modelle)'],
    rotate: ['Renew', 'Erneuern'],
    rotateTitle: ['Renew the key?', 'Schlüssel erneuern?'],
    rotateText: (name: string) => [
      `“${name}” stays the same key. Its devices need the new value before the old one expires.`,
      `„${name}“ bleibt derselbe Schlüssel. Seine Geräte brauchen den neuen Wert, bevor der alte abläuft.`,
    ],
    overlap: ['How long the old value stays valid', 'Wie lange der alte Wert noch gilt'],
    overlaps: {
      '0': ['Not at all (refused immediately)', 'Gar nicht (sofort abgewiesen)'],
      '3600': ['1 hour', '1 Stunde'],
      '86400': ['1 day', '1 Tag'],
      '604800': ['7 days', '7 Tage'],
    },
    rotateAgain: (name: string, until: string) => [
      `“${name}” got a new value not long ago, and the value before it is valid until ${until}. Another new value ends that one immediately: gates that still have it stay closed.`,
      `„${name}“ hat vor Kurzem einen neuen Wert bekommen, und der Wert davor gilt bis ${until}. Ein weiterer neuer Wert beendet ihn sofort: Tore, die ihn noch haben, bleiben geschlossen.`,
    ],
    rotateAct: ['What to do', 'Was soll geschehen?'],
    rotateActs: {
      prolong: ['Keep both, prolong the old one', 'Beide behalten, alten verlängern'],
      rotate: ['Renew, the oldest value ends at once', 'Erneuern, ältester Wert endet sofort'],
    },
    prolong: ['Prolong', 'Verlängern'],
    prolongBy: both`How long the old value stays valid from now on
      Wie lange der alte Wert ab jetzt noch gilt`,
    rotatedTitle: (name: string) => both`Key “${name}” was renewed
      Schlüssel „${name}“ wurde erneuert`,
    enable: ['Enable', 'Entsperren'],
    disable: ['Disable', 'Sperren'],
    usage: ['Requests this month', 'Anfragen in diesem Monat'],
    usedUp: both`The monthly quota is used up: scans with this key are refused until the month ends.
      Das Monatskontingent ist aufgebraucht: Scans mit diesem Schlüssel werden bis zum Monatsende abgewiesen.`,
    usedUpFrom: (when: string) => [
      `The monthly quota will probably be used up on ${when}; after that, scans are refused.`,
      `Voraussichtlich ist das Monatskontingent am ${when} aufgebraucht; danach werden Scans abgewiesen.`,
    ],
    usageOf: (used: string, quota: string) => [`${used} of ${quota}`, `${used} von ${quota}`],
    rate: (perSecond: string, burst: string) => both`${perSecond} per second, ${burst} at once
      ${perSecond} je Sekunde, ${burst} auf einmal`,
    relay: ['Relay on a grant', 'Relais bei Einlass'],
    relays: {
      auto: ['By reader: even IN, odd OUT', 'Je Lesegerät: gerade IN, sonst OUT'],
      in: ['Always IN', 'Immer IN'],
      out: ['Always OUT', 'Immer OUT'],
    },
    openSeconds: ['Door open (seconds)', 'Tür offen (Sekunden)'],
    createdTitle: (name: string) => both`Key “${name}” was created
      Schlüssel „${name}“ wurde angelegt`,
    once: both`Copy it now: it is shown only once.
      Kopieren Sie ihn jetzt: Er wird nur einmal angezeigt.`,
    value: ['Key', 'Schlüssel'],
    cardUrl: 'Card URL',
    heartUrl: 'Heart URL',
    deviceUrl: ['Device URL', 'Geräte-URL'],
    qrOf: (what: string) => [`QR code of the ${what}`, `QR-Code der ${what}`],
    onlyHere: both`Only this machine can reach this address. Open the dashboard at the address that the devices use, or start the server with --base-url.
      Nur dieser Rechner erreicht diese Adresse. Öffnen Sie das Dashboard unter der Adresse der Geräte oder starten Sie den Server mit --base-url.`,
    scanToSetUp: both`Scan the code with the phone that you use to set up the device. Then you need not type it.
      Scannen Sie den Code mit dem Telefon, mit dem Sie das Gerät einrichten. So müssen Sie nichts eingeben.`,
    waitTime: both`Wait Time of the device: 30 (3 seconds), on unstable networks 50 (5 seconds). With a lower value the device gives up before a slow answer.
      Wait Time des Geräts: 30 (3 Sekunden), in instabilen Netzen 50 (5 Sekunden). Mit einem kleineren Wert bricht das Gerät vor einer langsamen Antwort ab.`,
    careTitle: ['Keep it safe', 'Sicher aufbewahren'],
    care: [
      both`Keep the key on your server, never in a web page or an app that others use.
        Bewahren Sie den Schlüssel auf Ihrem Server auf, nie in einer Webseite oder App, die andere nutzen.`,
      both`Use a separate key for each site or event.
        Verwenden Sie für jeden Standort oder jede Veranstaltung einen eigenen Schlüssel.`,
      ['Send it over HTTPS only.', 'Senden Sie ihn nur über HTTPS.'],
      both`Renew it from time to time: with “Renew”, the old value stays valid while you change the devices.
        Erneuern Sie ihn von Zeit zu Zeit: Der alte Wert gilt weiter, während Sie die Geräte umstellen.`,
      both`When others may know a key, delete it and create a new one.
        Löschen Sie einen Schlüssel, den andere kennen könnten, und legen Sie einen neuen an.`,
    ],
    careHardware: both`Enter the URLs on the device only: they contain the key.
      Tragen Sie die URLs nur im Gerät ein: Sie enthalten den Schlüssel.`,
    done: ['I have stored it', 'Ich habe ihn gespeichert'],
    editTitle: (name: string) => [`Edit key “${name}”`, `Schlüssel „${name}“ bearbeiten`],
    deleteTitle: ['Delete key?', 'Schlüssel löschen?'],
    deleteText: (name: string) => [
      `“${name}” is then refused permanently. Whatever uses it admits nobody any more.`,
      `„${name}“ wird dann endgültig abgewiesen. Was diesen Schlüssel verwendet, lässt niemanden mehr ein.`,
    ],
    disableTitle: ['Disable key?', 'Schlüssel sperren?'],
    disableText: (name: string) => both`“${name}” is refused until you enable it again.
      „${name}“ wird abgewiesen, bis Sie ihn wieder entsperren.`,
  },
  devices: {
    emptyForOthers: ['No device has connected yet.', 'Noch kein Gerät hat sich verbunden.'],
    empty: both`No device has connected yet. Enter the Heart URL of a hardware key in a device.
      Noch kein Gerät hat sich verbunden. Tragen Sie die Heart URL eines Schlüssels für Drehkreuze in ein Gerät ein.`,
    full: both`This key has as many devices as are kept. A new serial number is listed when another device was silent for 30 days. If you do not know these devices, replace the key.
      Für diesen Schlüssel sind so viele Geräte gespeichert wie möglich. Eine neue Seriennummer erscheint, sobald ein anderes Gerät 30 Tage still war. Kennen Sie diese Geräte nicht, ersetzen Sie den Schlüssel.`,
    noSerial: ['No serial number', 'Ohne Seriennummer'],
    model: ['Model', 'Modell'],
    online: 'Online',
    offline: 'Offline',
    heartbeat: ['Last heartbeat', 'Letzter Heartbeat'],
    lastScan: ['Last scan', 'Letzter Scan'],
    firmware: 'Firmware',
    address: ['Address', 'Adresse'],
    key: ['Key', 'Schlüssel'],
    drift: ['Clock drift', 'Uhrabweichung'],
    driftOf: (seconds: string) => [`${seconds} s`, `${seconds} s`],
    unknown: ['unknown', 'unbekannt'],
    lastScans: ['Last scans', 'Letzte Scans'],
  },
  phones: {
    pair: ['Pair a phone', 'Telefon koppeln'],
    help: both`A paired phone scans tickets for an account without its password, for 12 hours, and sees nothing else. Remove a phone that is lost: it is refused from the next scan on.
      Ein gekoppeltes Telefon scannt 12 Stunden lang Tickets für ein Konto, ohne dessen Passwort, und sieht sonst nichts. Entfernen Sie ein verlorenes Telefon: Es wird ab dem nächsten Scan abgewiesen.`,
    empty: ['No phone is paired.', 'Kein Telefon ist gekoppelt.'],
    name: ['Phone', 'Telefon'],
    scansFor: ['Scans for', 'Scannt für'],
    scansForHelp: both`The log names this account. A scanner may be limited to selected events.
      Das Protokoll nennt dieses Konto. Einlasspersonal kann auf bestimmte Veranstaltungen beschränkt sein.`,
    pairedAt: ['Paired', 'Gekoppelt'],
    lastSeen: ['Last seen', 'Zuletzt gesehen'],
    endsAt: ['Ends', 'Endet'],
    steps: both`The next step shows a QR code. Scan it with the camera of the phone; it is valid once, for two minutes.
      Der nächste Schritt zeigt einen QR-Code. Scannen Sie ihn mit der Kamera des Telefons; er gilt einmal, zwei Minuten lang.`,
    showCode: ['Show QR code', 'QR-Code anzeigen'],
    showCodeAgain: ['Show a new code', 'Neuen Code anzeigen'],
    scanThis: both`Scan this code with the camera of the phone.
      Scannen Sie diesen Code mit der Kamera des Telefons.`,
    qrLabel: ['QR code for the phone', 'QR-Code für das Telefon'],
    asks: both`asks to be paired. Does the phone show this number?
      soll gekoppelt werden. Zeigt das Telefon diese Zahl?`,
    confirm: ['Yes, pair it', 'Ja, koppeln'],
    refuse: ['No, refuse', 'Nein, ablehnen'],
    ended: both`This code is no longer valid: two minutes have passed.
      Dieser Code gilt nicht mehr: Zwei Minuten sind vergangen.`,
    remove: ['Remove', 'Entfernen'],
    removeTitle: ['Remove phone?', 'Telefon entfernen?'],
    removeText: (name: string) => both`“${name}” can no longer scan until you pair it again.
      „${name}“ kann nicht mehr scannen, bis Sie es neu koppeln.`,
  },
  pair: {
    title: ['Pair this phone', 'Dieses Telefon koppeln'],
    name: ['Name of this phone', 'Name dieses Telefons'],
    nameHelp: both`It is shown on the dashboard and in the scan log, for example “North gate”.
      Er steht im Dashboard und im Scan-Protokoll, zum Beispiel „Tor Nord“.`,
    submit: ['Ask to be paired', 'Kopplung anfordern'],
    used: both`This code has expired or was used already. Show a new one on the dashboard, and scan it.
      Dieser Code ist abgelaufen oder wurde schon verwendet. Zeigen Sie im Dashboard einen neuen und scannen Sie ihn.`,
    compare: both`The dashboard asks whether to pair this phone. It must show this number:
      Das Dashboard fragt, ob es dieses Telefon koppeln soll. Dort muss diese Zahl stehen:`,
    ended: both`The phone was refused, or the answer took too long. Show a new code on the dashboard, and scan it.
      Das Telefon wurde abgelehnt, oder die Antwort kam zu spät. Zeigen Sie im Dashboard einen neuen Code und scannen Sie ihn.`,
    noCode: both`On the dashboard, open “Gates”, “Phones”, and choose “Pair a phone”. Then scan the QR code that it shows.
      Öffnen Sie im Dashboard „Tore“, „Telefone“ und wählen Sie „Telefon koppeln“. Scannen Sie dann den QR-Code, der dort erscheint.`,
  },
  scanner: {
    keyTitle: ['Which key scans here?', 'Welcher Schlüssel scannt hier?'],
    keyLabel: ['API key', 'API-Schlüssel'],
    keyHelp: both`Paste or scan an API key of the type “Own software / API”. It stays in this tab and is deleted when the tab is closed. Use a separate key for this page, with the events of this gate only.
      Fügen Sie einen API-Schlüssel für „Eigene Software“ ein oder scannen Sie ihn. Er bleibt in diesem Tab und wird gelöscht, wenn Sie den Tab schließen. Verwenden Sie einen eigenen Schlüssel für diese Seite, nur mit den Veranstaltungen dieses Tors.`,
    keyWrong: both`This is not an API key for own software: those begin with tscn_api_.
      Das ist kein API-Schlüssel für eigene Software. Solche Schlüssel beginnen mit tscn_api_.`,
    keyUse: ['Use this key', 'Schlüssel verwenden'],
    keyForget: ['Remove key', 'Schlüssel entfernen'],
    keyRefused: both`The key is refused: deleted, disabled or mistyped.
      Der Schlüssel wird abgewiesen: gelöscht, gesperrt oder falsch geschrieben.`,
    mode: ['On a scan', 'Bei einem Scan'],
    consume: ['Admit (consume)', 'Einlassen (einlösen)'],
    validate: ['Only check', 'Nur prüfen'],
    ready: ['Ready', 'Bereit'],
    readyHelp: both`Hold a ticket before the camera, use a hand scanner, or type a code.
      Halten Sie ein Ticket vor die Kamera, verwenden Sie einen Handscanner oder geben Sie den Code ein.`,
    code: ['Ticket code', 'Ticketcode'],
    send: ['Scan', 'Scannen'],
    startCamera: ['Start camera', 'Kamera starten'],
    stopCamera: ['Stop camera', 'Kamera stoppen'],
    cameraLabel: ['Camera picture', 'Kamerabild'],
    cameraRefused: both`The browser blocks the camera. Allow it for this page in the browser.
      Der Browser blockiert die Kamera. Erlauben Sie sie für diese Seite.`,
    cameraNone: ['No camera was found.', 'Keine Kamera gefunden.'],
    cameraInUse: both`The camera is in use by another program. Close that one, then start the camera again.
      Ein anderes Programm benutzt die Kamera. Schließen Sie es und starten Sie die Kamera erneut.`,
    cameraFailed: both`The camera does not start. Start it again, or load the page again.
      Die Kamera startet nicht. Starten Sie sie erneut, oder laden Sie die Seite neu.`,
    cameraEnded: both`The camera has stopped: it was unplugged, or the device took it. It starts again when you come back to this page, or choose “Start camera”.
      Die Kamera wurde beendet: Sie wurde getrennt, oder das Gerät hat sie entzogen. Sie startet wieder, wenn Sie zu dieser Seite zurückkehren oder „Kamera starten“ wählen.`,
    cameraMuted: both`The camera gives no picture at the moment, for example because of a call. It goes on by itself.
      Die Kamera liefert gerade kein Bild, zum Beispiel wegen eines Anrufs. Sie läuft von selbst weiter.`,
    cameraInsecure: both`Browsers allow the camera only on pages over HTTPS. Hand scanners work without HTTPS.
      Browser erlauben die Kamera nur auf Seiten mit HTTPS. Handscanner funktionieren auch ohne HTTPS.`,
    options: ['Code and options', 'Code und Optionen'],
    closeOptions: ['Close options', 'Optionen schließen'],
    light: ['Light', 'Licht'],
    sound: ['Sound', 'Ton'],
    admitted: ['ADMITTED', 'EINLASS'],
    valid: ['VALID', 'GÜLTIG'],
    denied: ['DENIED', 'ABGEWIESEN'],
    unknown: ['NO ANSWER', 'KEINE ANTWORT'],
    unknownHelp: both`It is unknown whether the use was registered. Try again: it counts only once.
      Es ist unbekannt, ob die Nutzung gezählt wurde. Versuchen Sie es erneut: Sie zählt nur einmal.`,
    checking: ['Checking …', 'Wird geprüft …'],
    inLine: (waiting: number) => [
      waiting === 1 ? 'Another ticket is checked first.' : `${waiting} tickets wait for an answer.`,
      waiting === 1
        ? 'Zuerst wird ein anderes Ticket geprüft.'
        : `${waiting} Tickets warten auf eine Antwort.`,
    ],
    readAt: ['Read at', 'Gelesen um'],
    notTaken: ['NOT TAKEN', 'NICHT ANGENOMMEN'],
    notTakenHelp: both`Too many tickets wait for an answer. This one was not checked, and no use was taken: scan it again when the others are done.
      Zu viele Tickets warten auf eine Antwort. Dieses wurde nicht geprüft und keine Nutzung verbraucht: Scannen Sie es erneut, wenn die anderen fertig sind.`,
    strayTitle: ['A code was scanned: open Scan?', 'Ein Code wurde gescannt: „Scannen“ öffnen?'],
    strayText: both`Nothing was done with it. Open Scan, and scan it again there.
      Damit ist nichts geschehen. Öffnen Sie „Scannen“ und scannen Sie ihn dort noch einmal.`,
    strayOpen: ['Open Scan', '„Scannen“ öffnen'],
    strayClose: ['Stay here', 'Hier bleiben'],
    wait: ['WAIT', 'WARTEN'],
    waitHelp: (seconds: number) => [
      `Too many requests. The page asks again automatically in ${seconds} s.`,
      `Zu viele Anfragen. Die Seite fragt in ${seconds} s automatisch erneut.`,
    ],
    stopWaiting: ['Stop waiting', 'Warten beenden'],
    notScanned: ['NOT SCANNED', 'NICHT GESCANNT'],
    tooMany: both`Too many requests with this key. No use was taken. Try again later; the page “Gates” shows the limits.
      Zu viele Anfragen mit diesem Schlüssel. Es wurde keine Nutzung verbraucht. Versuchen Sie es später erneut; die Seite „Tore“ zeigt die Grenzwerte.`,
    usesLeft: (left: number) => [
      left === 1 ? '1 use left' : `${left} uses left`,
      left === 1 ? 'noch 1 Nutzung' : `noch ${left} Nutzungen`,
    ],
    asAccount: ['Scan as your account', 'Mit Ihrem Konto scannen'],
    withKey: ['Scan with a key', 'Mit Schlüssel scannen'],
    scansAs: ['Scans as', 'Scannt als'],
    scansWithKey: ['Scans with an API key.', 'Scannt mit einem API-Schlüssel.'],
    signedOut: both`Your session has ended, or this phone is no longer paired. This request took no use.
      Ihre Sitzung ist beendet, oder dieses Telefon ist nicht mehr gekoppelt. Diese Anfrage hat keine Nutzung verbraucht.`,
    signInAgain: ['Sign in again', 'Neu anmelden'],
    notAllowed: both`Your account may no longer scan. Ask an owner for the role scanner.
      Ihr Konto darf nicht mehr scannen. Bitten Sie einen Administrator um die Rolle Einlasspersonal.`,
    usesTaken: (taken: number, allowed: number) => both`${taken} of ${allowed} uses taken
      ${taken} von ${allowed} Nutzungen verbraucht`,
    lastUse: ['Last used:', 'Zuletzt benutzt:'],
    searchTicket: ['Find the ticket', 'Ticket suchen'],
    nextSteps: {
      consumed: ['Let the guest in.', 'Lassen Sie den Gast ein.'],
      validated: both`Nothing was used. Choose “Admit” to let the guest in.
        Es wurde nichts verbraucht. Wählen Sie „Einlassen“, um den Gast einzulassen.`,
      exhausted: both`Do not admit. The guest needs another ticket.
        Nicht einlassen. Der Gast braucht ein anderes Ticket.`,
      not_found: both`Do not admit. There is no such ticket in this system: ask who sold it.
        Nicht einlassen. Dieses Ticket gibt es in diesem System nicht: Fragen Sie, wo es gekauft wurde.`,
      invalid_ticket: both`Do not admit. Scan again. If the result is the same, the code is forged or damaged.
        Nicht einlassen. Scannen Sie noch einmal. Bei gleichem Ergebnis ist der Code gefälscht oder beschädigt.`,
      missing_ticket_code: both`This is no ticket code and no whole ticket id. Scan the QR code, or find the ticket by name or id.
        Das ist kein Ticketcode und keine ganze Ticket-ID. Scannen Sie den QR-Code, oder suchen Sie das Ticket nach Name oder ID.`,
      event_not_allowed: both`Do not admit here. The ticket is for another event.
        Hier nicht einlassen. Das Ticket gilt für eine andere Veranstaltung.`,
      ticket_cancelled: both`Do not admit. The ticket was cancelled: ask who sold it.
        Nicht einlassen. Das Ticket wurde storniert: Fragen Sie, wo es gekauft wurde.`,
      not_yet_valid: (from?: string) => [
        from ? `Do not admit yet. Valid from ${from}.` : 'Do not admit yet.',
        from ? `Noch nicht einlassen. Gültig ab ${from}.` : 'Noch nicht einlassen.',
      ],
      expired: (until?: string) => [
        until ? `Do not admit. Valid until ${until}.` : 'Do not admit.',
        until ? `Nicht einlassen. Gültig bis ${until}.` : 'Nicht einlassen.',
      ],
    },
    last: ['Last scans of this tab', 'Letzte Scans dieses Tabs'],
  },
} as const satisfies Table;
