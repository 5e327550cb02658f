import { Alert, Button, Switch } from '@mantine/core';
import { IconCamera, IconCameraOff } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { type Texts, useTexts } from '../../i18n/language.tsx';
import { RepeatGuard } from '../../scanner/repeat-guard.ts';
import { type WatchedCamera, watchCamera } from '../../scanner/watch-camera.ts';

/** The camera, on request. */
export function CameraView({ onCode }: { onCode: (code: string) => void }) {
  const { scanner } = useTexts();
  const { video, camera, problem, starting, start, stop } = useCamera(onCode);
  const Icon = camera ? IconCameraOff : IconCamera;
  return (
    <div className="camera">
      <Button
        variant={camera ? 'default' : 'light'}
        loading={starting}
        leftSection={<Icon size={18} aria-hidden />}
        onClick={() => (camera ? stop() : void start())}
      >
        {camera ? scanner.stopCamera : scanner.startCamera}
      </Button>
      {camera?.setLight && (
        <Switch
          label={scanner.light}
          onChange={(change) => void camera.setLight?.(change.currentTarget.checked)}
        />
      )}
      {problem && (
        <Alert color="yellow" role="alert">
          {scanner[problem]}
        </Alert>
      )}
      <video ref={video} hidden={!camera} muted playsInline aria-label={scanner.cameraLabel} />
    </div>
  );
}

type Problem = keyof Texts['scanner'] & ('cameraRefused' | 'cameraNone' | 'cameraInsecure');

function useCamera(onCode: (code: string) => void) {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef(onCode);
  latest.current = onCode;
  const [camera, setCamera] = useState<WatchedCamera>();
  const [problem, setProblem] = useState<Problem>();
  const [starting, setStarting] = useState(false);
  useEffect(() => () => camera?.stop(), [camera]);
  const start = async () => {
    if (!navigator.mediaDevices) return setProblem('cameraInsecure');
    if (!video.current) return;
    setStarting(true);
    setProblem(undefined);
    const guard = new RepeatGuard();
    const onSight = (code: string) => {
      if (guard.isNew(code, performance.now())) latest.current(code);
    };
    await watchCamera(video.current, onSight).then(setCamera, (error: unknown) => {
      const refused = error instanceof DOMException && error.name === 'NotAllowedError';
      setProblem(refused ? 'cameraRefused' : 'cameraNone');
    });
    setStarting(false);
  };
  return { video, camera, problem, starting, start, stop: () => setCamera(undefined) };
}
