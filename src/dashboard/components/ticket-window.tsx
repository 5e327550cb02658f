import type { Ticket } from '../api/types.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';
import { TimeText } from './time-text.tsx';

/** From when until when a ticket is valid, as entries of a description list. */
export function TicketWindow({ ticket }: { ticket: Ticket }) {
  const { tickets } = useTexts();
  return (
    <>
      <dt>{tickets.validFrom}</dt>
      <dd>
        <TimeText at={ticket.validFrom} otherwise={tickets.always} />
      </dd>
      <dt>{tickets.validUntil}</dt>
      <dd>
        <TimeText at={ticket.validUntil} otherwise={tickets.always} />
      </dd>
    </>
  );
}

/** The same in a few words. */
export function ShortWindow({ ticket: { validFrom, validUntil } }: { ticket: Ticket }) {
  const { tickets } = useTexts();
  const { date, exact, span } = useFormats();
  if (validFrom === null && validUntil === null) return tickets.always;
  const text =
    validFrom === null
      ? tickets.until(date(validUntil ?? ''))
      : validUntil === null
        ? tickets.from(date(validFrom))
        : span(validFrom, validUntil);
  const title = [validFrom, validUntil].map((at) => (at === null ? '…' : exact(at))).join(' – ');
  return <span title={title}>{text}</span>;
}

/** The end of its window that a ticket was denied for; undefined for other reasons. */
export function passedBound(
  reason: string,
  { validFrom, validUntil }: Partial<Pick<Ticket, 'validFrom' | 'validUntil'>>,
): string | undefined {
  const bound = { not_yet_valid: validFrom, expired: validUntil }[reason];
  return bound ?? undefined;
}
