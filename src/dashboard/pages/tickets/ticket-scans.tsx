import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/session.tsx';
import type { LogEntry } from '../../api/types.ts';
import { useTexts } from '../../i18n/language.tsx';
import { LogHistory } from '../log/log-history.tsx';
import { UndoUse } from './undo-use.tsx';

/** Every scan of one ticket, newest first; an operator takes a use back that was a mistake. */
export function TicketScans({ ticketId }: { ticketId: string }) {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [undoing, setUndoing] = useState<LogEntry>();
  const actions = {
    title: tickets.undo,
    cell: (entry: LogEntry) =>
      canBeUndone(entry) && (
        <Button size="compact-xs" variant="default" onClick={() => setUndoing(entry)}>
          {tickets.undo}
        </Button>
      ),
  };
  return (
    <section>
      <h2>{tickets.history}</h2>
      <LogHistory
        conditions={{ ticket: ticketId }}
        label={tickets.history}
        empty={tickets.noHistory}
        withTicket={false}
        {...(operator && { actions })}
      />
      {undoing && <UndoUse entry={undoing} onClose={() => setUndoing(undefined)} />}
    </section>
  );
}

function canBeUndone({ outcome, replayed, undoneBy }: LogEntry): boolean {
  return outcome === 'consumed' && !replayed && undoneBy === undefined;
}
