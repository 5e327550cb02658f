import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ADMIN_PATH } from '../../api/base-path.ts';
import { queryOf } from '../../api/http.ts';
import { useMay } from '../../api/session.tsx';
import type { Page, Ticket } from '../../api/types.ts';
import { useChange, useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Failure } from '../../components/states.tsx';
import { pageZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { EditTicket } from './edit-ticket.tsx';
import { EraseHolders } from './erase-holders.tsx';

/** Print; edit, cancel or reinstate; delete what was never used. */
export function TicketActions({ ticket }: { ticket: Ticket }) {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [asking, setAsking] = useState<'cancel' | 'edit'>();
  const close = () => setAsking(undefined);
  const reinstate = useChange('tickets');
  const path = `/tickets/${ticket.ticketId}`;
  return (
    <>
      <Button
        component="a"
        variant="default"
        download
        href={`${ADMIN_PATH}${path}/sheet.pdf${queryOf({ timeZone: pageZone() })}`}
        leftSection={<IconPrinter size={18} aria-hidden />}
      >
        {tickets.print}
      </Button>
      {operator && (
        <Button variant="default" onClick={() => setAsking('edit')}>
          {tickets.edit}
        </Button>
      )}
      <EraseHolders ids={[ticket.ticketId]} isOffered={ticket.holder !== null} />
      {operator && ticket.usesConsumed === 0 && <DeleteTicket ticketId={ticket.ticketId} />}
      {operator && ticket.state === 'cancelled' && (
        <Button
          loading={reinstate.isPending}
          onClick={() => reinstate.mutate({ method: 'POST', path: `${path}/reinstate` })}
        >
          {tickets.reinstate}
        </Button>
      )}
      {operator && ticket.state !== 'cancelled' && (
        <Button color="red" variant="light" onClick={() => setAsking('cancel')}>
          {tickets.cancelTicket}
        </Button>
      )}
      {reinstate.error && <Failure error={reinstate.error} />}
      {asking === 'edit' && <EditTicket ticket={ticket} onClose={close} />}
      {asking === 'cancel' && (
        <Confirm
          title={tickets.cancelTitle}
          submit={tickets.cancelTicket}
          dismiss={tickets.keep}
          act={{ method: 'POST', path: `${path}/cancel` }}
          changes={['tickets']}
          onClose={close}
        >
          {tickets.cancelText}
        </Confirm>
      )}
    </>
  );
}

/** Only a ticket that the scan log does not name can be deleted. */
function DeleteTicket({ ticketId }: { ticketId: string }) {
  const { tickets } = useTexts();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const logged = useRead<Page<unknown>>(`/log?ticket=${ticketId}&limit=1`);
  if (logged.isPlaceholderData || logged.data?.items.length !== 0) return null;
  return (
    <>
      <Button color="red" variant="subtle" onClick={() => setAsking(true)}>
        {tickets.deleteTicket}
      </Button>
      {asking && (
        <Confirm
          title={tickets.deleteTitle}
          submit={tickets.deleteTicket}
          dismiss={tickets.keep}
          act={{ method: 'DELETE', path: `/tickets/${ticketId}` }}
          changes={['tickets', 'events']}
          onClose={() => setAsking(false)}
          onDone={() => navigate('/tickets')}
        >
          {tickets.deleteText}
        </Confirm>
      )}
    </>
  );
}
