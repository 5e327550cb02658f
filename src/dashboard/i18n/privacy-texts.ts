import { both, type Table } from './both-languages.ts';

/** The report for a guest of what is stored. */
export const privacyTexts = {
  privacy: {
    about: (event: string) => both`What is stored about the guest of a ticket for ${event}:
      Was über den Gast eines Tickets für ${event} gespeichert ist:`,
    madeAt: ['As of', 'Auskunft vom'],
    guest: ['About the guest', 'Über den Gast'],
    nothing: ['Nothing.', 'Nichts.'],
    since: ['Stored since', 'Gespeichert seit'],
    until: ['Stored until', 'Gespeichert bis'],
    untilErased: ['somebody erases it', 'zum Löschen von Hand'],
    changes: ['Changes', 'Änderungen'],
    held: ['The ticket had this name', 'Das Ticket hatte diesen Namen'],
    heldFrom: (from: string, until: string | null) => [
      until === null ? `since ${from}` : `from ${from} until ${until}`,
      until === null ? `seit ${from}` : `von ${from} bis ${until}`,
    ],
    changed: (what: string, from: string, to: string) => both`${what} changed: from ${from} to ${to}
      ${what} geändert: von ${from} zu ${to}`,
    otherName: ['the name of another guest', 'dem Namen eines anderen Gastes'],
    otherText: [
      'what was written for another guest',
      'dem, was für einen anderen Gast notiert war',
    ],
    wayOut: ['Way out', 'Ausgang'],
    byHand: ['by hand', 'von Hand'],
    repeated: ['the same answer once more', 'dieselbe Antwort noch einmal'],
    takenBack: (at: string) => [`taken back on ${at}`, `zurückgegeben am ${at}`],
    takesBack: (at: string, reason: string) => both`The use of ${at} was taken back: ${reason}
      Die Nutzung vom ${at} wurde zurückgegeben: ${reason}`,
    earlierUse: ['an earlier time', 'einem früheren Zeitpunkt'],
    lookFirst: [
      'Look whether the ticket is the guest’s before you hand this out. Names that it had earlier are left out: “ticketscan privacy report --name” tells about those.',
      'Prüfen Sie vor der Weitergabe, ob das Ticket diesem Gast gehört. Frühere Namen des Tickets fehlen hier: Über sie gibt „ticketscan privacy report --name“ Auskunft.',
    ],
    besides: both`Besides, answers that are kept for repeated requests have the name for up to 24 hours, and backups, exported lists and printed tickets have what they had when they were made.
      Außerdem steht der Name bis zu 24 Stunden in Antworten, die für wiederholte Anfragen aufbewahrt werden, und in Sicherungen, exportierten Listen und gedruckten Tickets steht, was bei ihrer Erstellung galt.`,
    save: ['Save as JSON', 'Als JSON speichern'],
    print: ['Print', 'Drucken'],
  },
} as const satisfies Table;
