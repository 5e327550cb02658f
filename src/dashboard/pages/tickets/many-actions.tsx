import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import type { ManyDone } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';
import type { TicketFilter } from './ticket-filter.tsx';

type ManyAct = 'cancel' | 'delete';

/** Cancels or deletes all tickets of the event or the batch that is shown. */
export function ManyActions({ filter }: { filter: TicketFilter }) {
  const { tickets } = useTexts();
  const [asking, setAsking] = useState<ManyAct>();
  const selected = selectionOf(filter);
  if (!selected) return null;
  return (
    <div className="bulk">
      <Button size="xs" color="red" variant="light" onClick={() => setAsking('cancel')}>
        {tickets.manyCancel}
      </Button>
      <Button size="xs" color="red" variant="subtle" onClick={() => setAsking('delete')}>
        {tickets.manyDelete}
      </Button>
      {asking && (
        <ChangeMany act={asking} selected={selected} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

/** All of an event or of a batch, and nothing else that the filter says: what is shown is what changes. */
function selectionOf({ event, batch, state, search }: TicketFilter): object | undefined {
  if (state || search) return undefined;
  if (batch && !event) return { batch };
  return event && !batch ? { event } : undefined;
}

interface ChangeManyProps {
  readonly act: ManyAct;
  readonly selected: object;
  readonly onClose: () => void;
}

/** Asks, then goes on step by step until the server says that all are done. */
function ChangeMany({ act, selected, onClose }: ChangeManyProps) {
  const { tickets, general } = useTexts();
  const step = useChange<ManyDone>('tickets', 'events');
  const [running, setRunning] = useState(false);
  const [done, setDone] = useState<{ changed: number; kept: number }>();
  const run = async () => {
    setRunning(true);
    const sum = { changed: 0, kept: 0 };
    try {
      let after: string | null = null;
      do {
        const body: object = { ...selected, after };
        const one: ManyDone = await step.mutateAsync({
          method: 'POST',
          path: `/tickets/${act}`,
          body,
        });
        sum.changed += one.changed;
        sum.kept += one.kept;
        after = one.next;
      } while (after !== null);
      setDone(sum);
    } catch {
      // The form shows why: the change holds the error.
    } finally {
      setRunning(false);
    }
  };
  const isCancel = act === 'cancel';
  return (
    <FormModal
      danger={!done}
      title={isCancel ? tickets.manyCancel : tickets.manyDelete}
      submit={done ? general.close : isCancel ? tickets.manyCancel : tickets.manyDelete}
      change={{ isPending: running, error: step.error }}
      onClose={onClose}
      onSubmit={() => (done ? onClose() : void run())}
    >
      {done ? (
        <Alert color="green" role="status">
          {tickets.manyDone(done.changed, done.kept)}
        </Alert>
      ) : (
        <p className="break">{isCancel ? tickets.manyCancelText : tickets.manyDeleteText}</p>
      )}
    </FormModal>
  );
}
