import { createCodeFinder } from './code-finder.ts';

export interface WatchedCamera {
  /** Switches the lamp; undefined where the camera has none. */
  readonly setLight: ((on: boolean) => Promise<void>) | undefined;
  readonly stop: () => void;
}

/** Between two pictures; ten a second are enough and spare a phone's battery. */
const PICTURE_EVERY_MS = 100;

/**
 * Shows the camera in `video` and calls back for every picture that has a code.
 * @throws DOMException as `getUserMedia` does: no camera, or not allowed
 */
export async function watchCamera(
  video: HTMLVideoElement,
  onCode: (code: string) => void,
): Promise<WatchedCamera> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: 'environment', width: { ideal: 1280 } },
  });
  const finder = await createCodeFinder();
  video.srcObject = stream;
  await video.play();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const look = async () => {
    const code = await finder.find(video).catch(() => undefined);
    if (stopped) return;
    if (code !== undefined) onCode(code);
    timer = setTimeout(() => void look(), PICTURE_EVERY_MS);
  };
  void look();
  const stop = () => {
    stopped = true;
    clearTimeout(timer);
    finder.close();
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  };
  return { setLight: lightOf(stream), stop };
}

function lightOf(stream: MediaStream): WatchedCamera['setLight'] {
  const [track] = stream.getVideoTracks();
  const { torch } = (track?.getCapabilities?.() ?? {}) as { torch?: boolean };
  if (!track || !torch) return undefined;
  return (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] });
}
