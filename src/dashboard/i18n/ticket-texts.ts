import { ofEachField } from '../../core/ticket-fields.ts';
import { HOLDER_LABELS, TICKET_MEMBERS as MEMBERS } from '../../core/ticket-members.ts';
import { both, type Table } from './both-languages.ts';

/** Events, tickets and their print. */
export const ticketTexts = {
  events: {
    create: ['Create event', 'Veranstaltung anlegen'],
    emptyForViewers: ['No event yet.', 'Noch keine Veranstaltung.'],
    empty: both`No event yet. Every ticket belongs to an event.
      Noch keine Veranstaltung. Jedes Ticket gehört zu einer.`,
    tickets: 'Tickets',
    archive: ['Archive', 'Archivieren'],
    unarchive: ['Show again', 'Wieder anzeigen'],
    archived: ['Archived', 'Archiviert'],
    showArchived: ['Show archived events', 'Archivierte anzeigen'],
    deleteTitle: ['Delete this event?', 'Diese Veranstaltung löschen?'],
    deleteAllTitle: both`Delete this event with its tickets?
      Diese Veranstaltung mit ihren Tickets löschen?`,
    deleteAllText: (name: string, tickets: string) => [
      `${name} and its tickets (${tickets}) are deleted permanently, with the names of the guests and all scans of these tickets. From then on nobody is admitted with them.`,
      `${name} und die zugehörigen Tickets (${tickets}) werden endgültig gelöscht, mit den Namen der Gäste und allen Scans dieser Tickets. Ab dann kommt niemand mehr damit hinein.`,
    ],
    stillValid: (valid: number, shown: string) => [
      valid === 0 ? 'None of them is still valid.' : `STILL VALID: ${shown}.`,
      valid === 0 ? 'Keines davon ist noch gültig.' : `NOCH GÜLTIG: ${shown}.`,
    ],
    lastScan: (time: string) => both`The last scan was on ${time}.
      Der letzte Scan war am ${time}.`,
    neverScanned: ['None was ever scanned.', 'Keines wurde je gescannt.'],
    deleteAllStays: both`The statistics keep the number of scans of each day, without names.
      Die Statistik behält die Zahl der Scans jedes Tages, ohne Namen.`,
    exportFirst: both`Save the tickets and the scans first, if you still need them:
      Sichern Sie vorher die Tickets und die Scans, wenn Sie sie noch brauchen:`,
    typeName: (name: string) => both`To delete it, type its name: ${name}
      Tippen Sie zum Löschen den Namen ein: ${name}`,
    otherName: ['This is not its name.', 'Das ist nicht der Name.'],
    deleteText: (name: string) => [
      `${name} is deleted permanently. Keys for selected events are then no longer valid for it.`,
      `${name} wird endgültig gelöscht. Schlüssel für ausgewählte Veranstaltungen gelten dann nicht mehr für sie.`,
    ],
    rename: ['Rename', 'Umbenennen'],
    showTickets: (name: string, tickets: string) => both`Tickets of ${name}: ${tickets}
      Tickets von ${name}: ${tickets}`,
    id: ['Id', 'ID'],
    noKey: ['No key scans for it.', 'Kein Schlüssel scannt dafür.'],
  },
  tickets: {
    create: ['Create tickets', 'Tickets anlegen'],
    import: ['Import', 'Importieren'],
    empty: ['No tickets match.', 'Keine passenden Tickets.'],
    emptySoFar: ['No ticket found so far.', 'Bisher kein Ticket gefunden.'],
    searching: (found: string) => [`Searching … ${found} found`, `Suche läuft … ${found} gefunden`],
    searchedPart: (part: string) => both`${part} of the tickets searched
      ${part} der Tickets durchsucht`,
    stopSearch: ['Stop', 'Anhalten'],
    howMany: (count: string, tickets: number) => [
      tickets === 1 ? '1 ticket' : `${count} tickets`,
      tickets === 1 ? '1 Ticket' : `${count} Tickets`,
    ],
    atLeast: (count: string) => [`${count} found so far`, `Bisher ${count} gefunden`],
    tooManyToSort: (
      max: string,
    ) => both`These are too many to sort, so the newest come first. Choose an event or a state, or search: up to ${max} tickets are sorted.
      Das sind zu viele zum Sortieren, deshalb stehen die neuesten oben. Wählen Sie eine Veranstaltung oder einen Zustand, oder suchen Sie: Sortiert werden bis zu ${max} Tickets.`,
    order: ['Order', 'Reihenfolge'],
    orders: {
      newest: ['Newest first', 'Neueste zuerst'],
      oldest: ['Oldest first', 'Älteste zuerst'],
      name: ['By name', 'Nach Namen'],
      end: ['By end of validity', 'Nach Ende der Gültigkeit'],
      lastUse: ['By last use', 'Nach letzter Nutzung'],
    },
    emptyForViewers: ['No tickets yet.', 'Noch keine Tickets.'],
    emptyAtAll: both`No tickets yet. Create some, or import them from a file.
      Noch keine Tickets. Legen Sie welche an oder importieren Sie eine Datei.`,
    searchLabel: ['Id, holder, reference', 'ID, Inhaber, Referenz'],
    event: MEMBERS.eventId.label,
    type: MEMBERS.ticketType.label,
    single: ['Single ticket', 'Einzelticket'],
    multi: ['Multi-use card', 'Mehrfachkarte'],
    permanent: ['Permanent card', 'Dauerkarte'],
    uses: MEMBERS.usesAllowed.label,
    left: (left: string, allowed: string) => both`${left} of ${allowed} left
      noch ${left} von ${allowed}`,
    allUsed: (allowed: string) => [
      `${allowed} of ${allowed} used`,
      `${allowed} von ${allowed} verbraucht`,
    ],
    unlimited: ['unlimited', 'unbegrenzt'],
    noBegin: ['no beginning', 'ohne Beginn'],
    noEnd: ['no end', 'ohne Ende'],
    endsInPast: both`This time has passed: gates refuse the ticket as expired.
      Diese Zeit ist vorbei: Jedes Tor weist das Ticket als abgelaufen ab.`,
    permanentHelp: both`A permanent card counts its uses too, and is used up after 9,999.
      Auch eine Dauerkarte zählt ihre Nutzungen und ist nach 9.999 aufgebraucht.`,
    nearItsEnd: (left: string) => [
      `Uses left on this permanent card: ${left}. Give its holder a new one in time.`,
      `Verbleibende Nutzungen dieser Dauerkarte: ${left}. Geben Sie rechtzeitig eine neue aus.`,
    ],
    count: ['How many', 'Anzahl'],
    ...HOLDER_LABELS,
    holder: MEMBERS.holder.label,
    validFrom: MEMBERS.validFrom.label,
    validUntil: MEMBERS.validUntil.label,
    validity: ['Validity', 'Gültigkeit'],
    from: (day: string) => [`from ${day}`, `ab ${day}`],
    until: (day: string) => [`until ${day}`, `bis ${day}`],
    states: {
      valid: ['Valid', 'Gültig'],
      not_yet_valid: ['Not valid yet', 'Noch nicht gültig'],
      expired: ['Expired', 'Abgelaufen'],
      exhausted: ['Used up', 'Aufgebraucht'],
      cancelled: ['Cancelled', 'Storniert'],
    },
    needsEvent: both`Create an event first: every ticket belongs to an event.
      Legen Sie zuerst eine Veranstaltung an: Jedes Ticket gehört zu einer.`,
    createdTitle: (count: number) => [
      count === 1 ? '1 ticket created' : `${count} tickets created`,
      count === 1 ? '1 Ticket angelegt' : `${count} Tickets angelegt`,
    ],
    moreCreated: (count: number) => [`and ${count} more`, `und ${count} weitere`],
    ticket: 'Ticket',
    code: ['Ticket code', 'Ticketcode'],
    qr: ['QR code of the ticket', 'QR-Code des Tickets'],
    print: ['Print sheet (PDF)', 'Druckbogen (PDF)'],
    cancelTicket: ['Cancel ticket', 'Ticket stornieren'],
    cancelTitle: ['Cancel ticket?', 'Ticket stornieren?'],
    cancelText: both`The ticket is then refused. You can reinstate it later.
      Das Ticket wird dann abgewiesen. Sie können die Stornierung später aufheben.`,
    keep: ['Keep ticket', 'Ticket behalten'],
    leaveThem: ['Leave them as they are', 'So lassen'],
    replace: ['Issue a replacement', 'Ersatz ausstellen'],
    replaceTitle: ['Issue a replacement for this ticket?', 'Ersatz für dieses Ticket ausstellen?'],
    replaceText: both`This ticket is cancelled for good. A new one with the same holder, validity and remaining uses takes its place, with another code.
      Dieses Ticket wird endgültig storniert. Ein neues mit demselben Inhaber, derselben Gültigkeit und den übrigen Nutzungen tritt an seine Stelle, mit einem anderen Code.`,
    replaces: ['Replacement for', 'Ersatz für'],
    replacedBy: ['Replaced by', 'Ersetzt durch'],
    eraseHolders: (count: number) => [count === 1 ? 'Erase name' : 'Erase names', 'Namen löschen'],
    eraseTitle: (count: number) => [
      count === 1 ? 'Erase the name of this guest?' : `Erase the names on ${count} tickets?`,
      count === 1 ? 'Den Namen dieses Gastes löschen?' : `Die Namen auf ${count} Tickets löschen?`,
    ],
    eraseText: both`The name, the reference, the note and the attention mark are removed permanently from the ticket, from answers that are stored for repeated requests, and from the audit log. The ticket, its uses and the log entries stay. The ticket is as valid at the gate as before.
      Name, Referenz, Notiz und Achtung werden für immer aus dem Ticket, aus gespeicherten Antworten auf wiederholte Anfragen und aus dem Änderungsprotokoll entfernt. Das Ticket, seine Nutzungen und die Protokolleinträge bleiben. Am Tor gilt das Ticket wie bisher.`,
    eraseLimits: both`Backups, exported lists and printed tickets still have the name.
      In Sicherungen, exportierten Listen und auf gedruckten Tickets steht der Name weiter.`,
    eraseKeep: ['Keep name', 'Namen behalten'],
    eraseDone: ['Erased', 'Gelöscht'],
    erased: (count: number) => [
      count === 0
        ? 'No ticket had a name.'
        : `The ${count === 1 ? 'name on 1 ticket is' : `names on ${count} tickets are`} erased.`,
      count === 0
        ? 'Kein Ticket hatte einen Namen.'
        : `Der Name auf ${count === 1 ? '1 Ticket' : `${count} Tickets`} ist gelöscht.`,
    ],
    eraseNotPurged: both`Parts of the name may still be in free space of the store’s files. The operator of the service removes them: with the server stopped, “ticketscan privacy clean”; on PostgreSQL, VACUUM FULL.
      Teile des Namens können noch in freien Bereichen der Dateien des Datenspeichers stehen. Der Betreiber des Dienstes entfernt sie: bei gestopptem Server mit „ticketscan privacy clean“, bei PostgreSQL mit VACUUM FULL.`,
    reinstate: ['Reinstate', 'Stornierung aufheben'],
    history: ['Scan history', 'Scan-Verlauf'],
    noHistory: ['Never scanned.', 'Noch nie gescannt.'],
    back: ['All tickets', 'Alle Tickets'],
    select: (id: string) => [`Select ticket ${id}`, `Ticket ${id} auswählen`],
    selectAll: ['Select all tickets of this page', 'Alle Tickets dieser Seite auswählen'],
    selected: (count: number) => [`${count} selected`, `${count} ausgewählt`],
    bulkCancelText: (count: number) => [
      count === 1 ? 'It is refused from now on.' : `${count} tickets are refused from now on.`,
      count === 1
        ? 'Es wird ab sofort abgewiesen.'
        : `${count} Tickets werden ab sofort abgewiesen.`,
    ],
    privacyReport: ['Privacy report', 'Datenauskunft'],
    edit: ['Edit ticket', 'Ticket bearbeiten'],
    editHelp: both`Printed tickets do not change. Scans follow what is stored here.
      Gedruckte Tickets ändern sich nicht. Beim Scan zählt, was hier gespeichert ist.`,
    usesHelp: (consumed: number) => both`2 to 100, but not fewer than the ${consumed} already used.
      2 bis 100, aber nicht weniger als die ${consumed} schon verbrauchten.`,
    deleteTicket: ['Delete ticket', 'Ticket löschen'],
    deleteTitle: ['Delete ticket?', 'Ticket löschen?'],
    deleteText: both`The ticket is deleted permanently, and its code is then unknown. Only a ticket that was never scanned can be deleted.
      Das Ticket wird endgültig gelöscht, sein Code ist dann unbekannt. Nur ein nie gescanntes Ticket kann gelöscht werden.`,
    /** What people write on a ticket. */
    fields: ofEachField(({ label }) => label),
    marked: ['Yes', 'Ja'],
    batch: MEMBERS.batch.label,
    manyCancel: ['Cancel all matches', 'Alle Treffer stornieren'],
    manyReinstate: ['Reinstate all matches', 'Stornierung aller Treffer aufheben'],
    manyDelete: ['Delete unused matches', 'Unbenutzte Treffer löschen'],
    manyCancelText: both`All tickets that match the filter are refused from now on.
      Alle Tickets, auf die der Filter passt, werden ab sofort abgewiesen.`,
    manyReinstateText: both`All cancelled tickets that match the filter are admitted again, with the uses that they had. Tickets for which a replacement was issued stay cancelled.
      Alle stornierten Tickets, auf die der Filter passt, gelten wieder, mit den Nutzungen, die sie hatten. Tickets mit einem Ersatz bleiben storniert.`,
    manyDeleteText: both`All tickets that match the filter and were never scanned are deleted permanently. The others, and those of a replacement, are kept.
      Alle nie gescannten Tickets, auf die der Filter passt, werden endgültig gelöscht. Die übrigen und die eines Ersatzes bleiben.`,
    manyDone: (changed: number, kept: number) => both`Changed: ${changed}. Kept: ${kept}.
      Geändert: ${changed}. Unverändert: ${kept}.`,
    undo: ['Take back', 'Nutzung zurückgeben'],
    undoTitle: ['Take back this use?', 'Diese Nutzung zurückgeben?'],
    undoText: both`The ticket gets one use back. The scan log shows who took it back and why.
      Das Ticket hat dann eine Nutzung mehr. Im Scan-Protokoll steht, wer sie zurückgegeben hat und warum.`,
    undoReason: ['Reason', 'Grund'],
    importTitle: ['Import tickets', 'Tickets importieren'],
    importHelp: both`A list of people as a workbook (.xlsx) or CSV, or an export (CSV, JSON Lines).
      Eine Namensliste als Arbeitsmappe (.xlsx) oder CSV oder ein Export (CSV, JSON Lines).`,
    importFile: ['File', 'Datei'],
    imported: (count: number) => [
      count === 1 ? '1 ticket was imported.' : `${count} tickets were imported.`,
      count === 1 ? '1 Ticket wurde importiert.' : `${count} Tickets wurden importiert.`,
    ],
  },
  paper: {
    title: ['Printed tickets', 'Gedruckte Tickets'],
    language: ['Language', 'Sprache'],
    languages: {
      en: ['English', 'Englisch'],
      de: ['German', 'Deutsch'],
    },
    lines: ['Your own lines', 'Eigene Zeilen'],
    linesHelp: both`At most 4, one on each line; printed below the texts of each ticket.
      Höchstens 4, eine in jeder Zeile; gedruckt unter den Texten jedes Tickets.`,
    logo: 'Logo (PNG)',
    logoHelp: both`At most 100 KiB and 1000 × 1000 pixels. Small labels have no room for it.
      Höchstens 100 KiB und 1000 × 1000 Pixel. Kleine Etiketten haben keinen Platz dafür.`,
    logoNow: ['The logo on tickets', 'Das Logo auf Tickets'],
    removeLogo: ['Remove logo', 'Logo entfernen'],
    saved: ['Saved. New sheets look like this.', 'Gespeichert. So sehen neue Druckbögen aus.'],
    all: ['Print all (PDF)', 'Alle drucken (PDF)'],
  },
} as const satisfies Table;
