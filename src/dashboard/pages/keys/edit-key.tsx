import { useState } from 'react';
import type { Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { bodyOf, draftOf, type KeyDraft, readersOf } from './key-draft.ts';
import { KeyFields } from './key-form.tsx';

/** Changes a key; its type stays what it was created as. */
export function EditKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { keys, general } = useTexts();
  const [before] = useState(() => draftOf(apiKey));
  const [draft, setDraft] = useState<KeyDraft>(before);
  const change = useChange('keys');
  const body = bodyOf(draft, before);
  return (
    <FormModal
      title={<span className="break">{keys.editTitle(apiKey.name)}</span>}
      submit={general.save}
      change={change}
      onClose={onClose}
      onSubmit={() =>
        readersOf(draft) &&
        change.mutate({ method: 'PATCH', path: `/keys/${apiKey.id}`, body }, { onSuccess: onClose })
      }
    >
      <KeyFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}
