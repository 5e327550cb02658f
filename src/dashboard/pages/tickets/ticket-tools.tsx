import { Button } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../api/session.tsx';
import type { TicketWithCode } from '../../api/types.ts';
import { ExportLinks } from '../../components/export-links.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { CreateTickets } from './create-tickets.tsx';
import { CreatedTickets } from './created-tickets.tsx';
import { ImportTickets } from './import-tickets.tsx';
import type { TicketFilter } from './ticket-filter.tsx';

/** Create, import, export. */
export function TicketTools({ filter }: { filter: TicketFilter }) {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [open, setOpen] = useState<'create' | 'import'>();
  const [created, setCreated] = useState<readonly TicketWithCode[]>();
  const close = () => setOpen(undefined);
  const show = (items: readonly TicketWithCode[]) => {
    close();
    setCreated(items);
  };
  return (
    <>
      <ExportLinks
        path="/tickets/export"
        filter={{ event: filter.event, state: filter.state }}
        texts={tickets}
      />
      {operator && (
        <>
          <Button
            variant="default"
            leftSection={<IconUpload size={18} aria-hidden />}
            onClick={() => setOpen('import')}
          >
            {tickets.import}
          </Button>
          <Button
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setOpen('create')}
          >
            {tickets.create}
          </Button>
        </>
      )}
      {open === 'import' && <ImportTickets onClose={close} onCreated={show} />}
      {open === 'create' && (
        <CreateTickets eventId={filter.event} onClose={close} onCreated={show} />
      )}
      {created && <CreatedTickets tickets={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}
