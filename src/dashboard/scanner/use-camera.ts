import { type RefObject, useEffect, useRef, useState } from 'react';
import { recall, remember } from '../i18n/language.tsx';
import { Camera, type CameraProblem, type CameraState, type SetLight } from './camera.ts';

export interface Filming {
  readonly video: RefObject<HTMLVideoElement | null>;
  /** Whether its picture is shown. */
  readonly isOn: boolean;
  readonly isStarting: boolean;
  readonly problem: CameraProblem | undefined;
  readonly setLight: SetLight | undefined;
  readonly start: () => void;
  readonly stop: () => void;
}

const REMEMBERED = 'ticketscan.camera';

/**
 * The camera, on request; after a reload by itself, where the browser does not ask.
 * @param onCode says whether the code was taken
 */
export function useCamera(onCode: (code: string) => boolean): Filming {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(onCode);
  latest.current = onCode;
  const camera = useRef<Camera>(undefined);
  const [state, setState] = useState<CameraState>({ step: 'off' });
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
    });
    camera.current = own;
    own.follow(page.signal);
    void isGranted().then((granted) => {
      if (granted && !page.signal.aborted) own.start();
    });
    return () => page.abort();
  }, []);
  const start = () => {
    remember(REMEMBERED, 'on', 'sessionStorage');
    camera.current?.start();
  };
  const stop = () => {
    remember(REMEMBERED, undefined, 'sessionStorage');
    camera.current?.stop();
  };
  return {
    video,
    isOn: state.step === 'on' || state.step === 'muted',
    isStarting: state.step === 'starting',
    problem: 'problem' in state ? state.problem : undefined,
    setLight: state.step === 'on' ? state.setLight : undefined,
    start,
    stop,
  };
}

/** Whether the camera was on before a reload of the tab, and may be again without a question. */
async function isGranted(): Promise<boolean> {
  if (recall(REMEMBERED, 'sessionStorage') === undefined) return false;
  try {
    const { state } = await navigator.permissions.query({ name: 'camera' });
    return state === 'granted';
  } catch {
    return false;
  }
}
