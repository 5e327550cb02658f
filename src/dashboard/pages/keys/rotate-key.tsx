import { Alert, NativeSelect } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { CreatedKey, Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const A_DAY = '86400';

interface RotateKeyProps {
  readonly apiKey: Key;
  readonly onClose: () => void;
  readonly onRotated: (key: CreatedKey) => void;
}

/**
 * A new value for the same key; asks how long the old one holds. While an earlier rotation overlaps, a new one ends the value
 * that the gates may have, so the overlap can be prolonged instead.
 */
export function RotateKey(props: RotateKeyProps) {
  const [openedAt] = useState(() => Date.now());
  const { previousUntil } = props.apiKey;
  const overlaps = previousUntil !== undefined && Date.parse(previousUntil) > openedAt;
  return overlaps ? (
    <RotateAgain {...props} previousUntil={previousUntil} />
  ) : (
    <RotateOnce {...props} />
  );
}

function RotateOnce({ apiKey, onClose, onRotated }: RotateKeyProps) {
  const { keys } = useTexts();
  const [overlap, setOverlap] = useState(A_DAY);
  const rotate = useRotation(apiKey, onRotated);
  return (
    <FormModal
      title={keys.rotateTitle}
      submit={keys.rotate}
      change={rotate.change}
      onClose={onClose}
      onSubmit={() => rotate.start(overlap)}
    >
      <p className="break">{keys.rotateText(apiKey.name)}</p>
      <OverlapSelect value={overlap} onChange={setOverlap} />
    </FormModal>
  );
}

function RotateAgain({
  apiKey,
  onClose,
  onRotated,
  previousUntil,
}: RotateKeyProps & { readonly previousUntil: string }) {
  const { keys } = useTexts();
  const formats = useFormats();
  const [act, setAct] = useState('prolong');
  const [overlap, setOverlap] = useState(A_DAY);
  const rotate = useRotation(apiKey, onRotated);
  const prolong = useChange('keys');
  const isProlonged = act === 'prolong';
  const move = () => {
    const seconds = Number(overlap === '0' ? A_DAY : overlap);
    const until = new Date(Date.now() + seconds * 1000).toISOString();
    const change = { path: `/keys/${apiKey.id}`, body: { previousUntil: until } };
    prolong.mutate({ method: 'PATCH', ...change }, { onSuccess: onClose });
  };
  return (
    <FormModal
      title={keys.rotateTitle}
      submit={isProlonged ? keys.prolong : keys.rotate}
      danger={!isProlonged}
      change={isProlonged ? prolong : rotate.change}
      onClose={onClose}
      onSubmit={isProlonged ? move : () => rotate.start(overlap)}
    >
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
        {keys.rotateAgain(apiKey.name, formats.dateTime(previousUntil))}
      </Alert>
      <NativeSelect
        label={keys.rotateAct}
        value={act}
        data={Object.entries(keys.rotateActs).map(([value, label]) => ({ value, label }))}
        onChange={(change) => setAct(change.currentTarget.value)}
      />
      <OverlapSelect value={overlap} onChange={setOverlap} isProlonged={isProlonged} />
    </FormModal>
  );
}

function useRotation(apiKey: Key, onRotated: (key: CreatedKey) => void) {
  const change = useChange<CreatedKey>('keys');
  const path = `/key-rotations/${apiKey.id}`;
  const start = (overlap: string) =>
    change.mutate(
      { method: 'POST', path, body: { overlapSeconds: Number(overlap) } },
      { onSuccess: onRotated },
    );
  return { change, start };
}

function OverlapSelect({
  value,
  onChange,
  isProlonged = false,
}: {
  value: string;
  onChange: (value: string) => void;
  isProlonged?: boolean;
}) {
  const { keys } = useTexts();
  const choices = Object.entries(keys.overlaps).filter(([key]) => !isProlonged || key !== '0');
  return (
    <NativeSelect
      label={isProlonged ? keys.prolongBy : keys.overlap}
      value={isProlonged && value === '0' ? A_DAY : value}
      data={choices.map(([key, label]) => ({ value: key, label }))}
      onChange={(change) => onChange(change.currentTarget.value)}
    />
  );
}
