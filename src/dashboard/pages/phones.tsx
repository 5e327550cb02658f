import { Alert, Button, Modal, NativeSelect } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { ApiFailure, BASE_PATH, call } from '../api/http.ts';
import { useMay, useSession } from '../api/session.tsx';
import type { Account, CreatedPairing, Page, PairingState, Phone, Server } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { type Column, DataTable, RowAction } from '../components/data-table.tsx';
import { Confirm } from '../components/dialogs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { isOnlyHere, QrPicture } from '../components/qr-picture.tsx';
import { Answered, Failure } from '../components/states.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';

const LIST_EVERY_MS = 30_000;

/** Phones that scan without a password. */
export function PhonesPage() {
  const { phones } = useTexts();
  const list = useRead<Page<Phone>>('/phones', { everyMs: LIST_EVERY_MS });
  const [pairing, setPairing] = useState(false);
  const [removing, setRemoving] = useState<Phone>();
  const columns = useColumns(setRemoving);
  return (
    <>
      <PageHead title={phones.title}>
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setPairing(true)}>
          {phones.pair}
        </Button>
      </PageHead>
      <p className="dimmed">{phones.help}</p>
      <Answered asked={list}>
        {({ items }) => (
          <DataTable
            empty={phones.empty}
            label={phones.title}
            columns={columns}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </Answered>
      {pairing && <PairPhone onClose={() => setPairing(false)} />}
      {removing && (
        <Confirm
          title={phones.removeTitle}
          submit={phones.remove}
          act={{ method: 'DELETE', path: `/phones/${removing.id}` }}
          changes={['phones']}
          onClose={() => setRemoving(undefined)}
        >
          {phones.removeText(removing.name)}
        </Confirm>
      )}
    </>
  );
}

function useColumns(onRemove: (phone: Phone) => void): Column<Phone>[] {
  const { phones, general } = useTexts();
  return [
    { title: phones.name, cell: ({ name }) => <Name>{name}</Name> },
    { title: phones.scansFor, cell: ({ account }) => <Name>{account.name}</Name> },
    { title: phones.pairedAt, cell: ({ pairedAt }) => <TimeText at={pairedAt} /> },
    { title: phones.lastSeen, cell: ({ lastSeenAt }) => <TimeText at={lastSeenAt} /> },
    { title: phones.endsAt, cell: ({ expiresAt }) => <TimeText at={expiresAt} /> },
    {
      title: general.actions,
      cell: (phone) => (
        <RowAction
          danger
          text={phones.remove}
          label={phones.removeNamed(phone.name)}
          onClick={() => onRemove(phone)}
        />
      ),
    },
  ];
}

/** Pairs one phone, from the question for whom it scans to the comparison of the codes. */
function PairPhone({ onClose }: { onClose: () => void }) {
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

const ASK_EVERY_MS = 1000;

interface OpenPairingProps {
  readonly pairing: CreatedPairing;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** The QR code until a phone has scanned it, then the question whether it is the right one. */
function OpenPairing({ pairing, onAgain, onClose }: OpenPairingProps) {
  const { phones } = useTexts();
  const path = `/pairings/${pairing.id}`;
  const asked = useRead<PairingState>(path, { everyMs: ASK_EVERY_MS });
  // Who closes the dialogue takes the code back. Of one that was confirmed nothing is left.
  useEffect(() => {
    return () => void call({ method: 'DELETE', path }).catch(() => undefined);
  }, [path]);
  if (asked.error instanceof ApiFailure && asked.error.status === 404) {
    return (
      <div className="form">
        <Alert color="yellow" role="alert">
          {phones.ended}
        </Alert>
        <div className="form-buttons">
          <Button onClick={onAgain}>{phones.showCodeAgain}</Button>
        </div>
      </div>
    );
  }
  return (
    <Answered asked={asked}>
      {({ phone, code }) =>
        phone !== null && code !== null ? (
          <Comparison path={path} phone={phone} code={code} onClose={onClose} />
        ) : (
          <ShownCode token={pairing.token} />
        )
      }
    </Answered>
  );
}

function ShownCode({ token }: { token: string }) {
  const { phones, keys } = useTexts();
  const server = useRead<Server>('/server');
  const root = server.data?.baseUrl ?? `${location.origin}${BASE_PATH}`;
  return (
    <div className="form" role="status">
      <p>{phones.scanThis}</p>
      {/* In the fragment: no server, no proxy and no log sees it. */}
      <QrPicture text={`${root}/pair#${token}`} label={phones.qrLabel} />
      {isOnlyHere(root) && <Alert color="yellow">{keys.onlyHere}</Alert>}
    </div>
  );
}

interface ComparisonProps {
  readonly path: string;
  readonly phone: string;
  readonly code: string;
  readonly onClose: () => void;
}

function Comparison({ path, phone, code, onClose }: ComparisonProps) {
  const { phones } = useTexts();
  const confirm = useChange('phones');
  return (
    <div className="form">
      <p role="status">
        <strong>
          <Name>{phone}</Name>
        </strong>{' '}
        {phones.asks}
      </p>
      <p className="pairing-code">{code}</p>
      {confirm.error && <Failure error={confirm.error} />}
      <div className="form-buttons">
        <Button variant="default" onClick={onClose}>
          {phones.refuse}
        </Button>
        <Button
          loading={confirm.isPending}
          onClick={() =>
            confirm.mutate({ method: 'POST', path: `${path}/confirm` }, { onSuccess: onClose })
          }
        >
          {phones.confirm}
        </Button>
      </div>
    </div>
  );
}
