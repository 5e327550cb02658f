import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useMay } from '../../api/session.tsx';
import type { Page, Ticket } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { DataTable } from '../../components/data-table.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { Answered } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { BulkActions } from './bulk-actions.tsx';
import { ManyActions } from './many-actions.tsx';
import { useTicketColumns } from './ticket-columns.tsx';
import { type TicketFilter, TicketFilterFields } from './ticket-filter.tsx';
import { TicketTools } from './ticket-tools.tsx';

const TICKETS_PER_PAGE = 50;

/** Tickets: search, create, cancel and reinstate, import and export. */
export function TicketsPage() {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [address] = useSearchParams();
  const [filter, setFilter] = useState<TicketFilter>({
    event: address.get('event') ?? '',
    batch: address.get('batch') ?? '',
    search: address.get('search') ?? '',
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const pages = usePages<Ticket, Page<Ticket>>(
    '/tickets',
    { ...filter, limit: TICKETS_PER_PAGE },
    'after',
  );
  const rows = pages.data?.items ?? [];
  const columns = useTicketColumns(rows, operator ? { selected, setSelected } : undefined);
  const filtered = Object.values(filter).some((value) => value);
  const emptyText = operator ? tickets.emptyAtAll : tickets.emptyForViewers;
  // One answer examines a limited number of tickets: an empty page need not be the last.
  const none = pages.older ? tickets.emptySoFar : filtered ? tickets.empty : emptyText;
  return (
    <>
      <PageHead title={tickets.title}>
        <TicketTools filter={filter} />
      </PageHead>
      <TicketFilterFields filter={filter} onChange={setFilter} />
      {operator && <ManyActions filter={filter} />}
      <BulkActions selected={selected} onDone={() => setSelected(new Set())} />
      <Answered asked={pages}>
        {({ items }) => (
          <DataTable
            empty={none}
            label={tickets.title}
            columns={columns}
            rows={items}
            keyOf={({ ticketId }) => ticketId}
          />
        )}
      </Answered>
      <Pager pages={pages} />
    </>
  );
}
