import { Alert, NativeSelect } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { deviceUrls } from '../../service/http/scan-paths.ts';
import { BASE_PATH } from '../api/http.ts';
import type { CreatedKey, Key, Server } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { FormModal, ShownOnce } from '../components/dialogs.tsx';
import { CopyField } from '../components/fields.tsx';
import { isOnlyHere, QrPicture } from '../components/qr-picture.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

/**
 * The value of a new key, this once; for hardware also the URLs that go into the device, as QR codes too. It closes
 * by its button only: a slip beside the dialogue would lose the value.
 */
export function CreatedKeyModal({
  created,
  onClose,
}: {
  created: CreatedKey;
  onClose: () => void;
}) {
  const { keys } = useTexts();
  const { cardUrl, heartUrl, deviceUrl } = useDeviceUrls(created);
  return (
    <ShownOnce
      title={created.rotations ? keys.rotatedTitle(created.name) : keys.createdTitle(created.name)}
      label={keys.value}
      value={created.key}
      onClose={onClose}
    >
      {cardUrl && <DeviceUrl label={keys.cardUrl} url={cardUrl} />}
      {heartUrl && <DeviceUrl label={keys.heartUrl} url={heartUrl} />}
      {deviceUrl && <DeviceUrl label={keys.deviceUrl} url={deviceUrl} />}
      {cardUrl && isOnlyHere(cardUrl) && <Alert color="yellow">{keys.onlyHere}</Alert>}
      {cardUrl && <p>{keys.waitTime}</p>}
      <KeyCare type={created.type} />
    </ShownOnce>
  );
}

/** The guidance of section 5.6. */
function KeyCare({ type }: Pick<CreatedKey, 'type'>) {
  const { keys } = useTexts();
  return (
    <section>
      <h3>{keys.careTitle}</h3>
      <ul>
        {type === 'hardware' && <li>{keys.careHardware}</li>}
        {keys.care.map((advice) => (
          <li key={advice}>{advice}</li>
        ))}
      </ul>
    </section>
  );
}

/** Without a base URL on the server, the address of this page counts: the server does not see the path of a proxy. */
function useDeviceUrls(created: CreatedKey): ReturnType<typeof deviceUrls> {
  const { data: server } = useRead<Server>('/server');
  if (!server) return {};
  if (server.baseUrl === null) {
    return deviceUrls(created.type, created.key, `${location.origin}${BASE_PATH}`, created.device);
  }
  const { cardUrl, heartUrl, deviceUrl } = created;
  return {
    ...(cardUrl && { cardUrl }),
    ...(heartUrl && { heartUrl }),
    ...(deviceUrl && { deviceUrl }),
  };
}

function DeviceUrl({ label, url }: { label: string; url: string }) {
  const { keys } = useTexts();
  return (
    <div className="device-url">
      <QrPicture text={url} label={keys.qrOf(label)} />
      <div>
        <CopyField label={label} value={url} />
        <p className="dimmed small">{keys.scanToSetUp}</p>
      </div>
    </div>
  );
}

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
