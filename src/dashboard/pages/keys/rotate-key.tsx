import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { CreatedKey, Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';

const A_DAY = '86400';

/** A new value for the same key; asks how long the old one holds. */
export function RotateKey({
  apiKey,
  onClose,
  onRotated,
}: {
  apiKey: Key;
  onClose: () => void;
  onRotated: (key: CreatedKey) => void;
}) {
  const { keys } = useTexts();
  const [overlap, setOverlap] = useState(A_DAY);
  const rotate = useChange<CreatedKey>('keys');
  const path = `/key-rotations/${apiKey.id}`;
  const body = { overlapSeconds: Number(overlap) };
  return (
    <FormModal
      title={keys.rotateTitle}
      submit={keys.rotate}
      change={rotate}
      onClose={onClose}
      onSubmit={() => rotate.mutate({ method: 'POST', path, body }, { onSuccess: onRotated })}
    >
      <p className="break">{keys.rotateText(apiKey.name)}</p>
      <NativeSelect
        label={keys.overlap}
        value={overlap}
        data={Object.entries(keys.overlaps).map(([value, label]) => ({ value, label }))}
        onChange={(change) => setOverlap(change.currentTarget.value)}
      />
    </FormModal>
  );
}
