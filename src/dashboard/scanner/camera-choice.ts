/** Which of several cameras films: a desk has one inside and one on a cable, a phone several at its back. */
import { recall, remember } from '../i18n/language.tsx';
import type { Kept } from './tab-settings.ts';

/** A camera as the browser knows it; it names one only after it was allowed. */
export interface CameraDevice {
  readonly id: string;
  readonly label: string;
}

const CHOSEN = 'ticketscan.camera-device';

/** The camera that was chosen for this device. It tells of nobody, and stays after a sign-out. */
export const chosenCamera: Kept<CameraDevice | undefined> = {
  read: () => {
    const [id = '', label = ''] = (recall(CHOSEN) ?? '').split('\n');
    return id === '' ? undefined : { id, label };
  },
  write: (chosen) => remember(CHOSEN, chosen && `${chosen.id}\n${chosen.label}`),
};

/** The cameras of this device; those without an identifier cannot be told apart. */
export async function listCameras(): Promise<readonly CameraDevice[]> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
    .map(({ deviceId, label }) => ({ id: deviceId, label }));
}

const SIZE = { width: { ideal: 1280 } };

/** Opens the camera that was chosen, and where it is gone, the one that a browser takes: on a phone, at its back. */
export async function openCamera(): Promise<MediaStream> {
  const chosen = chosenCamera.read();
  const present = chosen && sameCamera(chosen, await listCameras().catch(() => []));
  if (present) {
    try {
      return await film({ deviceId: { exact: present.id } });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return film({ facingMode: 'environment' });
}

/** Browsers give a camera another identifier when their data was cleared: its name stays. */
function sameCamera(
  { id, label }: CameraDevice,
  cameras: readonly CameraDevice[],
): CameraDevice | undefined {
  return (
    cameras.find((one) => one.id === id) ??
    cameras.find((one) => label !== '' && one.label === label)
  );
}

function film(which: MediaTrackConstraints): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({ audio: false, video: { ...which, ...SIZE } });
}

/** It was unplugged between the list and the start. */
function isGone(error: unknown): boolean {
  return error instanceof Error && ['NotFoundError', 'OverconstrainedError'].includes(error.name);
}
