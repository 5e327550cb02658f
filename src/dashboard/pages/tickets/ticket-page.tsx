import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { isNearItsEnd } from '../../../core/limits.ts';
import { useNameOf } from '../../api/lists.ts';
import type { TicketWithCode } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { TicketBadge } from '../../components/badges.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { QrPicture } from '../../components/qr-picture.tsx';
import { Answered } from '../../components/states.tsx';
import { TicketWindow } from '../../components/ticket-window.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { TicketActions } from './ticket-actions.tsx';
import { TicketScans } from './ticket-scans.tsx';

const REFRESH_MS = 5000;

/** One ticket: its code, its state, its whole history, and what can be done with it. */
export function TicketPage({ id }: { id: string }) {
  const { tickets } = useTexts();
  const ticket = useRead<TicketWithCode>(`/tickets/${encodeURIComponent(id)}`, {
    everyMs: REFRESH_MS,
  });
  return (
    <>
      <Link href="/tickets">← {tickets.back}</Link>
      <PageHead title={tickets.ticket}>
        {ticket.data && <TicketActions ticket={ticket.data} />}
      </PageHead>
      <Answered asked={ticket}>
        {(found) => (
          <>
            {isNearItsEnd(found) && <NearItsEnd left={found.usesRemaining} />}
            <div className="ticket panel">
              <QrPicture text={found.code} label={tickets.qr} />
              <div>
                <TicketFacts ticket={found} />
                <CopyField label={tickets.code} value={found.code} />
              </div>
            </div>
            <TicketScans ticketId={found.ticketId} />
          </>
        )}
      </Answered>
    </>
  );
}

function NearItsEnd({ left }: { readonly left: number }) {
  const { tickets } = useTexts();
  const formats = useFormats();
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
      {tickets.nearItsEnd(formats.number(left))}
    </Alert>
  );
}

function TicketFacts({ ticket }: { ticket: TicketWithCode }) {
  const { tickets, general } = useTexts();
  const eventName = useNameOf('events');
  const { ticketId, state, holder } = ticket;
  return (
    <dl className="facts">
      <dt>{tickets.ticket}</dt>
      <dd className="mono">{ticketId}</dd>
      <dt>{general.state}</dt>
      <dd>
        <TicketBadge state={state} />
      </dd>
      <dt>{tickets.event}</dt>
      <dd>
        <Name>{eventName(ticket.event)}</Name>
      </dd>
      <dt>{tickets.type}</dt>
      <dd>{tickets[ticket.kind]}</dd>
      <dt>{tickets.uses}</dt>
      <dd>{tickets.usesOf(ticket.usesConsumed, ticket.usesAllowed)}</dd>
      <dt>{tickets.holder}</dt>
      <dd>{holder ? <Name>{`${holder.firstName} ${holder.lastName}`.trim()}</Name> : '–'}</dd>
      <TicketWindow ticket={ticket} />
      <dt>{tickets.batch}</dt>
      <dd>
        {ticket.batch ? (
          <Link href={`/tickets?batch=${ticket.batch}`} className="mono">
            {ticket.batch}
          </Link>
        ) : (
          tickets.noBatch
        )}
      </dd>
    </dl>
  );
}
