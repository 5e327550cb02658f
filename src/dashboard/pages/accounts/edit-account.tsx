import { useState } from 'react';
import type { Account } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { EventScope } from '../keys/event-scope.tsx';
import { RoleChoice } from './role-choice.tsx';

/** Gives an account another role, or a scanner other events. */
export function EditAccount({ account, onClose }: { account: Account; onClose: () => void }) {
  const { accounts, general } = useTexts();
  const [role, setRole] = useState(account.role);
  const [events, setEvents] = useState(account.events);
  const change = useChange('accounts');
  const body = { role, ...(role === 'scanner' && { events }) };
  return (
    <FormModal
      title={<span className="break">{accounts.edit(account.name)}</span>}
      submit={general.save}
      change={change}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { method: 'PATCH', path: `/accounts/${account.id}`, body },
          { onSuccess: onClose },
        )
      }
    >
      <RoleChoice role={role} onChange={setRole} />
      {role === 'scanner' && <EventScope events={events} onChange={setEvents} />}
    </FormModal>
  );
}
