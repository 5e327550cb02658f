import type { SheetLanguage } from '../../core/records.ts';
import type { HandedOutTicket, Holder, ValidityWindow } from '../../core/ticket.ts';
import { kindOf } from '../../core/ticket.ts';

/** A ticket as it is handed out, with what a sheet says besides. */
export interface PrintedTicket extends HandedOutTicket {
  readonly eventName: string;
}

interface Words {
  /** The locale for `Intl`. */
  readonly locale: string;
  readonly single: string;
  readonly multi: (uses: number) => string;
  readonly permanent: string;
  readonly from: (time: string) => string;
  readonly until: (time: string) => string;
}

const WORDS: Readonly<Record<SheetLanguage, Words>> = {
  en: {
    locale: 'en-GB',
    single: 'Single ticket',
    multi: (uses) => `Card for ${uses} uses`,
    permanent: 'Permanent card',
    from: (time) => `From ${time}`,
    until: (time) => `Until ${time}`,
  },
  de: {
    locale: 'de-DE',
    single: 'Einzelticket',
    multi: (uses) => `Mehrfachkarte, ${uses} Nutzungen`,
    permanent: 'Dauerkarte',
    from: (time) => `Gültig ab ${time}`,
    until: (time) => `Gültig bis ${time}`,
  },
};

/** First and last name, or an empty text. */
export function holderName(holder: Holder | null): string {
  return holder ? [holder.firstName, holder.lastName].filter((name) => name !== '').join(' ') : '';
}

/** The kind of the ticket in words. */
export function kindInWords(
  ticket: Pick<PrintedTicket, 'ticketType' | 'usesAllowed'>,
  language: SheetLanguage,
): string {
  const kind = kindOf(ticket);
  const words = WORDS[language];
  return kind === 'multi' ? words.multi(ticket.usesAllowed) : words[kind];
}

/** The window of the ticket in words, to the minute in `timeZone`; an empty list if it has no bound. */
export function windowInWords(
  { validFrom, validUntil }: ValidityWindow,
  timeZone: string,
  language: SheetLanguage,
): string[] {
  const words = WORDS[language];
  const format = dateFormat(words.locale, timeZone);
  return [
    ...(validFrom === null ? [] : [words.from(format.format(validFrom))]),
    ...(validUntil === null ? [] : [words.until(format.format(validUntil))]),
  ];
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(locale: string, timeZone: string): Intl.DateTimeFormat {
  const name = `${locale} ${timeZone}`;
  const known = dateFormats.get(name);
  if (known) return known;
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  dateFormats.set(name, format);
  return format;
}

/** The texts that are printed besides those of the tickets, and the language of both. */
export interface SheetContent {
  readonly language: SheetLanguage;
  /** The zone in which the times of the window are printed, for example `Europe/Athens`. */
  readonly timeZone: string;
  /** The lines below the texts of each ticket. */
  readonly lines: readonly string[];
  /** A PNG that `readLogo` accepted, above the texts of each ticket; low labels have no room for it. */
  readonly logo?: Buffer | undefined;
}
