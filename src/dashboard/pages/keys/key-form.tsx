import { NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { OPEN_SECONDS_MAX } from '../../../core/limits.ts';
import type { Key } from '../../api/types.ts';
import { useTexts } from '../../i18n/language.tsx';
import { EventScope } from './event-scope.tsx';

/** What can be set at creation and changed later (section 2.1). */
export type KeyDraft = Pick<Key, 'name' | 'type' | 'events' | 'relay' | 'openSeconds'>;

export interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

/** Name and event scope; for hardware also how its doors are opened. */
export function KeyFields({ draft, onChange }: KeyFieldsProps) {
  const { general } = useTexts();
  return (
    <>
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={draft.name}
        onChange={(change) => onChange({ ...draft, name: change.currentTarget.value })}
      />
      <EventScope events={draft.events} onChange={(events) => onChange({ ...draft, events })} />
      {draft.type === 'hardware' && <DoorFields draft={draft} onChange={onChange} />}
    </>
  );
}

function DoorFields({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useTexts();
  return (
    <div className="columns">
      <NativeSelect
        label={keys.relay}
        value={draft.relay}
        data={[
          { value: 'auto', label: keys.relayAuto },
          { value: 'in', label: keys.relayIn },
          { value: 'out', label: keys.relayOut },
        ]}
        onChange={(change) =>
          onChange({ ...draft, relay: change.currentTarget.value as KeyDraft['relay'] })
        }
      />
      <NumberInput
        label={keys.openSeconds}
        min={1}
        max={OPEN_SECONDS_MAX}
        allowDecimal={false}
        value={draft.openSeconds}
        onChange={(value) => onChange({ ...draft, openSeconds: Number(value) })}
      />
    </div>
  );
}
