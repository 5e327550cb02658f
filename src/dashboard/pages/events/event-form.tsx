import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Event } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** Creates an event, or renames one. */
export function EventForm({ event, onClose }: { event: Event | 'new'; onClose: () => void }) {
  const { events, general } = useTexts();
  const existing = event === 'new' ? undefined : event;
  const [name, setName] = useState(existing?.name ?? '');
  const change = useChange('events');
  const request = existing
    ? ({ method: 'PATCH', path: `/events/${existing.id}`, body: { name } } as const)
    : ({ method: 'POST', path: '/events', body: { name } } as const);
  return (
    <FormModal
      title={existing ? events.rename : events.create}
      submit={existing ? general.save : general.create}
      change={change}
      onClose={onClose}
      onSubmit={() => change.mutate(request, { onSuccess: onClose })}
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
    </FormModal>
  );
}
