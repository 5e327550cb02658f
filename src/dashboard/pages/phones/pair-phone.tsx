import { Button, Modal, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useMay, useSession } from '../../api/session.tsx';
import type { Account, CreatedPairing, Page } from '../../api/types.ts';
import { useChange, useRead } from '../../api/use-api.ts';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { OpenPairing } from './open-pairing.tsx';

/** Pairs one phone, from the question for whom it scans to the comparison of the codes. */
export function PairPhone({ onClose }: { onClose: () => void }) {
  const { phones, general } = useTexts();
  const [begun, setBegun] = useState<CreatedPairing>();
  return (
    <Modal
      opened
      onClose={onClose}
      title={phones.pair}
      closeButtonProps={{ 'aria-label': general.close }}
    >
      {begun ? (
        <OpenPairing pairing={begun} onAgain={() => setBegun(undefined)} onClose={onClose} />
      ) : (
        <BeginPairing onBegun={setBegun} />
      )}
    </Modal>
  );
}

function BeginPairing({ onBegun }: { onBegun: (pairing: CreatedPairing) => void }) {
  const { phones } = useTexts();
  const own = useSession().account;
  const isOwner = useMay('owner');
  const accounts = useRead<Page<Account>>('/accounts', { enabled: isOwner });
  const [account, setAccount] = useState(own.id);
  const begin = useChange<CreatedPairing>();
  const scanners = accounts.data?.items.filter(({ role }) => role === 'scanner') ?? [];
  const choices = [own, ...scanners].map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className="form">
      <p>{phones.steps}</p>
      {choices.length > 1 && (
        <NativeSelect
          label={phones.scansFor}
          description={phones.scansForHelp}
          value={account}
          data={choices}
          onChange={(change) => setAccount(change.currentTarget.value)}
        />
      )}
      {begin.error && <Failure error={begin.error} />}
      <div className="form-buttons">
        <Button
          data-autofocus
          loading={begin.isPending}
          onClick={() =>
            begin.mutate(
              { method: 'POST', path: '/pairings', body: { account } },
              { onSuccess: onBegun },
            )
          }
        >
          {phones.showCode}
        </Button>
      </div>
    </div>
  );
}
