import { Alert } from '@mantine/core';
import { deviceUrls } from '../../../service/http/scan-paths.ts';
import { BASE_PATH } from '../../api/base-path.ts';
import type { CreatedKey, Server } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { isOnlyHere } from '../../components/only-here.ts';
import { QrPicture } from '../../components/qr-picture.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { useTexts } from '../../i18n/language.tsx';

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
