import type { LogEntry } from '../../api/types.ts';
import { type LogPage, useLogPages } from '../../api/use-log-pages.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Pager } from '../../components/pager.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { useLogColumns } from '../log/log-columns.tsx';
import { SearchedBack } from '../log/searched-back.tsx';

/** Every scan of one ticket, newest first. */
export function TicketScans({ ticketId }: { ticketId: string }) {
  const { tickets } = useTexts();
  const columns = useLogColumns({ withTicket: false });
  const pages = useLogPages({ ticket: ticketId });
  return (
    <section>
      <h2>{tickets.history}</h2>
      <Answered<LogPage> asked={{ data: pages.answer, error: pages.error, refetch: pages.retry }}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={tickets.noHistory} />
          ) : (
            <DataTable
              label={tickets.history}
              columns={columns}
              rows={items}
              keyOf={({ sequence }: LogEntry) => sequence}
            />
          )
        }
      </Answered>
      <SearchedBack pages={pages} />
      <Pager pages={pages} />
    </section>
  );
}
