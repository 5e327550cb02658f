import type { LogEntry } from '../../api/types.ts';
import { useLogPages } from '../../api/use-log-pages.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Pager } from '../../components/pager.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { useLogColumns } from './log-columns.tsx';
import { SearchedBack } from './searched-back.tsx';

/** Past scans that meet the conditions, newest first. */
export function LogHistory({ conditions }: { conditions: Record<string, string> }) {
  const { log } = useTexts();
  const columns = useLogColumns({ withTicket: true });
  const pages = useLogPages(conditions);
  return (
    <>
      <Answered asked={{ data: pages.answer, error: pages.error, refetch: pages.retry }}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={log.empty} />
          ) : (
            <DataTable
              label={log.title}
              columns={columns}
              rows={items}
              keyOf={({ sequence }: LogEntry) => sequence}
            />
          )
        }
      </Answered>
      <SearchedBack pages={pages} />
      <Pager pages={pages} />
    </>
  );
}
