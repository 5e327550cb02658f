import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { ACCESS_TOKEN_DAYS_MAX } from '../../../core/limits.ts';
import { useSession } from '../../api/session.tsx';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { RoleChoice } from '../accounts/role-choice.tsx';

const DAYS_DEFAULT = 90;

/** A new token, and its value, this once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const { accessTokens, general } = useTexts();
  const { role: own } = useSession().account;
  const [draft, setDraft] = useState({ name: '', days: DAYS_DEFAULT, role: own });
  const create = useChange<{ name: string; token: string }>('access-tokens', 'organisation');
  if (create.data) {
    const title = accessTokens.createdTitle(create.data.name);
    const label = accessTokens.value;
    return <ShownOnce title={title} label={label} value={create.data.token} onClose={onClose} />;
  }
  return (
    <FormModal
      title={accessTokens.create}
      submit={general.create}
      change={create}
      onClose={onClose}
      onSubmit={() => create.mutate({ method: 'POST', path: '/access-tokens', body: draft })}
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={draft.name}
        onChange={(change) => setDraft({ ...draft, name: change.currentTarget.value })}
      />
      <RoleChoice
        role={draft.role}
        from="viewer"
        upTo={own}
        onChange={(role) => setDraft({ ...draft, role })}
      />
      <NumberField
        label={accessTokens.days}
        min={1}
        max={ACCESS_TOKEN_DAYS_MAX}
        value={draft.days}
        onChange={(value) => setDraft({ ...draft, days: value })}
      />
    </FormModal>
  );
}
