import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Call } from '../../api/http.ts';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { EraseHolders } from './erase-holders.tsx';

interface BulkActionsProps {
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
}

const CHANGED = ['tickets', 'log'] as const;

/** Cancels or reinstates all selected tickets. */
export function BulkActions({ selected, onDone }: BulkActionsProps) {
  const { tickets } = useTexts();
  const [asking, setAsking] = useState(false);
  const reinstate = useChange(...CHANGED);
  const act = (action: 'cancel' | 'reinstate'): Call => ({
    method: 'POST',
    path: '/tickets/bulk',
    body: { action, ids: [...selected] },
  });
  if (selected.size === 0) return null;
  return (
    <div className="bulk">
      <span role="status">{tickets.selected(selected.size)}</span>
      <Button size="xs" color="red" variant="light" onClick={() => setAsking(true)}>
        {tickets.cancelTicket}
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={() => reinstate.mutate(act('reinstate'), { onSuccess: onDone })}
      >
        {tickets.reinstate}
      </Button>
      <EraseHolders size="xs" ids={[...selected]} onDone={onDone} />
      {reinstate.error && <Failure error={reinstate.error} />}
      {asking && (
        <Confirm
          title={tickets.cancelTitle}
          submit={tickets.cancelTicket}
          dismiss={tickets.keep}
          act={act('cancel')}
          changes={CHANGED}
          onClose={() => setAsking(false)}
          onDone={onDone}
        >
          {tickets.bulkCancelText(selected.size)}
        </Confirm>
      )}
    </div>
  );
}
