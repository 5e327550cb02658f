import { Link } from 'wouter';
import { isNearItsEnd } from '../../core/limits.ts';
import { useTicket } from '../api/lists.ts';
import type { Ticket } from '../api/types.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';
import { Name, TimeText } from './values.tsx';

const ID_END = 5;

interface TicketNameProps {
  readonly id: string;
  /** Undefined while it is asked for, null where it is gone. */
  readonly ticket: Pick<Ticket, 'holder' | 'kind'> | null | undefined;
}

/** Who a ticket is for; without a holder what it is, and the end of its id. The whole id is on its page. */
export function TicketName({ id, ticket }: TicketNameProps) {
  const { tickets } = useTexts();
  const holder = holderOf(ticket);
  return (
    <Link href={`/tickets/${id}`} title={id} className="ticket-name">
      {holder === '' ? (
        <>
          {ticket && <span>{tickets[ticket.kind]}</span>}{' '}
          <span className="mono">{id.slice(-ID_END)}</span>
        </>
      ) : (
        <Name>{holder}</Name>
      )}
    </Link>
  );
}

/** The name on a ticket; empty for none. */
export function holderOf(ticket: Pick<Ticket, 'holder'> | null | undefined): string {
  const { firstName = '', lastName = '' } = ticket?.holder ?? {};
  return `${firstName} ${lastName}`.trim();
}

interface ScannedTicketProps {
  readonly ticketId: string | null;
  /** The beginning of what was read where it is no ticket. */
  readonly excerpt: string | null;
}

/** The ticket of a scan. */
export function ScannedTicket({ ticketId, excerpt }: ScannedTicketProps) {
  const ticket = useTicket(ticketId);
  if (ticketId !== null) return <TicketName id={ticketId} ticket={ticket} />;
  return <span className="mono dimmed excerpt">{excerpt ?? '–'}</span>;
}

/** How many uses a ticket has left: of a permanent card only near its end, where its number begins to matter. */
export function useLeft(): (ticket: Ticket) => string {
  const { tickets } = useTexts();
  const formats = useFormats();
  return (ticket) => {
    if (ticket.kind === 'permanent' && !isNearItsEnd(ticket)) return tickets.unlimited;
    return tickets.left(formats.number(ticket.usesRemaining), formats.number(ticket.usesAllowed));
  };
}

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
