import { Alert, Button, Modal } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import type { CreatedKey } from '../../api/types.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { QrPicture } from '../../components/qr-picture.tsx';
import { useTexts } from '../../i18n/language.tsx';

/**
 * The value of a new key, this once; for hardware also the two URLs that go into the device, as QR codes too. It closes
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
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={<span className="break">{keys.createdTitle(created.name)}</span>}
    >
      <div className="form">
        <Alert color="yellow" icon={<IconEyeOff aria-hidden />}>
          {keys.once}
        </Alert>
        <CopyField label={keys.value} value={created.key} />
        {created.cardUrl && <DeviceUrl label={keys.cardUrl} url={created.cardUrl} />}
        {created.heartUrl && <DeviceUrl label={keys.heartUrl} url={created.heartUrl} />}
        {created.cardUrl && <p>{keys.waitTime}</p>}
        <KeyCare type={created.type} />
        <div className="form-buttons">
          <Button onClick={onClose}>{keys.done}</Button>
        </div>
      </div>
    </Modal>
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

function DeviceUrl({ label, url }: { label: string; url: string }) {
  const { keys } = useTexts();
  // Where the server knows only its own path, the address of this page completes it.
  const whole = new URL(url, location.origin).href;
  return (
    <div className="device-url">
      <QrPicture text={whole} label={keys.qrOf(label)} />
      <div>
        <CopyField label={label} value={whole} />
        <p className="dimmed small">{keys.scanToSetUp}</p>
      </div>
    </div>
  );
}
