import { TICKET_MEMBERS as MEMBERS } from '../../core/ticket-members.ts';
import { both, type Table } from './both-languages.ts';

/** Lists of tickets that are imported. */
export const listTexts = {
  lists: {
    encoding: ['Encoding', 'Kodierung'],
    worksheet: ['Sheet', 'Blatt'],
    otherSheets: (names: string) => [
      `Only this sheet is read. The workbook also has: ${names}.`,
      `Nur dieses Blatt wird gelesen. Die Arbeitsmappe hat auch: ${names}.`,
    ],
    hiddenRows: (count: number) => [
      count === 1
        ? '1 row is hidden in the sheet and read too.'
        : `${count} rows are hidden in the sheet and read too.`,
      count === 1
        ? '1 Zeile ist im Blatt ausgeblendet und wird mitgelesen.'
        : `${count} Zeilen sind im Blatt ausgeblendet und werden mitgelesen.`,
    ],
    hiddenColumns: (names: string) => [
      `Hidden in the sheet and read too, unless you leave them out, are the columns: ${names}.`,
      `Im Blatt ausgeblendet und mitgelesen, wenn Sie sie nicht weglassen, werden die Spalten: ${names}.`,
    ],
    encodings: {
      'utf-8': 'UTF-8',
      latin1: 'Windows-1252 (Excel)',
    },
    mapping: ['Columns of the file', 'Spalten der Datei'],
    automatic: ['Recognise by its name', 'Am Namen erkennen'],
    leaveOut: ['Leave out', 'Weglassen'],
    example: (text: string) => [`Example: ${text}`, `Beispiel: ${text}`],
    newTickets: both`The list has no ticket ids: each row becomes a new ticket of this event.
      Die Liste hat keine Ticket-IDs: Aus jeder Zeile wird ein neues Ticket dieser Veranstaltung.`,
    newReferences: both`The list has no ticket ids: each row with a new reference becomes a ticket of this event.
      Die Liste hat keine Ticket-IDs: Aus jeder Zeile mit neuer Referenz wird ein Ticket dieser Veranstaltung.`,
    existing: both`The list has ticket ids: the tickets are taken over with their ids and uses.
      Die Liste hat Ticket-IDs: Die Tickets werden mit ID und Nutzungen übernommen.`,
    unrecognised: both`Not recognised: assign it, or leave it out where it says nothing about tickets.
      Nicht erkannt: Ordnen Sie die Spalte zu, oder lassen Sie sie weg, wenn sie nichts über Tickets sagt.`,
    kinds: ['Ticket types of the file', 'Ticketarten der Datei'],
    kindChoice: ['Choose …', 'Wählen …'],
    preview: (count: number) => [
      count === 1 ? '1 ticket can be read.' : `${count} tickets can be read.`,
      count === 1 ? '1 Ticket ist lesbar.' : `${count} Tickets sind lesbar.`,
    ],
    ended: (ended: number, count: number) => [
      ended === count
        ? 'All of them ended before now: gates refuse them.'
        : `${ended} of them ended before now: gates refuse these.`,
      ended === count
        ? 'Alle sind schon abgelaufen: Jedes Tor weist sie ab.'
        : `${ended} davon sind schon abgelaufen: Jedes Tor weist diese ab.`,
    ],
    unreadable: both`This file cannot be imported like this
      So lässt sich die Datei nicht importieren`,
    importGood: (good: number, bad: number) => [
      `Import the ${good === 1 ? 'good row' : `${good} good rows`}, save the ${bad === 1 ? 'other' : `${bad} others`} as a list`,
      `${good === 1 ? 'Die gute Zeile' : `Die ${good} guten Zeilen`} importieren, ${bad === 1 ? 'die andere' : `die ${bad} anderen`} als Liste sichern`,
    ],
    savedOthers: (bad: number) => [
      bad === 1
        ? '1 row was left out and saved as a list.'
        : `${bad} rows were left out and saved as a list.`,
      bad === 1
        ? '1 Zeile wurde weggelassen und als Liste gesichert.'
        : `${bad} Zeilen wurden weggelassen und als Liste gesichert.`,
    ],
    skipExisting: ['Skip existing tickets', 'Vorhandene Tickets überspringen'],
    skipped: (count: number) => both`${count} existing tickets were skipped.
      ${count} vorhandene Tickets wurden übersprungen.`,
    uniqueReference: ['Skip known references', 'Bekannte Referenzen überspringen'],
    uniqueReferenceHelp: both`A list that grows can be imported again: only rows with a new reference become tickets. Each row needs a reference of its own.
      Eine Liste, die wächst, lässt sich so noch einmal importieren: Nur Zeilen mit neuer Referenz werden Tickets. Jede Zeile braucht eine eigene Referenz.`,
    knownBefore: (known: number, count: number) => [
      known === count
        ? 'Their references are all known: nothing is imported.'
        : `${known} of them will be skipped: ${known === 1 ? 'the reference is' : 'the references are'} known.`,
      known === count
        ? 'Alle Referenzen sind bekannt: Es wird nichts importiert.'
        : `${known} davon ${known === 1 ? 'wird übersprungen: Die Referenz ist' : 'werden übersprungen: Die Referenzen sind'} bekannt.`,
    ],
    known: (count: number) => [
      count === 1
        ? '1 row was skipped: its reference is known.'
        : `${count} rows were skipped: their references are known.`,
      count === 1
        ? '1 Zeile wurde übersprungen: Ihre Referenz ist bekannt.'
        : `${count} Zeilen wurden übersprungen: Ihre Referenzen sind bekannt.`,
    ],
    shop: ['Shop', 'Shop'],
    noShop: ['Another list', 'Eine andere Liste'],
    seemsOf: (shop: string) => [
      `This seems to be a list of ${shop}.`,
      `Das scheint eine Liste von ${shop} zu sein.`,
    ],
    readAsOf: (shop: string) => [`Read it as ${shop}`, `Als ${shop} lesen`],
    cancelledRows: (count: number) => [
      count === 1
        ? '1 row is cancelled in the list: it becomes no ticket.'
        : `${count} rows are cancelled in the list: they become no tickets.`,
      count === 1
        ? '1 Zeile ist in der Liste storniert: Sie wird kein Ticket.'
        : `${count} Zeilen sind in der Liste storniert: Sie werden keine Tickets.`,
    ],
    shopHelp: both`What its columns and values mean is known. Columns that you assign below count first.
      Was die Spalten und Werte bedeuten, ist bekannt. Was Sie unten zuordnen, geht vor.`,
    update: ['Take over changes', 'Änderungen übernehmen'],
    updateHelp: both`Tickets with a known reference get the name and validity of the list, and are cancelled where it says so. An empty cell changes nothing. No ticket is reinstated. You see the changes first.
      Tickets mit bekannter Referenz erhalten Name und Gültigkeit der Liste und werden storniert, wo sie es sagt. Eine leere Zelle ändert nichts. Keine Stornierung wird aufgehoben. Sie sehen die Änderungen vorher.`,
    cancelledColumn: ['Says what was cancelled', 'Sagt, was storniert ist'],
    cancelledWords: ['Values that mean cancelled', 'Werte, die storniert bedeuten'],
    cancelledWordsHelp: ['Separated by commas.', 'Durch Kommas getrennt.'],
    plan: (made: number, changed: number, cancelled: number, unchanged: number) => [
      `New: ${made}. To change: ${changed}. To cancel: ${cancelled}. As they are: ${unchanged}.`,
      `Neu: ${made}. Zu ändern: ${changed}. Zu stornieren: ${cancelled}. Unverändert: ${unchanged}.`,
    ],
    isCancelled: ['will be cancelled', 'wird storniert'],
    moreChanges: (count: number) => [`… and ${count} more`, `… und ${count} weitere`],
    stayCancelled: (count: number) => [
      count === 1
        ? '1 ticket is cancelled here and stays so, although the list has it.'
        : `${count} tickets are cancelled here and stay so, although the list has them.`,
      count === 1
        ? '1 Ticket ist hier storniert und bleibt es, obwohl die Liste es führt.'
        : `${count} Tickets sind hier storniert und bleiben es, obwohl die Liste sie führt.`,
    ],
    elsewhere: (count: number) => [
      count === 1
        ? '1 reference is of another event or an erased guest: nothing is made or changed for it.'
        : `${count} references are of other events or erased guests: nothing is made or changed for them.`,
      count === 1
        ? '1 Referenz gehört zu einer anderen Veranstaltung oder einem gelöschten Gast: Dafür geschieht nichts.'
        : `${count} Referenzen gehören zu anderen Veranstaltungen oder gelöschten Gästen: Dafür geschieht nichts.`,
    ],
    differing: (count: number) => [
      `${count === 1 ? '1 ticket differs' : `${count} tickets differ`} in note, attention, type or uses, which a list does not change.`,
      `${count === 1 ? '1 Ticket weicht' : `${count} Tickets weichen`} in Notiz, Achtung, Art oder Nutzungen ab, was eine Liste nicht ändert.`,
    ],
    otherNumber: (reference: string, listed: number, here: number) => [
      `${reference} (list ${listed}, here ${here})`,
      `${reference} (Liste ${listed}, hier ${here})`,
    ],
    otherNumbers: (count: number, named: string) => [
      count === 1
        ? `1 reference has another number of tickets than the list: ${named}. Nothing is changed for it: make or cancel these tickets by hand.`
        : `${count} references have another number of tickets than the list: ${named}. Nothing is changed for them: make or cancel these tickets by hand.`,
      count === 1
        ? `1 Referenz hat eine andere Anzahl von Tickets als die Liste: ${named}. Dafür geschieht nichts: Legen Sie diese Tickets von Hand an oder stornieren Sie sie.`
        : `${count} Referenzen haben eine andere Anzahl von Tickets als die Liste: ${named}. Dafür geschieht nichts: Legen Sie diese Tickets von Hand an oder stornieren Sie sie.`,
    ],
    countAsValid: (heading: string, values: string) => [
      `Rows that count as valid by ${heading}: ${values}.`,
      `Zeilen, die nach ${heading} als gültig zählen: ${values}.`,
    ],
    noRowHas: (heading: string, values: string) => [
      `No row has ${values} in the column ${heading}.`,
      `In der Spalte ${heading} steht in keiner Zeile ${values}.`,
    ],
    updated: (changed: number, cancelled: number) => [
      `Changed: ${changed}. Cancelled: ${cancelled}.`,
      `Geändert: ${changed}. Storniert: ${cancelled}.`,
    ],
    columns: {
      name: ['Whole name', 'Ganzer Name'],
      eventName: ['Name of the event', 'Name der Veranstaltung'],
      ticketId: MEMBERS.id.label,
      code: ['Ticket code', 'Ticketcode'],
      usesConsumed: MEMBERS.usesConsumed.label,
      createdAt: MEMBERS.createdAt.label,
      lastConsumedAt: MEMBERS.lastConsumedAt.label,
      cancelledAt: MEMBERS.cancelledAt.label,
    },
  },
} as const satisfies Table;
