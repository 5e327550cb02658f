import { useState } from 'react';
import type { Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { type KeyDraft, KeyFields } from './key-form.tsx';

/** Changes a key; its type stays what it was created as. */
export function EditKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { keys, general } = useTexts();
  const [draft, setDraft] = useState<KeyDraft>(apiKey);
  const change = useChange('keys');
  const { name, events, relay, openSeconds } = draft;
  const body = { name, events, ...(draft.type === 'hardware' && { relay, openSeconds }) };
  return (
    <FormModal
      title={<span className="break">{keys.editTitle(apiKey.name)}</span>}
      submit={general.save}
      pending={change.isPending}
      error={change.error}
      onClose={onClose}
      onSubmit={() =>
        change.mutate({ method: 'PATCH', path: `/keys/${apiKey.id}`, body }, { onSuccess: onClose })
      }
    >
      <KeyFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}
