import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { ADMIN_API, queryOf } from '../../api/http.ts';
import { useMay } from '../../api/session.tsx';
import type { Ticket } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { Failure } from '../../components/states.tsx';
import { viewersZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** Print; cancel or reinstate. */
export function TicketActions({ ticket }: { ticket: Ticket }) {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [asking, setAsking] = useState(false);
  const change = useChange('tickets');
  const path = `/tickets/${ticket.ticketId}`;
  return (
    <>
      <Button
        component="a"
        variant="default"
        download
        href={`${ADMIN_API}${path}/sheet.pdf${queryOf({ timeZone: viewersZone() })}`}
        leftSection={<IconPrinter size={18} aria-hidden />}
      >
        {tickets.print}
      </Button>
      {operator && ticket.state === 'cancelled' && (
        <Button
          loading={change.isPending}
          onClick={() => change.mutate({ method: 'POST', path: `${path}/reinstate` })}
        >
          {tickets.reinstate}
        </Button>
      )}
      {operator && ticket.state !== 'cancelled' && (
        <Button color="red" variant="light" onClick={() => setAsking(true)}>
          {tickets.cancelTicket}
        </Button>
      )}
      {change.error && !asking && <Failure error={change.error} />}
      {asking && (
        <FormModal
          danger
          title={tickets.cancelTitle}
          submit={tickets.cancelTicket}
          dismiss={tickets.keep}
          pending={change.isPending}
          error={change.error}
          onClose={() => setAsking(false)}
          onSubmit={() =>
            change.mutate(
              { method: 'POST', path: `${path}/cancel` },
              { onSuccess: () => setAsking(false) },
            )
          }
        >
          <p>{tickets.cancelText}</p>
        </FormModal>
      )}
    </>
  );
}
