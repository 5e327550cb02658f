import { Alert, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { SECOND_MS } from '../../kit/durations.ts';
import { deviceUrls } from '../../scan/http/scan-paths.ts';
import { BASE_PATH, type CreatedKey, type Key } from '../api/http.ts';
import { useRead } from '../api/use-api.tsx';
import { ChangeModal, ShownOnce } from '../components/dialogs.tsx';
import { CopyField, choicesOf } from '../components/fields.tsx';
import { Warning } from '../components/page.tsx';
import { isOnlyHere, QrPicture } from '../components/qr-picture.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

/**
 * The value of a new key, this once; for hardware also the URLs that go into the device, as QR codes too. It closes
 * by its button only: a slip beside the dialogue would lose the value.
 */
export function CreatedKeyModal({ created }: { created: CreatedKey }) {
  const { keys } = useDeskTexts();
  const { cardUrl, heartUrl, deviceUrl } = useDeviceUrls(created);
  return (
    <ShownOnce
      title={created.rotations ? keys.rotatedTitle(created.name) : keys.createdTitle(created.name)}
      label={keys.value}
      value={created.key}
    >
      {cardUrl && isOnlyHere(cardUrl) && <Alert color="yellow">{keys.onlyHere}</Alert>}
      {cardUrl && <DeviceUrl label={keys.cardUrl} url={cardUrl} />}
      {heartUrl && <DeviceUrl label={keys.heartUrl} url={heartUrl} />}
      {deviceUrl && <DeviceUrl label={keys.deviceUrl} url={deviceUrl} />}
      {cardUrl && <p>{keys.waitTime}</p>}
      <KeyCare type={created.type} />
    </ShownOnce>
  );
}

/** The guidance of section 5.6. */
function KeyCare({ type }: Pick<CreatedKey, 'type'>) {
  const { keys } = useDeskTexts();
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
function useDeviceUrls(created: CreatedKey): Pick<CreatedKey, `${'card' | 'heart' | 'device'}Url`> {
  const { data: server } = useRead('GET /server');
  if (!server) return {};
  if (server.baseUrl === null) {
    return deviceUrls(created.type, created.key, `${location.origin}${BASE_PATH}`, created.device);
  }
  return created;
}

function DeviceUrl({ label, url }: { label: string; url: string }) {
  const { keys } = useDeskTexts();
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
  readonly onRotated: (key: CreatedKey) => void;
}

/**
 * A new value for the same key; asks how long the old one holds. While an earlier rotation overlaps, a new one ends the value
 * that the gates may have, so the overlap can be prolonged instead.
 */
export function RotateKey({ apiKey, onRotated }: RotateKeyProps) {
  const { keys } = useDeskTexts();
  const formats = useFormats();
  const [openedAt] = useState(() => Date.now());
  const [act, setAct] = useState<'prolong' | 'rotate'>('prolong');
  const [overlap, setOverlap] = useState(A_DAY);
  const { id, name, previousUntil } = apiKey;
  const overlaps = previousUntil !== undefined && Date.parse(previousUntil) > openedAt;
  const isProlonged = overlaps && act === 'prolong';
  const choices = Object.entries(keys.overlaps).filter(([key]) => !isProlonged || key !== '0');
  const seconds = Number(isProlonged && overlap === '0' ? A_DAY : overlap);
  const fields = (
    <>
      {overlaps ? (
        <>
          <Warning>{keys.rotateAgain(name, formats.dateTime(previousUntil))}</Warning>
          <NativeSelect
            label={keys.rotateAct}
            value={act}
            data={choicesOf(['prolong', 'rotate'], keys.rotateActs)}
            onChange={({ currentTarget: { value } }) =>
              setAct(value === 'prolong' ? 'prolong' : 'rotate')
            }
          />
        </>
      ) : (
        <p className="break">{keys.rotateText(name)}</p>
      )}
      <NativeSelect
        label={isProlonged ? keys.prolongBy : keys.overlap}
        value={String(seconds)}
        data={choices.map(([value, label]) => ({ value, label }))}
        onChange={(change) => setOverlap(change.currentTarget.value)}
      />
    </>
  );
  const modal = { title: keys.rotateTitle, children: fields };
  if (isProlonged) {
    const until = new Date(openedAt + seconds * SECOND_MS).toISOString();
    const input = { id, previousUntil: until };
    return <ChangeModal {...modal} submit={keys.prolong} route="PATCH /keys/:id" input={input} />;
  }
  return (
    <ChangeModal
      {...modal}
      submit={keys.rotate}
      danger={overlaps || seconds === 0}
      route="POST /key-rotations/:id"
      input={{ id, overlapSeconds: seconds }}
      alsoStale={['keys']}
      onDone={onRotated}
    />
  );
}
