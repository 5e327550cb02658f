import { useState } from 'react';
import { USES_MULTI_MAX, USES_MULTI_MIN } from '../../../core/limits.ts';
import type { Ticket } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { changesOf, draftOf } from './ticket-draft.ts';
import { TextFields } from './ticket-fields.tsx';

/** Holder, window and uses of a ticket that was sold. */
export function EditTicket({ ticket, onClose }: { ticket: Ticket; onClose: () => void }) {
  const { tickets, general } = useTexts();
  const [before] = useState(() => draftOf(ticket));
  const [draft, setDraft] = useState(before);
  const edit = useChange('tickets');
  const path = `/tickets/${ticket.ticketId}`;
  return (
    <FormModal
      title={tickets.edit}
      submit={general.save}
      change={edit}
      onClose={onClose}
      onSubmit={() =>
        edit.mutate(
          { method: 'PATCH', path, body: changesOf(before, draft) },
          { onSuccess: onClose },
        )
      }
    >
      <p>{tickets.editHelp}</p>
      {ticket.kind === 'multi' && (
        <NumberField
          label={tickets.uses}
          description={tickets.usesHelp(ticket.usesConsumed)}
          min={Math.max(USES_MULTI_MIN, ticket.usesConsumed)}
          max={USES_MULTI_MAX}
          value={draft.uses}
          onChange={(value) => setDraft({ ...draft, uses: value })}
        />
      )}
      <TextFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}
