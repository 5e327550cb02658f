import { OUTCOME_WORDS } from '../../core/scan-words.ts';
import { ofEachField } from '../../core/ticket-fields.ts';
import { both, type Table } from './both-languages.ts';

/** The pairing of a phone, the scan page, and what a scan came to. */
export const scanTexts = {
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
    goesOn: both`This phone is signed in already. That goes on until the dashboard has confirmed; only then does the new pairing take its place.
      Dieses Telefon ist schon angemeldet. Das bleibt so, bis das Dashboard bestätigt hat; erst dann gilt die neue Kopplung.`,
    wentOn: both`Nothing has changed on this phone: it is signed in as before.
      Auf diesem Telefon hat sich nichts geändert: Es ist angemeldet wie vorher.`,
    back: ['Back to scanning', 'Zurück zum Scannen'],
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
    ask: ['Ask first', 'Erst fragen'],
    validate: ['Only check', 'Nur prüfen'],
    out: ['Way out', 'Ausgang'],
    hold: ['Wait after “Attention”', 'Nach „Achtung“ warten'],
    usesAtOnce: ['Uses at once', 'Nutzungen auf einmal'],
    usesOfNext: ['Uses of the next scan', 'Nutzungen beim nächsten Scan'],
    letIn: ['Let in', 'Einlassen'],
    letInQuestion: ['LET IN?', 'EINLASSEN?'],
    questionStep: ['Nothing was used yet.', 'Es wurde noch nichts verbraucht.'],
    notNow: ['Not now', 'Nicht jetzt'],
    notLetIn: ['NOT LET IN', 'NICHT EINGELASSEN'],
    seen: ['Seen, go on', 'Gesehen, weiter'],
    waitForTap: (tickets: number) => [
      tickets === 1 ? 'The next ticket is waiting.' : `${tickets} tickets are waiting.`,
      tickets === 1 ? 'Ein weiteres Ticket wartet darauf.' : `${tickets} Tickets warten darauf.`,
    ],
    tooManyWait: [
      'Others were not taken: scan them again afterwards.',
      'Weitere wurden nicht angenommen: danach noch einmal scannen.',
    ],
    letSeveralIn: (people: number) => [
      `Let ${people} people in.`,
      `Lassen Sie ${people} Personen ein.`,
    ],
    readNoteFirst: (people = 1) => [
      `Look at the note first, then let ${people === 1 ? 'the guest' : `${people} people`} in.`,
      `Lesen Sie zuerst die Notiz, und lassen Sie dann ${people === 1 ? 'den Gast' : `${people} Personen`} ein.`,
    ],
    lookFirst: (people = 1) => [
      `Look closely first, then let ${people === 1 ? 'the guest' : `${people} people`} in.`,
      `Sehen Sie zuerst genau hin, und lassen Sie dann ${people === 1 ? 'den Gast' : `${people} Personen`} ein.`,
    ],
    takenAtOnce: (uses: number) => [`${uses} uses taken`, `${uses} Nutzungen verbraucht`],
    tooFew: (left: number) => [
      `${left === 1 ? '1 use' : `${left} uses`} left: fewer than you chose. None was taken, so let nobody in yet.`,
      `Noch ${left === 1 ? '1 Nutzung' : `${left} Nutzungen`}: weniger als gewählt. Es wurde keine verbraucht, also noch niemanden einlassen.`,
    ],
    findGuest: ['Find a guest', 'Gast suchen'],
    findBy: ['Name, reference or end of the id', 'Name, Referenz oder Ende der ID'],
    nobodyFound: ['Nobody found.', 'Niemand gefunden.'],
    found: (guests: number) => [
      guests === 1 ? '1 ticket found' : `${guests} tickets found`,
      guests === 1 ? '1 Ticket gefunden' : `${guests} Tickets gefunden`,
    ],
    searchFailed: [
      'The search got no answer. Type again.',
      'Die Suche bekam keine Antwort. Tippen Sie noch einmal.',
    ],
    backToSearch: ['Back', 'Zurück'],
    foundFirst: (guests: number) => [
      `The newest ${guests} tickets. There may be more: type more of the name.`,
      `Die neuesten ${guests} Tickets. Es kann mehr geben: Tippen Sie mehr vom Namen.`,
    ],
    secondLook: ['Is this the guest?', 'Ist das der Gast?'],
    ready: ['Ready', 'Bereit'],
    readyHelp: both`Hold a ticket before the camera, use a hand scanner, or type a code.
      Halten Sie ein Ticket vor die Kamera, verwenden Sie einen Handscanner oder geben Sie den Code ein.`,
    code: ['Ticket code', 'Ticketcode'],
    send: ['Scan', 'Scannen'],
    startCamera: ['Start camera', 'Kamera starten'],
    stopCamera: ['Stop camera', 'Kamera stoppen'],
    camera: ['Camera', 'Kamera'],
    cameraNumber: (number: number) => [`Camera ${number}`, `Kamera ${number}`],
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
    onlyChecked: ['Only checked', 'Nur geprüft'],
    denied: ['DENIED', 'ABGEWIESEN'],
    countedOut: ['OUT', 'HINAUS'],
    countedOutAgain: (person: number) => [`OUT, person ${person}`, `HINAUS, Person ${person}`],
    notCounted: ['NOT COUNTED', 'NICHT GEZÄHLT'],
    unknown: ['NO ANSWER', 'KEINE ANTWORT'],
    unknownHelp: both`It is unknown whether the use was registered. Try again, or scan the ticket again: it counts only once.
      Es ist unbekannt, ob die Nutzung gezählt wurde. Versuchen Sie es erneut oder scannen Sie das Ticket noch einmal: Es zählt nur einmal.`,
    unknownBecause: {
      no_result: both`The answer is not the result of a scan: something between this page and the server may have given it, such as the sign-in of a network.
        Die Antwort ist kein Scan-Ergebnis: Vielleicht kam sie von etwas zwischen dieser Seite und dem Server, etwa der Anmeldeseite eines Netzes.`,
      other_ticket: both`The answer names another ticket than the one that was scanned.
        Die Antwort nennt ein anderes Ticket als das gescannte.`,
    },
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
    oneAlone: ['Show one ticket alone', 'Nur ein Ticket zeigen'],
    oneAloneHelp: both`Several tickets are before the camera, or one that it cannot read. None of them was scanned.
      Vor der Kamera sind mehrere Tickets oder eines, das sie nicht lesen kann. Keines davon wurde gescannt.`,
    before: ['Before:', 'Davor:'],
    strayTitle: ['A code was scanned: open Scan?', 'Ein Code wurde gescannt: „Scannen“ öffnen?'],
    strayText: both`Nothing was done with it. Open Scan, and scan it again there.
      Damit ist nichts geschehen. Öffnen Sie „Scannen“ und scannen Sie ihn dort noch einmal.`,
    strayOpen: ['Open Scan', '„Scannen“ öffnen'],
    strayClose: ['Stay here', 'Hier bleiben'],
    strayTitleAlone: ['A code was scanned', 'Ein Code wurde gescannt'],
    straySignIn: both`Nothing was done with it. Sign in first, and scan it again on the page Scan.
      Damit ist nichts geschehen. Melden Sie sich zuerst an und scannen Sie ihn auf der Seite „Scannen“ noch einmal.`,
    strayPair: both`Nothing was done with it. Pair this phone first, and scan it again on the page Scan.
      Damit ist nichts geschehen. Koppeln Sie zuerst dieses Telefon und scannen Sie ihn auf der Seite „Scannen“ noch einmal.`,
    strayWaiting: both`Nothing was done with it. Scan it again when the page is there.
      Damit ist nichts geschehen. Scannen Sie ihn noch einmal, wenn die Seite da ist.`,
    wait: ['WAIT', 'WARTEN'],
    waitHelp: (seconds: number) => [
      `Too many requests. The page asks again automatically in ${seconds} s.`,
      `Zu viele Anfragen. Die Seite fragt in ${seconds} s automatisch erneut.`,
    ],
    stopWaiting: ['Stop waiting', 'Warten beenden'],
    notScanned: ['NOT SCANNED', 'NICHT GESCANNT'],
    tooManyForScanners: both`Too many requests at once. No use was taken. Try again in a moment.
      Zu viele Anfragen auf einmal. Es wurde keine Nutzung verbraucht. Versuchen Sie es gleich noch einmal.`,
    tooMany: both`Too many scans at once, or in this month. No use was taken. Try again; if it stays, an owner sees the limits on the page “Gates”.
      Zu viele Scans auf einmal oder in diesem Monat. Es wurde keine Nutzung verbraucht. Versuchen Sie es erneut; bleibt es dabei, sieht ein Administrator auf der Seite „Tore“ die Grenzwerte.`,
    usesLeft: (left: number) => [
      left === 1 ? '1 use left' : `${left} uses left`,
      left === 1 ? 'noch 1 Nutzung' : `noch ${left} Nutzungen`,
    ],
    asAccount: ['Scan as your account', 'Mit Ihrem Konto scannen'],
    withKey: ['Scan with a key', 'Mit Schlüssel scannen'],
    scansAs: ['Scans as', 'Scannt als'],
    scansWithKey: ['Scans with an API key.', 'Scannt mit einem API-Schlüssel.'],
    signedOut: both`Your session has ended. This request took no use.
      Ihre Sitzung ist beendet. Diese Anfrage hat keine Nutzung verbraucht.`,
    phoneRemoved: both`This phone is no longer paired. This request took no use. Ask for a new QR code at the desk.
      Dieses Telefon ist nicht mehr gekoppelt. Diese Anfrage hat keine Nutzung verbraucht. Lassen Sie sich an der Kasse einen neuen QR-Code zeigen.`,
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
      missing_ticket_code: both`This is not a ticket code and not a whole ticket id. Scan the QR code, or find the ticket by name or id.
        Das ist kein Ticketcode und keine ganze Ticket-ID. Scannen Sie den QR-Code, oder suchen Sie das Ticket nach Name oder ID.`,
      code_needed: both`This is an id, and your role cannot look up its code. Scan the QR code.
        Das ist eine ID, und Ihre Rolle kann ihren Code nicht nachschlagen. Scannen Sie den QR-Code.`,
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
    stepsOut: {
      counted: both`Let the guest out. No use was taken.
        Lassen Sie den Gast hinaus. Es wurde keine Nutzung verbraucht.`,
      notUsed: both`Let the guest out. Nobody came in with this ticket, so nobody is counted.
        Lassen Sie den Gast hinaus. Er wird nicht gezählt: Mit diesem Ticket kam niemand herein.`,
      other: both`Let the guest out. Nobody is counted.
        Lassen Sie den Gast hinaus. Er wird nicht gezählt.`,
    },
    leftOpen: (codes: number) => [
      codes === 1
        ? 'A code still waits for its answer'
        : `${codes} codes still wait for their answers`,
      codes === 1 ? 'Ein Code wartet noch auf Antwort' : `${codes} Codes warten noch auf Antwort`,
    ],
    waitElsewhere: both`It waits until somebody taps “Seen, go on” on “Scan”.
      Es geht weiter, sobald jemand auf „Scannen“ auf „Gesehen, weiter“ tippt.`,
    leftOpenText: both`It is still asked about. Whether the guest may enter is shown on “Scan”.
      Die Abfrage läuft weiter. Ob der Gast hineindarf, zeigt „Scannen“.`,
    leftAnswered: (codes: number) => [
      codes === 1
        ? 'A code was answered after you left “Scan”'
        : `${codes} codes were answered after you left “Scan”`,
      codes === 1
        ? 'Ein Code wurde beantwortet, nachdem Sie „Scannen“ verlassen haben'
        : `${codes} Codes wurden beantwortet, nachdem Sie „Scannen“ verlassen haben`,
    ],
    leftAnsweredText: both`Look whether the guest was admitted.
      Sehen Sie nach, ob der Gast eingelassen wurde.`,
    lost: (codes: number) => [
      codes === 1
        ? '1 scan has no answer from before this page was loaded: scan it again'
        : `${codes} scans have no answer from before this page was loaded: scan them again`,
      codes === 1
        ? '1 Scan blieb vor dem Laden dieser Seite ohne Antwort: Scannen Sie ihn noch einmal'
        : `${codes} Scans blieben vor dem Laden dieser Seite ohne Antwort: Scannen Sie sie noch einmal`,
    ],
    lostText: both`It is unknown whether they were counted. Within 10 minutes, with the same account, a ticket that is scanned again counts only once. Later, look at its last use.
      Es ist unbekannt, ob sie gezählt wurden. Innerhalb von 10 Minuten und mit demselben Konto zählt ein noch einmal gescanntes Ticket nur einmal. Prüfen Sie später seine letzte Nutzung.`,
    openAtEnd: (codes: number) => [
      codes === 1
        ? 'A scanned code has no answer yet. If you sign out now, nobody sees it.'
        : `${codes} scanned codes have no answer yet. If you sign out now, nobody sees the answers, and those that wait are not asked about.`,
      codes === 1
        ? 'Ein gescannter Code hat noch keine Antwort. Wenn Sie sich jetzt abmelden, sieht sie niemand.'
        : `${codes} gescannte Codes haben noch keine Antwort. Wenn Sie sich jetzt abmelden, sieht sie niemand, und wartende Codes werden nicht mehr abgefragt.`,
    ],
    waitForThem: ['Wait for the answers', 'Antworten abwarten'],
    endAnyway: ['Sign out anyway', 'Trotzdem abmelden'],
    last: ['Last scans of this tab', 'Letzte Scans dieses Tabs'],
    /** What is written on a ticket for the staff. */
    written: ofEachField(({ label }) => label),
  },
  outcomes: OUTCOME_WORDS,
} as const satisfies Table;
