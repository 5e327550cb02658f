import { useState } from 'react';
import type { CreatedKey, Key } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { EditKey } from './edit-key.tsx';
import { RotateKey } from './rotate-key.tsx';

type Asking = 'edit' | 'rotate' | 'disable' | 'delete';

/** What an owner can do with a key. Whatever closes gates is asked for a second time. */
export function KeyActions({
  apiKey,
  onRotated,
}: {
  apiKey: Key;
  onRotated: (key: CreatedKey) => void;
}) {
  const { keys, general } = useTexts();
  const [asking, setAsking] = useState<Asking>();
  const enable = useChange('keys');
  const { name, active } = apiKey;
  const path = `/keys/${apiKey.id}`;
  return (
    <div className="card-actions">
      <RowAction text={general.edit} label={keys.edit(name)} onClick={() => setAsking('edit')} />
      <RowAction
        text={active ? keys.disable : keys.enable}
        label={active ? keys.disableNamed(name) : keys.enableNamed(name)}
        loading={enable.isPending}
        onClick={() =>
          active
            ? setAsking('disable')
            : enable.mutate({ method: 'PATCH', path, body: { active: true } })
        }
      />
      <RowAction
        text={keys.rotate}
        label={keys.rotateNamed(name)}
        onClick={() => setAsking('rotate')}
      />
      <RowAction
        danger
        text={general.delete}
        label={keys.delete(name)}
        onClick={() => setAsking('delete')}
      />
      {enable.error && <Failure error={enable.error} />}
      {asking === 'rotate' && (
        <RotateKey
          apiKey={apiKey}
          onClose={() => setAsking(undefined)}
          onRotated={(rotated) => {
            setAsking(undefined);
            onRotated(rotated);
          }}
        />
      )}
      {asking === 'edit' && <EditKey apiKey={apiKey} onClose={() => setAsking(undefined)} />}
      {(asking === 'disable' || asking === 'delete') && (
        <CloseGates apiKey={apiKey} act={asking} onClose={() => setAsking(undefined)} />
      )}
    </div>
  );
}

interface CloseGatesProps {
  readonly apiKey: Key;
  readonly act: 'disable' | 'delete';
  readonly onClose: () => void;
}

function CloseGates({ apiKey, act, onClose }: CloseGatesProps) {
  const { keys, general } = useTexts();
  const { name, id } = apiKey;
  const path = `/keys/${id}`;
  const isDelete = act === 'delete';
  return (
    <Confirm
      title={isDelete ? keys.deleteTitle : keys.disableTitle}
      submit={isDelete ? general.delete : keys.disable}
      act={
        isDelete ? { method: 'DELETE', path } : { method: 'PATCH', path, body: { active: false } }
      }
      changes={['keys']}
      onClose={onClose}
    >
      {isDelete ? keys.deleteText(name) : keys.disableText(name)}
    </Confirm>
  );
}
