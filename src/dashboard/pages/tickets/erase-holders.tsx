import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/session.tsx';
import type { Erased } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';

/** The most tickets that one request erases. */
const ERASED_AT_ONCE_MAX = 100;

interface EraseHoldersProps {
  readonly ids: readonly string[];
  /** False when nothing is left to erase; what was erased stays on the screen. */
  readonly isOffered?: boolean;
  readonly size?: 'xs' | 'sm';
  readonly onDone?: () => void;
}

/** For owners: erases the names of guests, after saying what that does and what it cannot do. */
export function EraseHolders({ ids, isOffered = true, size = 'sm', onDone }: EraseHoldersProps) {
  const { tickets } = useTexts();
  const owner = useMay('owner');
  const [asking, setAsking] = useState(false);
  if (!owner) return null;
  const close = (isDone: boolean) => {
    setAsking(false);
    if (isDone) onDone?.();
  };
  return (
    <>
      {isOffered && (
        <Button
          size={size}
          color="red"
          variant={size === 'xs' ? 'light' : 'subtle'}
          disabled={ids.length > ERASED_AT_ONCE_MAX}
          onClick={() => setAsking(true)}
        >
          {tickets.eraseHolders(ids.length)}
        </Button>
      )}
      {asking && <AskToErase ids={ids} onClose={close} />}
    </>
  );
}

function AskToErase({
  ids,
  onClose,
}: {
  readonly ids: readonly string[];
  readonly onClose: (isDone: boolean) => void;
}) {
  const { tickets } = useTexts();
  const erase = useChange<Erased>('tickets', 'audit-trail');
  if (erase.data) return <AfterErasing erased={erase.data} onClose={() => onClose(true)} />;
  const path = '/tickets/erase-holders';
  return (
    <FormModal
      danger
      title={tickets.eraseTitle(ids.length)}
      submit={tickets.eraseHolders(ids.length)}
      dismiss={tickets.eraseKeep}
      change={erase}
      onClose={() => onClose(false)}
      onSubmit={() => erase.mutate({ method: 'POST', path, body: { ids } })}
    >
      <p>{tickets.eraseText}</p>
      <p>{tickets.eraseLimits}</p>
    </FormModal>
  );
}

function AfterErasing({ erased, onClose }: { erased: Erased; onClose: () => void }) {
  const { tickets, general } = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={tickets.eraseDone}
      closeButtonProps={{ 'aria-label': general.close }}
    >
      <div className="form">
        <p role="status">{tickets.erased(erased.erased)}</p>
        {!erased.isPurged && <p>{tickets.eraseNotPurged}</p>}
        <div className="form-buttons">
          <Button data-autofocus onClick={onClose}>
            {general.close}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
