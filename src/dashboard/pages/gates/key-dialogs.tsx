import { Radio } from '@mantine/core';
import { useState } from 'react';
import type { CreatedKey, Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { bodyOf, draftOf, type KeyDraft, NEW_KEY, readersOf } from './key-draft.ts';
import { KeyFields } from './key-form.tsx';

/** A new key: its type is chosen here for good. */
export function CreateKey({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (key: CreatedKey) => void;
}) {
  const { keys, general } = useTexts();
  const [draft, setDraft] = useState(NEW_KEY);
  const create = useChange<CreatedKey>('keys');
  const { type } = draft;
  const body = { type, ...bodyOf(draft, NEW_KEY) };
  return (
    <FormModal
      title={keys.create}
      submit={general.create}
      change={create}
      onClose={onClose}
      onSubmit={() =>
        readersOf(draft) &&
        create.mutate({ method: 'POST', path: '/keys', body }, { onSuccess: onCreated })
      }
    >
      <Radio.Group
        label={keys.type}
        value={type}
        onChange={(value) => setDraft({ ...draft, type: value as KeyDraft['type'] })}
      >
        <div className="choices">
          <Radio value="api" label={keys.api} />
          <Radio value="hardware" label={keys.hardware} />
        </div>
      </Radio.Group>
      <KeyFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}

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
