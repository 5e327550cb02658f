import { Button } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';

interface BulkActionsProps {
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** Cancels or reinstates all selected tickets. */
export function BulkActions({ selected, onDone }: BulkActionsProps) {
  const { tickets } = useTexts();
  const [asking, setAsking] = useState(false);
  const bulk = useChange('tickets', 'log');
  const act = (action: 'cancel' | 'reinstate') =>
    bulk.mutate(
      { method: 'POST', path: '/tickets/bulk', body: { action, ids: [...selected] } },
      {
        onSuccess: () => {
          setAsking(false);
          onDone();
        },
      },
    );
  if (selected.size === 0) return null;
  return (
    <div className="bulk">
      <span role="status">{tickets.selected(selected.size)}</span>
      <Button size="xs" color="red" variant="light" onClick={() => setAsking(true)}>
        {tickets.cancelTicket}
      </Button>
      <Button size="xs" variant="default" onClick={() => act('reinstate')}>
        {tickets.reinstate}
      </Button>
      {bulk.error && !asking && <Failure error={bulk.error} />}
      {asking && (
        <FormModal
          danger
          title={tickets.cancelTitle}
          submit={tickets.cancelTicket}
          dismiss={tickets.keep}
          pending={bulk.isPending}
          error={bulk.error}
          onClose={() => setAsking(false)}
          onSubmit={() => act('cancel')}
        >
          <p>{tickets.bulkCancelText(selected.size)}</p>
        </FormModal>
      )}
    </div>
  );
}
