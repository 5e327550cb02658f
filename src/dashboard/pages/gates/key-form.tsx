import { NativeSelect, TextInput } from '@mantine/core';
import { EXIT_RULES, type ExitRule } from '../../../core/direction.ts';
import { OPEN_SECONDS_MAX } from '../../../core/limits.ts';
import type { Server } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { EventScope } from '../../components/event-scope.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { type KeyDraft, readersOf } from './key-draft.ts';

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

/** Name and event scope; for hardware also how its doors are opened. */
export function KeyFields({ draft, onChange }: KeyFieldsProps) {
  const { general, keys } = useTexts();
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
      <TextInput
        type="datetime-local"
        label={keys.expires}
        description={keys.expiresHint}
        value={draft.expires}
        onChange={(change) => onChange({ ...draft, expires: change.currentTarget.value })}
      />
      {draft.type === 'hardware' && <DoorFields draft={draft} onChange={onChange} />}
      {draft.type === 'hardware' && <ReaderFields draft={draft} onChange={onChange} />}
      {draft.type === 'hardware' && <DeviceField draft={draft} onChange={onChange} />}
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
      <NumberField
        label={keys.openSeconds}
        min={1}
        max={OPEN_SECONDS_MAX}
        value={draft.openSeconds}
        onChange={(value) => onChange({ ...draft, openSeconds: value })}
      />
    </div>
  );
}

/** Which way people go, and what happens on the way out. */
function ReaderFields({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useTexts();
  return (
    <div className="columns">
      <TextInput
        label={keys.readers}
        description={keys.readersHint}
        placeholder="0=in,1=out"
        value={draft.readers}
        error={readersOf(draft) ? undefined : keys.readersWrong}
        onChange={(change) => onChange({ ...draft, readers: change.currentTarget.value })}
      />
      <NativeSelect
        label={keys.onExit}
        value={draft.onExit}
        data={EXIT_RULES.map((value) => ({ value, label: keys.exitRules[value] }))}
        onChange={(change) =>
          onChange({ ...draft, onExit: change.currentTarget.value as ExitRule })
        }
      />
    </div>
  );
}

/** The device file of the key; nothing where the server has none and the key neither. */
function DeviceField({ draft, onChange }: KeyFieldsProps) {
  const { keys } = useTexts();
  const server = useRead<Server>('/server');
  const names = [...new Set([...(server.data?.deviceFiles ?? []), draft.device])].filter(Boolean);
  if (names.length === 0) return null;
  return (
    <NativeSelect
      label={keys.device}
      description={keys.deviceHint}
      value={draft.device}
      data={[{ value: '', label: keys.deviceNone }, ...names]}
      onChange={(change) => onChange({ ...draft, device: change.currentTarget.value })}
    />
  );
}
