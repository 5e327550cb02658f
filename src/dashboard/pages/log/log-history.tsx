import type { LogEntry } from '../../api/types.ts';
import { useLogPages } from '../../api/use-log-pages.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Pager } from '../../components/pager.tsx';
import { Answered } from '../../components/states.tsx';
import { useLogColumns } from './log-columns.tsx';
import { SearchedBack } from './searched-back.tsx';

interface LogHistoryProps {
  readonly conditions: Record<string, string>;
  readonly label: string;
  /** Said where there are none. */
  readonly empty: string;
  /** Left out where all scans are of one ticket. */
  readonly withTicket: boolean;
  /** What can be done with a scan. */
  readonly actions?: Column<LogEntry>;
}

/** Past scans that meet the conditions, newest first. */
export function LogHistory({ conditions, label, empty, withTicket, actions }: LogHistoryProps) {
  const all = useLogColumns({ withTicket });
  const columns = actions ? [...all, actions] : all;
  const pages = useLogPages(conditions);
  return (
    <>
      <Answered asked={pages}>
        {({ items }) => (
          <DataTable
            empty={empty}
            label={label}
            columns={columns}
            rows={items}
            keyOf={({ sequence }: LogEntry) => sequence}
          />
        )}
      </Answered>
      <SearchedBack pages={pages} />
      <Pager pages={pages} />
    </>
  );
}
