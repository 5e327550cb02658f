import { CLOSING_WORDS, OTHER_FIGURE_WORDS } from '../../core/scan-words.ts';
import type { Table } from './both-languages.ts';
import { both } from './both-languages.ts';

/** The closing of days. */
export const closingTexts = {
  closing: {
    title: ['Closing', 'Abschluss'],
    of: (period: string) => [`Closing: ${period}`, `Abschluss: ${period}`],
    allEvents: ['All events', 'Alle Veranstaltungen'],
    beside: (
      period: string,
    ) => both`Side by side with ${period}. Below each figure: the other one and the difference.
      Daneben: ${period}. Unter jeder Zahl: die andere und der Unterschied.`,
    untilNow: (time: string) => [`until now, ${time}`, `bis jetzt, ${time}`],
    printed: (time: string) => [`Printed ${time}`, `Gedruckt ${time}`],
    print: ['Print', 'Drucken'],
    span: ['Period', 'Zeitraum'],
    spans: { day: ['Day', 'Tag'], week: ['Week', 'Woche'], month: ['Month', 'Monat'] },
    date: {
      day: ['Day', 'Tag'],
      week: ['Day of the week', 'Tag der Woche'],
      month: ['Day of the month', 'Tag des Monats'],
    },
    compare: ['Side by side', 'Daneben'],
    others: {
      none: ['Nothing', 'Nichts'],
      before: ['The one before', 'Davor'],
      weekBefore: ['A week before', 'Eine Woche davor'],
      yearBefore: ['A year before', 'Ein Jahr davor'],
      own: ['Another day', 'Ein anderer Tag'],
      same: ['Another event', 'Eine andere Veranstaltung'],
    },
    otherDate: ['Other day', 'Anderer Tag'],
    otherEvent: ['Other event', 'Andere Veranstaltung'],
    sameEvent: ['The same', 'Dieselbe'],
    figures: CLOSING_WORDS,
    most: OTHER_FIGURE_WORDS.mostInside,
    mostAt: (people: string, time: string) => [`${people} at ${time}`, `${people} um ${time}`],
    inAll: ['In all', 'Insgesamt'],
    byDay: ['By day', 'Nach Tag'],
    byEvent: ['By event', 'Nach Veranstaltung'],
    byGate: ['By gate', 'Nach Tor'],
    byType: ['By ticket type', 'Nach Ticketart'],
    byHour: ['By hour', 'Nach Stunde'],
    reason: ['Why denied', 'Warum abgewiesen'],
    deniedBecause: (reasons: string) => [`Denied: ${reasons}`, `Abgewiesen: ${reasons}`],
    count: ['Scans', 'Scans'],
    empty: ['No scans in this period.', 'Keine Scans in diesem Zeitraum.'],
    notes: (
      zone: string,
      since: string,
    ) => both`Days and hours of the time zone ${zone}. Taken back uses stay in “Admitted”. “Denied” has neither what “Only check” refused, or “Ask first” before “Let in”, nor who was not counted at a way out. “Most inside” is the number of people at the end of a quarter of an hour, counted since ${since}, at events that somebody was counted out of. The numbers stay when the scan log is pruned.
      Tage und Stunden der Zeitzone ${zone}. Zurückgegebene Nutzungen bleiben in „Eingelassen“. In „Abgewiesen“ ist weder, was „Nur prüfen“ ablehnte oder „Erst fragen“ vor „Einlassen“, noch wer am Ausgang nicht gezählt wurde. „Meiste drinnen“ sind die Personen am Ende einer Viertelstunde, gezählt seit ${since}, bei Veranstaltungen, aus denen jemand hinausgezählt wurde. Die Zahlen bleiben, wenn das Scan-Protokoll gekürzt wird.`,
    sinceReset: ['the last reset by hand', 'dem letzten Zurücksetzen von Hand'],
  },
} as const satisfies Table;
