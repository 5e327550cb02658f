import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { isNearItsEnd } from '../../core/limits.ts';
import type { LogEntry, Ticket } from '../api/http.ts';
import { useTicket } from '../api/lists.ts';
import { useFormats, useTexts } from '../i18n/language.tsx';

/** A name of any script and length, isolated from the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi className="name">{children}</bdi>;
}

interface TimeTextProps {
  /** ISO 8601; null shows as `otherwise`, "never" if that is not given. */
  readonly at: string | null;
  readonly otherwise?: string;
  /** Seconds matter in the log only. */
  readonly only?: 'seconds' | 'time' | 'date';
}

/** A time in the zone of the page. */
export function TimeText({ at, otherwise, only }: TimeTextProps) {
  const formats = useFormats();
  const { general } = useTexts();
  if (at === null) return <span className="dimmed">{otherwise ?? general.never}</span>;
  return (
    <time dateTime={at} title={formats.exact(at)}>
      {formats[only ?? 'dateTime'](at)}
    </time>
  );
}

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

/** A state in a word and a colour; the word alone says it all. Hundreds stand on one page: no component of the library. */
export function StateBadge({ text, good }: { text: string; good: boolean | undefined }) {
  const tone = good === undefined ? '' : good ? 'good' : 'bad';
  return <span className={`badge ${tone}`}>{text}</span>;
}

/** What a scan of the ticket would say; one that begins later is refused now, and yet nothing is wrong with it. */
export function TicketBadge({ state }: Pick<Ticket, 'state'>) {
  const { states } = useTexts().tickets;
  const good = state === 'not_yet_valid' ? undefined : state === 'valid';
  return <StateBadge text={states[state]} good={good} />;
}

/** The outcome of a scan, with the reason of a rejection; of an exit that opens for everybody, that somebody was let out. */
export function OutcomeBadge({ scan }: { scan: Pick<LogEntry, 'outcome' | 'reason' | 'done'> }) {
  const { outcomes, log } = useTexts();
  const { outcome, reason, done } = scan;
  if (done === 'opened') return <StateBadge good text={log.opened} />;
  const known = outcomes as Record<string, string>;
  const admitted = outcome === 'consumed' || outcome === 'validated';
  const good = outcome === 'undone' ? undefined : admitted;
  return <StateBadge good={good} text={known[reason ?? outcome] ?? reason ?? outcome} />;
}

const ID_END = 5;

/** What tells tickets apart where the whole id has no room. */
export function endOfId(id: string): string {
  return id.slice(-ID_END);
}

interface TicketNameProps {
  readonly id: string;
  /** Undefined while it is asked for. */
  readonly ticket: Pick<Ticket, 'holder' | 'kind'> | undefined;
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
          <span className="mono">{endOfId(id)}</span>
        </>
      ) : (
        <Name>{holder}</Name>
      )}
    </Link>
  );
}

/** The name on a ticket; empty for none. */
export function holderOf(ticket: Partial<Pick<Ticket, 'holder'>> | null | undefined): string {
  const { firstName = '', lastName = '' } = ticket?.holder ?? {};
  return `${firstName} ${lastName}`.trim();
}

/** The ticket of a scan; the end of its id where there is no such ticket, the beginning of what was read where it is no id. */
export function ScannedTicket({ ticketId, excerpt }: Pick<LogEntry, 'ticketId' | 'excerpt'>) {
  const ticket = useTicket(ticketId);
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
  const { tickets } = useTexts();
  const formats = useFormats();
  return (ticket) => {
    if (ticket.kind === 'permanent' && !isNearItsEnd(ticket)) return tickets.unlimited;
    return tickets.left(formats.number(ticket.usesRemaining), formats.number(ticket.usesAllowed));
  };
}

/** The beginning and the end of a ticket's validity, in a few words. */
export function ShortWindow({ ticket: { validFrom, validUntil } }: { ticket: Ticket }) {
  const { tickets } = useTexts();
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
