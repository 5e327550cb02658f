import { type RefObject, useEffect, useRef, useState } from 'react';
import { Camera, type CameraProblem, type CameraState, type SetLight } from './camera.ts';
import { type CameraDevice, chosenCamera, listCameras } from './camera-choice.ts';
import { keptCamera, keptSights } from './tab-settings.ts';

export interface Filming {
  readonly video: RefObject<HTMLVideoElement | null>;
  /** Whether its picture is shown. */
  readonly isOn: boolean;
  readonly isStarting: boolean;
  readonly problem: CameraProblem | undefined;
  readonly setLight: SetLight | undefined;
  /** Whether several tickets are before it, or one that cannot be read. */
  readonly isCrowded: boolean;
  /** The cameras that the browser names; none before one was on. */
  readonly cameras: readonly CameraDevice[];
  /** The one that films, or was chosen; empty where none is known. */
  readonly cameraId: string;
  /** Films with another one, from now on. */
  readonly choose: (chosen: CameraDevice) => void;
  readonly start: () => void;
  readonly stop: () => void;
}

interface CameraOptions {
  /** A paired phone keeps the wish for longer than a tab. */
  readonly isPhone: boolean;
  /** Says whether the code was taken. */
  readonly onCode: (code: string) => boolean;
}

/** The camera, on request; after a reload by itself. */
export function useCamera({ isPhone, onCode }: CameraOptions): Filming {
  const [wanted] = useState(() => keptCamera(isPhone));
  const [sights] = useState(() => ({ kept: keptSights(isPhone), wallNow: Date.now }));
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(onCode);
  latest.current = onCode;
  const camera = useRef<Camera>(undefined);
  const [state, setState] = useState<CameraState>({ step: 'off' });
  const [isCrowded, setCrowded] = useState(false);
  useEffect(() => {
    const page = new AbortController();
    if (!video.current) return undefined;
    const onState = (next: CameraState) => {
      if (!page.signal.aborted) setState(next);
    };
    const own = new Camera({
      video: video.current,
      onCode: (code) => latest.current(code),
      onState,
      sights,
      onCrowd: setCrowded,
    });
    camera.current = own;
    own.follow(page.signal);
    if (wanted.read()) {
      void isRefused().then((refused) => {
        if (!refused && !page.signal.aborted) own.start();
      });
    }
    return () => page.abort();
  }, [wanted, sights]);
  const cameraId = state.step === 'on' ? state.cameraId : (chosenCamera.read()?.id ?? '');
  const cameras = useCameras(state.step);
  const start = () => {
    wanted.write(true);
    camera.current?.start();
  };
  const choose = (chosen: CameraDevice) => {
    chosenCamera.write(chosen);
    start();
  };
  const stop = () => {
    wanted.write(false);
    camera.current?.stop();
  };
  return {
    video,
    isOn: state.step === 'on' || state.step === 'muted',
    isStarting: state.step === 'starting',
    problem: 'problem' in state ? state.problem : undefined,
    setLight: state.step === 'on' ? state.setLight : undefined,
    isCrowded,
    cameras,
    cameraId,
    choose,
    start,
    stop,
  };
}

/** Browsers name cameras only while the page may film. Also one that failed: another may do. */
const STEPS_WITH_NAMES: readonly CameraState['step'][] = ['on', 'muted', 'failed'];

/** Lists the cameras, again at each of these steps and when one is plugged in or out. */
function useCameras(step: CameraState['step']): readonly CameraDevice[] {
  const [cameras, setCameras] = useState<readonly CameraDevice[]>([]);
  useEffect(() => {
    if (!navigator.mediaDevices || !STEPS_WITH_NAMES.includes(step)) return undefined;
    const page = new AbortController();
    const { signal } = page;
    const list = () =>
      void listCameras().then(
        (found) => signal.aborted || setCameras(found),
        () => undefined,
      );
    list();
    navigator.mediaDevices.addEventListener?.('devicechange', list, { signal });
    return () => page.abort();
  }, [step]);
  return cameras;
}

/**
 * Whether the browser refuses the camera without a question. One that asks again after each reload, as Safari does, may ask: the camera
 * was on before.
 */
async function isRefused(): Promise<boolean> {
  try {
    const { state } = await navigator.permissions.query({ name: 'camera' });
    return state === 'denied';
  } catch {
    return false;
  }
}
