import type { HandedOutTicket } from '../../core/codecs/handed-out-ticket.ts';
import { type Holder, kindOf, type ValidityWindow } from '../../core/ticket.ts';

/** A ticket as it is handed out, with what a sheet says besides. */
export interface PrintedTicket extends HandedOutTicket {
  readonly eventName: string;
}

/** First and last name, or an empty text. */
export function holderName(holder: Holder | null): string {
  return holder ? [holder.firstName, holder.lastName].filter((name) => name !== '').join(' ') : '';
}

/** What was bought, in words. */
export function kindInWords(ticket: Pick<PrintedTicket, 'ticketType' | 'usesAllowed'>): string {
  switch (kindOf(ticket)) {
    case 'single':
      return 'Single ticket';
    case 'multi':
      return `Card for ${ticket.usesAllowed} uses`;
    case 'permanent':
      return 'Permanent card';
  }
}

/** When it is valid, in words, to the minute in `timeZone`; an empty list when there is no bound. */
export function windowInWords(
  { validFrom, validUntil }: ValidityWindow,
  timeZone: string,
): string[] {
  const format = dateFormat(timeZone);
  return [
    ...(validFrom === null ? [] : [`From ${format.format(validFrom)}`]),
    ...(validUntil === null ? [] : [`Until ${format.format(validUntil)}`]),
  ];
}

const dateFormats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(timeZone: string): Intl.DateTimeFormat {
  const known = dateFormats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone,
  });
  dateFormats.set(timeZone, format);
  return format;
}
