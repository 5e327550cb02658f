import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Account, Role } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { SecretInput } from '../../components/secret-input.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { EventScope } from '../keys/event-scope.tsx';
import { RoleChoice } from './role-choice.tsx';

/** A new account with its first password. */
export function CreateAccount({ onClose }: { onClose: () => void }) {
  const { accounts, general } = useTexts();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [events, setEvents] = useState<Account['events']>('all');
  const create = useChange('accounts');
  const body = { name, password, role, ...(role === 'scanner' && { events }) };
  return (
    <FormModal
      title={accounts.create}
      submit={general.create}
      change={create}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({ method: 'POST', path: '/accounts', body }, { onSuccess: onClose })
      }
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
      <SecretInput
        label={accounts.password}
        description={accounts.passwordHelp}
        required
        autoComplete="new-password"
        value={password}
        onChange={(change) => setPassword(change.currentTarget.value)}
      />
      <RoleChoice role={role} onChange={setRole} />
      {role === 'scanner' && <EventScope events={events} onChange={setEvents} />}
    </FormModal>
  );
}
