import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { isNearItsEnd } from '../../core/limits.ts';
import type { LogEntry, Ticket } from '../api/http.ts';
import { useTicket } from '../api/lists.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { endOfId, holderOf, Name, StateBadge } from './values.tsx';

/** Facts about one thing by their titles. What is undefined is left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="facts">
      {Object.entries(facts)
        .filter(([, fact]) => fact !== undefined)
        .map(([title, fact]) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** What a scan of the ticket would say; one that begins later is refused now, and yet nothing is wrong with it. */
export function TicketBadge({ state }: Pick<Ticket, 'state'>) {
  const { states } = useDeskTexts().tickets;
  const good = state === 'not_yet_valid' ? undefined : state === 'valid';
  return <StateBadge text={states[state]} good={good} />;
}

/** The outcome of a scan, with the reason of a rejection; of an exit that opens for everybody, that somebody was let out. */
export function OutcomeBadge({ scan }: { scan: Pick<LogEntry, 'outcome' | 'reason' | 'done'> }) {
  const { outcomes, log } = useDeskTexts();
  const { outcome, reason, done } = scan;
  if (done === 'opened') return <StateBadge good text={log.opened} />;
  const known = outcomes as Record<string, string>;
  const admitted = outcome === 'consumed' || outcome === 'validated';
  const good = outcome === 'undone' ? undefined : admitted;
  return <StateBadge good={good} text={known[reason ?? outcome] ?? reason ?? outcome} />;
}

interface TicketNameProps {
  readonly id: string;
  /** Undefined while it is asked for. */
  readonly ticket: Pick<Ticket, 'holder' | 'kind'> | undefined;
}

/** Who a ticket is for; without a holder what it is, and the end of its id. The whole id is on its page. */
export function TicketName({ id, ticket }: TicketNameProps) {
  const { tickets } = useDeskTexts();
  const holder = holderOf(ticket);
  return (
    <Link href={`/tickets/${id}`} title={id} className="ticket-name">
      {holder === '' ? (
        <>
          {ticket && <span>{tickets[ticket.kind]}</span>}{' '}
          <span className="mono">{endOfId(id)}</span>
        </>
      ) : (
        <Name>{holder}</Name>
      )}
    </Link>
  );
}

/** What of a scan says whose ticket it was. */
interface ScannedEntry extends Pick<LogEntry, 'ticketId' | 'excerpt'> {
  /** The live view says it; null for none that may be named. Elsewhere it is asked for. */
  readonly ticket?: Pick<Ticket, 'holder' | 'kind'> | null;
}

/** The ticket of a scan; the end of its id where there is no such ticket, the beginning of what was read where it is no id. */
export function ScannedTicket({ scan }: { scan: ScannedEntry }) {
  const { ticketId, excerpt } = scan;
  const asked = useTicket(scan.ticket === undefined ? ticketId : null);
  const ticket = scan.ticket === undefined ? asked : scan.ticket;
  if (ticketId !== null && ticket !== null) return <TicketName id={ticketId} ticket={ticket} />;
  const text = ticketId === null ? (excerpt ?? '–') : endOfId(ticketId);
  return (
    <span className="mono dimmed excerpt" title={ticketId ?? undefined}>
      {text}
    </span>
  );
}

/** How many uses a ticket has left: of a permanent card only near its end, where its number begins to matter. */
export function useLeft(): (ticket: Ticket) => string {
  const { tickets } = useDeskTexts();
  const formats = useFormats();
  return (ticket) => {
    if (ticket.kind === 'permanent' && !isNearItsEnd(ticket)) return tickets.unlimited;
    if (ticket.usesRemaining === 0) return tickets.allUsed(formats.number(ticket.usesAllowed));
    return tickets.left(formats.number(ticket.usesRemaining), formats.number(ticket.usesAllowed));
  };
}

/** The beginning and the end of a ticket's validity, in a few words. */
export function ShortWindow({ ticket: { validFrom, validUntil } }: { ticket: Ticket }) {
  const { tickets } = useDeskTexts();
  const { date, exact, span } = useFormats();
  if (validFrom === null && validUntil === null) return tickets.unlimited;
  const text =
    validFrom === null
      ? tickets.until(date(validUntil ?? ''))
      : validUntil === null
        ? tickets.from(date(validFrom))
        : span(validFrom, validUntil);
  const title = [validFrom, validUntil].map((at) => (at === null ? '…' : exact(at))).join(' – ');
  return <span title={title}>{text}</span>;
}
