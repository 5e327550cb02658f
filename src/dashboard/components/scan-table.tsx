import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useGateName } from '../api/lists.ts';
import type { LogEntry, LogPage } from '../api/types.ts';
import { type Pages, usePages } from '../api/use-api.ts';
import { useFormats, useTexts } from '../i18n/language.tsx';
import { type Column, ListTable, Pager, Unfolding } from './data-table.tsx';
import { Name, OutcomeBadge, ScannedTicket, TimeText } from './values.tsx';

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
  const pages = usePages('GET /log', conditions, 'before');
  const keyOf = ({ sequence }: LogEntry) => sequence;
  return (
    <>
      <ListTable asked={pages} empty={empty} label={label} columns={columns} keyOf={keyOf} />
      <SearchedBack pages={pages} />
      <Pager pages={pages} />
    </>
  );
}

/** The columns of a list of scans; the same ones as long as names and language are the same. */
export function useLogColumns({ withTicket }: { withTicket: boolean }): Column<LogEntry>[] {
  const { log } = useTexts();
  const keyName = useGateName();
  return useMemo(() => {
    const ticket: Column<LogEntry> = {
      title: log.ticket,
      cell: ({ ticketId, excerpt }) => <ScannedTicket ticketId={ticketId} excerpt={excerpt} />,
    };
    return [
      { title: log.time, cell: ({ at }) => <TimeText at={at} only="seconds" /> },
      ...(withTicket ? [ticket] : []),
      { title: log.outcome, cell: (entry) => <OutcomeCell entry={entry} /> },
      { title: log.gate, cell: (entry) => <Name>{gateOf(entry, keyName)}</Name> },
      { title: log.note, rest: true, cell: (entry) => <Note entry={entry} /> },
    ];
  }, [log, keyName, withTicket]);
}

/** The device and its reader; the key or account where no device says its serial. */
function gateOf(
  { serial, reader, keyId }: Pick<LogEntry, 'serial' | 'reader' | 'keyId'>,
  keyName: (id: string) => string,
): string {
  if (!serial) return keyName(keyId);
  return reader ? `${serial} / ${reader}` : serial;
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

/** What is special about a scan. */
function Note({ entry }: { entry: LogEntry }) {
  const { log, statistics } = useTexts();
  const { sequence, undo, undoneBy, operation } = entry;
  if (undo)
    return <Unfolding>{log.undoNote(sequence, undo.sequence, undo.by, undo.reason)}</Unfolding>;
  if (undoneBy !== undefined) return <Unfolding>{log.undoneBy(sequence, undoneBy)}</Unfolding>;
  return operation === 'validate' ? <span className="dimmed">{statistics.validations}</span> : null;
}

const SHORT_PAGE = 10;

/** When a filter found little in the part of the log that was looked at: says so, and offers to look further back. */
function SearchedBack({ pages }: { pages: Pages<LogPage> }) {
  const { log } = useTexts();
  const formats = useFormats();
  const { data: answer, older } = pages;
  if (!answer || !older || answer.items.length >= SHORT_PAGE) return null;
  return (
    <div className="searched-back" role="status">
      <span>{log.searchedBackTo(formats.number(answer.searchedBackTo))}</span>
      <Button size="xs" variant="light" onClick={older}>
        {log.searchOn}
      </Button>
    </div>
  );
}

interface SmallScansProps {
  readonly scans: readonly LogEntry[];
  /** Left out where all are of one device. */
  readonly withGate: boolean;
}

/** A few scans, each on a line that leads to its ticket. */
export function SmallScans({ scans, withGate }: SmallScansProps) {
  const keyName = useGateName();
  return (
    <ul className="small-scans">
      {scans.map((scan) => (
        <li key={scan.sequence}>
          <TimeText at={scan.at} only="time" />
          <span>
            <ScannedTicket ticketId={scan.ticketId} excerpt={scan.excerpt} />
          </span>
          <OutcomeBadge scan={scan} />
          {withGate && <Name>{gateOf(scan, keyName)}</Name>}
        </li>
      ))}
    </ul>
  );
}
