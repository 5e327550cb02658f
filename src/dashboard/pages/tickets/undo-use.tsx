import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { LogEntry } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useTexts } from '../../i18n/language.tsx';

const REASON_CHARACTERS_MAX = 200;

/** Asks why a use is taken back, and takes it back. */
export function UndoUse({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  const { tickets } = useTexts();
  const [reason, setReason] = useState('');
  const undo = useChange('log', 'tickets');
  const path = `/log/${entry.sequence}/undo`;
  return (
    <FormModal
      title={tickets.undoTitle}
      submit={tickets.undo}
      change={undo}
      onClose={onClose}
      onSubmit={() =>
        undo.mutate({ method: 'POST', path, body: { reason } }, { onSuccess: onClose })
      }
    >
      <p>
        <TimeText at={entry.at} />
      </p>
      <p>{tickets.undoText}</p>
      <TextInput
        label={tickets.undoReason}
        required
        maxLength={REASON_CHARACTERS_MAX}
        data-autofocus
        autoComplete="off"
        value={reason}
        onChange={(change) => setReason(change.currentTarget.value)}
      />
    </FormModal>
  );
}
