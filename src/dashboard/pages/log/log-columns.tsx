import { useMemo } from 'react';
import { Link } from 'wouter';
import { useGateName } from '../../api/lists.ts';
import type { LogEntry } from '../../api/types.ts';
import { OutcomeBadge } from '../../components/badges.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** The columns of a list of scans; the same ones as long as names and language are the same. */
export function useLogColumns({ withTicket }: { withTicket: boolean }): Column<LogEntry>[] {
  const { log } = useTexts();
  const keyName = useGateName();
  return useMemo(() => columnsOf(log, keyName, withTicket), [log, keyName, withTicket]);
}

/** With the direction, where the key says one. */
function OutcomeCell({ entry }: { entry: LogEntry }) {
  const { log } = useTexts();
  const { direction } = entry;
  return (
    <>
      <OutcomeBadge scan={entry} />
      {direction && <span className="dimmed"> {log.directions[direction]}</span>}
    </>
  );
}

function columnsOf(
  log: ReturnType<typeof useTexts>['log'],
  keyName: (id: string) => string,
  withTicket: boolean,
): Column<LogEntry>[] {
  const ticket: Column<LogEntry> = {
    title: log.ticket,
    cell: ({ ticketId, excerpt }) =>
      ticketId ? (
        <Link href={`/tickets/${ticketId}`} className="mono">
          {ticketId}
        </Link>
      ) : (
        <span className="mono dimmed">{excerpt ?? '–'}</span>
      ),
  };
  return [
    { title: log.time, cell: ({ at }) => <TimeText at={at} /> },
    {
      title: log.outcome,
      cell: (entry) => (
        <>
          <OutcomeCell entry={entry} />
          {entry.undo && (
            <div className="dimmed break">
              {log.undoNote(entry.sequence, entry.undo.sequence, entry.undo.by, entry.undo.reason)}
            </div>
          )}
          {entry.undoneBy !== undefined && (
            <div className="dimmed">{log.undoneBy(entry.sequence, entry.undoneBy)}</div>
          )}
        </>
      ),
    },
    ...(withTicket ? [ticket] : []),
    { title: log.action, cell: ({ operation }) => log[operation] },
    { title: log.key, cell: ({ keyId }) => <Name>{keyName(keyId)}</Name> },
    {
      title: log.gate,
      cell: ({ serial, reader }) =>
        serial ? <Name>{reader ? `${serial} / ${reader}` : serial}</Name> : '–',
    },
  ];
}
