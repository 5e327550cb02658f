import { Alert, Button } from '@mantine/core';
import { useEffect } from 'react';
import { BASE_PATH } from '../../api/base-path.ts';
import { ApiFailure, call } from '../../api/http.ts';
import type { CreatedPairing, PairingState, Server } from '../../api/types.ts';
import { useChange, useRead } from '../../api/use-api.ts';
import { Name } from '../../components/name.tsx';
import { isOnlyHere } from '../../components/only-here.ts';
import { QrPicture } from '../../components/qr-picture.tsx';
import { Answered, Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';

const ASK_EVERY_MS = 1000;

interface OpenPairingProps {
  readonly pairing: CreatedPairing;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** The QR code until a phone has scanned it, then the question whether it is the right one. */
export function OpenPairing({ pairing, onAgain, onClose }: OpenPairingProps) {
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
