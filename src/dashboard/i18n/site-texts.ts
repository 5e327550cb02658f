import { LATE_WORDS } from '../../core/scan-words.ts';
import { both, type Table } from './both-languages.ts';

/** Sites, where events are decided, and where a change is in force. */
export const siteTexts = {
  sites: {
    help: both`A site is a server at a venue. It decides the scans of its events, also while its line to this server, the centre, is cut. An event is decided at one place only: here, or at one site.
      Ein Standort ist ein Server am Ort der Veranstaltung. Er entscheidet über die Scans seiner Veranstaltungen, auch wenn seine Verbindung zu diesem Server, der Zentrale, unterbrochen ist. Über eine Veranstaltung wird nur an einem Ort entschieden: hier oder an einem Standort.`,
    empty: both`No site yet. You need none where the gates reach this server without interruption. To make one: create it here, start a server at the venue with its token, then give it an event.
      Noch kein Standort. Sie brauchen keinen, wenn die Tore diesen Server ohne Unterbrechung erreichen. Sonst legen Sie hier einen an, starten am Ort einen Server mit seinem Token und übergeben ihm dann eine Veranstaltung.`,
    emptyForOthers: both`No site yet. An owner can create one.
      Noch kein Standort. Ein Administrator kann einen anlegen.`,
    isSite: both`This server is a site itself. Its centre has the list of sites.
      Dieser Server ist selbst ein Standort. Die Liste der Standorte hat seine Zentrale.`,
    create: ['Create site', 'Standort anlegen'],
    withSecret: ['Give it the secret of TS1 codes', 'Das Geheimnis der TS1-Codes übergeben'],
    withSecretHelp: both`Without it the site refuses codes that begin with TS1, as those made on this page. With it, whoever steals the site can make such codes. TS2 codes need none.
      Ohne das Geheimnis weist der Standort Codes ab, die mit TS1 beginnen, wie die von dieser Seite. Mit ihm kann solche Codes erzeugen, wer den Standort stiehlt. TS2-Codes brauchen keines.`,
    codes: ['Codes', 'Codes'],
    onlyTs2: ['only TS2; TS1 is refused', 'nur TS2; TS1 wird abgewiesen'],
    createdTitle: (name: string) => both`Site “${name}” was created
      Standort „${name}“ wurde angelegt`,
    token: 'Token',
    saveToken: both`Save the token at the site in a file named site.token. Then start its server there:
      Speichern Sie das Token am Standort in einer Datei namens site.token. Starten Sie dann dort den Server:`,
    command: ['Command', 'Befehl'],
    states: {
      connected: ['Connected', 'Verbunden'],
      cut: ['No line', 'Keine Verbindung'],
      neverHeard: ['Never heard', 'Noch nie gehört'],
      retired: ['Retired', 'Stillgelegt'],
    },
    line: ['Line', 'Verbindung'],
    lineSince: (when: string) => [`since ${when}`, `seit ${when}`],
    notSince: (when: string) => [`not since ${when}`, `nicht mehr seit ${when}`],
    retiredAt: ['Retired', 'Stillgelegt'],
    clock: ['Clock', 'Uhr'],
    ahead: (seconds: string) => [`${seconds} s ahead`, `${seconds} s vor`],
    behind: (seconds: string) => [`${seconds} s behind`, `${seconds} s nach`],
    recordsAsOf: ['Keys as of', 'Schlüssel vom'],
    notThere: ['not there yet', 'noch nicht dort'],
    waiting: ['Scans that wait', 'Wartende Scans'],
    events: ['Events', 'Veranstaltungen'],
    leaving: ['on its way there, decided nowhere', 'unterwegs dorthin, niemand entscheidet'],
    away: ['decided there', 'dort entschieden'],
    returning: ['coming back', 'kommt zurück'],
    asking: both`may be there, not heard since the restore: nobody decides
      vielleicht dort, seit der Wiederherstellung nicht gehört: niemand entscheidet`,
    claimed: both`decided there, unless a site that is still asked has a later stay
      dort entschieden, wenn nicht ein noch gefragter Standort einen späteren Aufenthalt hat`,
    asked: ['not settled yet', 'noch nicht geklärt'],
    earlierStore: both`with an earlier store of this site; free it if that is gone
      bei einem früheren Datenspeicher dieses Standorts; freigeben, wenn es ihn nicht mehr gibt`,
    give: ['Give an event', 'Veranstaltung übergeben'],
    giveTo: (name: string) => both`Give an event to ${name}
      Veranstaltung an ${name} übergeben`,
    noneToGive: both`Every event is at a site, or there is none.
      Alle Veranstaltungen sind an Standorten, oder es gibt keine.`,
    event: ['Event', 'Veranstaltung'],
    decidedAt: ['Decided at', 'Entschieden wird'],
    here: ['here, at the centre', 'hier, in der Zentrale'],
    atCentre: ['at the centre', 'in der Zentrale'],
    atSite: (name: string) => [`at ${name}`, `bei ${name}`],
    onTheWay: (name: string) => [`on its way to ${name}`, `unterwegs zu ${name}`],
    comingBack: (name: string) => [`coming back from ${name}`, `kommt von ${name} zurück`],
    move: ['Move', 'Verlegen'],
    moveTitle: (name: string) => both`Where “${name}” is decided
      Wo über „${name}“ entschieden wird`,
    moveText: both`Its scans are no longer decided here at once, and there as soon as the site has its tickets. Meanwhile nobody is admitted: do it while the gates are closed.
      Über die Scans wird ab sofort nicht mehr hier entschieden, und dort, sobald der Standort die Tickets hat. In der Zwischenzeit kommt niemand hinein: Tun Sie es, solange die Tore geschlossen sind.`,
    back: ['Bring back', 'Zurückholen'],
    backTitle: ['Bring the event back?', 'Veranstaltung zurückholen?'],
    backText: both`The site closes it and sends its last scans; then it is decided here. Meanwhile nobody is admitted: do it while the gates are closed. Without a line the site goes on until it hears of this.
      Der Standort schließt sie und sendet seine letzten Scans; dann wird hier entschieden. In der Zwischenzeit kommt niemand hinein: Tun Sie es, solange die Tore geschlossen sind. Ohne Verbindung arbeitet der Standort weiter, bis er davon erfährt.`,
    retire: ['Retire', 'Stilllegen'],
    retireTitle: ['Retire the site?', 'Standort stilllegen?'],
    retireText: (name: string, events: number) => [
      `The token of “${name}” is refused from now on, for example because it was stolen.${events === 0 ? '' : ` Its events (${events}) stay there until you free them.`}`,
      `Das Token von „${name}“ wird ab sofort abgewiesen, etwa weil es gestohlen wurde.${events === 0 ? '' : ` Seine Veranstaltungen (${events}) bleiben dort, bis Sie sie freigeben.`}`,
    ],
    free: ['Free events', 'Veranstaltungen freigeben'],
    freeTitle: (name: string) => both`Free the events of “${name}”?
      Veranstaltungen von „${name}“ freigeben?`,
    freeText: both`Only for a site that is lost: its events are decided here from now on, though it may still decide them. If it can be reached, bring them back instead. What it sends later is kept and marked.
      Nur für einen verlorenen Standort: Über seine Veranstaltungen wird ab sofort hier entschieden, auch wenn er noch entscheidet. Ist er erreichbar, holen Sie sie stattdessen zurück. Was er später sendet, wird behalten und gekennzeichnet.`,
    freeAsked: (events: string) => both`Events that wait for other sites as well: ${events}.
      Veranstaltungen, die auch auf andere Standorte warten: ${events}.`,
    freeAtOthers: (events: string) => both`Events that go on at another site: ${events}.
      Veranstaltungen, die an einem anderen Standort weitergehen: ${events}.`,
    freeRisk: (events: string, uses: string) => [
      `Events: ${events}. Up to ${uses} uses may be admitted twice.`,
      `Veranstaltungen: ${events}. Bis zu ${uses} Nutzungen können doppelt eingelassen werden.`,
    ],
    late: ['late', 'verspätet'],
    lateText: LATE_WORDS,
  },
  inForce: {
    title: ['In force', 'In Kraft'],
    here: ['here', 'hier'],
    since: (name: string, when: string) => [`${name} since ${when}`, `${name} seit ${when}`],
    awaited: (name: string, when: string) => [
      `${name} not yet: it was heard at ${when}`,
      `${name} noch nicht: zuletzt gehört um ${when}`,
    ],
    cut: (name: string, when: string) => [
      `${name} not yet: no line since ${when}`,
      `${name} noch nicht: keine Verbindung seit ${when}`,
    ],
    never: (name: string) => [
      `${name} not yet: it was never heard`,
      `${name} noch nicht: noch nie gehört`,
    ],
  },
} as const satisfies Table;
