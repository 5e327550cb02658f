import { CLOSING_WORDS, OTHER_FIGURE_WORDS } from '../../core/scan-words.ts';
import { both, type Table } from './both-languages.ts';
import { refusalReasonTexts } from './refusal-texts.ts';

/** Overview, statistics and log. */
export const liveTexts = {
  firstSteps: {
    title: ['First steps', 'Erste Schritte'],
    venue: ['What is your venue called?', 'Wie heißt Ihr Haus?'],
    language: ['Language of printed tickets', 'Sprache gedruckter Tickets'],
    event: both`Create an event. Every ticket belongs to one.
      Eine Veranstaltung anlegen. Jedes Ticket gehört zu einer.`,
    gate: both`Create a key for the first gate. A phone needs none: it is paired under “Gates”, “Phones”.
      Einen Schlüssel für das erste Tor anlegen. Ein Telefon braucht keinen: Es wird unter „Tore“, „Telefone“ gekoppelt.`,
    ticket: ['Create the first ticket.', 'Das erste Ticket anlegen.'],
    guest: both`Admit the first guest: open “Scan” and hold the ticket before the camera.
      Den ersten Gast einlassen: „Scannen“ öffnen und das Ticket vor die Kamera halten.`,
    scan: ['Open Scan', '„Scannen“ öffnen'],
    done: ['Done', 'Erledigt'],
  },
  overview: {
    lastHour: ['Scans per minute in the last hour', 'Scans je Minute in der letzten Stunde'],
    admitted: ['Admitted', 'Eingelassen'],
    denied: ['Denied', 'Abgewiesen'],
    today: ['today', 'heute'],
    perMinute: ['Scans per minute', 'Scans je Minute'],
    thisMinute: ['Scans this minute', 'Scans in dieser Minute'],
    counting: both`The scan log is still being counted. The numbers are too small until then.
      Das Scan-Protokoll wird noch gezählt. Bis dahin sind die Zahlen zu klein.`,
    chart: (admitted: number, denied: number, busiest: string) => [
      `Scans per minute in the last hour: ${admitted} admitted, ${denied} denied. ${busiest}`,
      `Scans je Minute in der letzten Stunde: ${admitted} eingelassen, ${denied} abgewiesen. ${busiest}`,
    ],
    busiest: (time: string, scans: number) => both`Most scans in one minute: ${scans} at ${time}.
      Die meisten Scans in einer Minute: ${scans} um ${time}.`,
    asTable: ['Show as table', 'Als Tabelle anzeigen'],
    asChart: ['Show as chart', 'Als Diagramm anzeigen'],
    minute: 'Minute',
    byGate: ['By gate, last hour', 'Je Tor, letzte Stunde'],
    byReason: ['Why denied, last hour', 'Warum abgewiesen, letzte Stunde'],
    noScans: both`No scans in the last hour. New scans appear here immediately.
      Keine Scans in der letzten Stunde. Neue Scans erscheinen hier sofort.`,
    latest: ['Latest scans', 'Neueste Scans'],
    inside: ['People inside', 'Personen drinnen'],
    inAndOut: (entered: string, exited: string) => both`${entered} in, ${exited} out
      Eingang ${entered}, Ausgang ${exited}`,
    insideOf: (name: string, people: string) => both`People inside ${name}: ${people}
      Personen in ${name}: ${people}`,
    inOut: ['In and out', 'Ein- und Ausgang'],
    since: ['Count', 'Zählung'],
    sinceReset: ['since', 'seit'],
    ever: ['the beginning', 'Beginn'],
    reset: ['Reset', 'Zurücksetzen'],
    resetNamed: (name: string) => both`Reset people inside ${name}
      Personen in ${name} zurücksetzen`,
    resetTitle: ['Reset people inside?', 'Personen drinnen zurücksetzen?'],
    resetText: (name: string) => both`The count of “${name}” begins again at 0.
      Die Zählung von „${name}“ beginnt wieder bei 0.`,
    devicesOnline: ['Devices online', 'Geräte online'],
    lastBackup: (ago: string, time: string) => both`Last backup: ${ago} (${time}).
      Letzte Sicherung: ${ago} (${time}).`,
    noBackup: both`There is no backup of this server’s data yet.
      Von den Daten dieses Servers gibt es noch keine Sicherung.`,
    makeBackup: ['Make a new one on the server:', 'Auf dem Server eine neue anlegen:'],
  },
  statistics: {
    period: ['Period', 'Zeitraum'],
    periods: {
      today: ['Today', 'Heute'],
      week: ['7 days', '7 Tage'],
      month: ['30 days', '30 Tage'],
      year: ['365 days', '365 Tage'],
      own: ['Own period', 'Eigener Zeitraum'],
    },
    from: ['First day', 'Erster Tag'],
    to: ['Last day', 'Letzter Tag'],
    by: ['Group by', 'Gruppieren nach'],
    and: ['and by', 'und nach'],
    rows: {
      day: ['Day', 'Tag'],
      hour: ['Hour', 'Stunde'],
      event: ['Event', 'Veranstaltung'],
      gate: ['Gate', 'Tor'],
      type: ['Ticket type', 'Ticketart'],
    },
    heading: (row: string) => [`Scans by ${row.toLocaleLowerCase()}`, `Scans nach ${row}`],
    busiest: (name: string, scans: number) => both`Most scans: ${name}, ${scans}.
      Die meisten Scans: ${name}, ${scans}.`,
    byReason: ['Why denied', 'Warum abgewiesen'],
    validations: OTHER_FIGURE_WORDS.validations,
    undone: CLOSING_WORDS.undone,
    noEvent: ['No event, or an unknown one', 'Keine oder eine unbekannte Veranstaltung'],
    noTicket: ['No ticket', 'Kein Ticket'],
    empty: ['No scans in this period.', 'Keine Scans in diesem Zeitraum.'],
    timeZone: (zone: string) => [
      `Days and hours of the time zone ${zone}. The numbers stay when the scan log is pruned.`,
      `Tage und Stunden der Zeitzone ${zone}. Die Zahlen bleiben, wenn das Scan-Protokoll gekürzt wird.`,
    ],
  },
  live: {
    skipped: both`Some scans are missing here, because the connection was too slow. The history has all scans.
      Einige Scans fehlen hier, weil die Verbindung zu langsam war. Der Verlauf enthält alle.`,
    connecting: ['Connecting …', 'Wird verbunden …'],
    open: 'Live',
    lost: ['Connection lost, reconnecting …', 'Verbindung unterbrochen, wird neu verbunden …'],
    pause: ['Pause', 'Anhalten'],
    resume: ['Resume', 'Weiter'],
    paused: ['Paused', 'Angehalten'],
    rate: (scans: number) => [`${scans} scans/s`, `${scans} Scans/s`],
  },
  log: {
    directions: {
      in: ['in', 'Eingang'],
      out: ['out', 'Ausgang'],
    },
    opened: ['Let out', 'Hinausgelassen'],
    title: ['Scan log', 'Scan-Protokoll'],
    time: ['Time', 'Zeit'],
    ticket: 'Ticket',
    outcome: ['Outcome', 'Ergebnis'],
    key: ['Key', 'Schlüssel'],
    gate: ['Gate', 'Tor'],
    note: ['Note', 'Hinweis'],
    undoNote: (sequence: number, of: number, by: string, reason: string) => [
      `#${sequence} takes back #${of}, by ${by}: ${reason}`,
      `#${sequence} gibt #${of} zurück, von ${by}: ${reason}`,
    ],
    byHand: ['By hand', 'Von Hand'],
    undoneBy: (sequence: number, by: number) => both`#${sequence}, taken back by #${by}
      #${sequence}, zurückgegeben durch #${by}`,
    empty: ['No scans match.', 'Keine passenden Scans.'],
    emptySoFar: ['No scan found so far.', 'Bisher kein Scan gefunden.'],
    emptyLive: both`No scans yet. New scans appear here immediately.
      Noch keine Scans. Neue Scans erscheinen hier sofort.`,
    event: ['Event', 'Veranstaltung'],
    from: ['From', 'Von'],
    until: ['Until', 'Bis'],
    searchedBackTo: (entry: string) => both`Searched back to entry ${entry}.
      Durchsucht bis Eintrag ${entry}.`,
    searchOn: ['Search further back', 'Weiter zurück suchen'],
  },
  refusals: {
    title: ['Refused requests', 'Abgewiesene Anfragen'],
    about: both`Connections and requests that were refused before any ticket was checked.
      Verbindungen und Anfragen, die abgewiesen wurden, bevor ein Ticket geprüft wurde.`,
    withoutUnknown: both`Unknown and mistyped keys cannot be shown here, because they belong to no organisation. The operator of the server sees them: “ticketscan log --refused --store URL”.
      Unbekannte und falsch geschriebene Schlüssel gehören keiner Organisation und stehen deshalb nicht hier. Der Betreiber des Servers sieht sie: „ticketscan log --refused --store URL“.`,
    empty: both`No request was refused in the last 30 days.
      In den letzten 30 Tagen wurde keine Anfrage abgewiesen.`,
    emptyOwn: both`No request with a key of this organisation was refused in the last 30 days.
      In den letzten 30 Tagen wurde keine Anfrage mit einem Schlüssel dieser Organisation abgewiesen.`,
    hint: (when: string, reason: string) => [
      `Requests of gates were refused, the latest on ${when} (${reason}).`,
      `Anfragen von Einlässen wurden abgewiesen, zuletzt am ${when} (${reason}).`,
    ],
    show: ['Show refused requests', 'Abgewiesene Anfragen anzeigen'],
    others: (times: string) => both`More refused requests, not listed one by one: ${times}.
      Weitere abgewiesene Anfragen, nicht einzeln aufgeführt: ${times}.`,
    last: ['Latest', 'Zuletzt'],
    times: ['Times', 'Anzahl'],
    reason: ['Reason', 'Grund'],
    address: ['Address', 'Adresse'],
    reasons: refusalReasonTexts,
  },
} as const satisfies Table;
