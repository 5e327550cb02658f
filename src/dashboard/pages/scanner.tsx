import { Alert, Button, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { IconCamera, IconCameraOff } from '@tabler/icons-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { mayScan } from '../../core/administrative-records.ts';
import { useSession } from '../api/session.tsx';
import { SecretInput } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Name } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';
import { RepeatGuard, type WatchedCamera, watchCamera } from '../scanner/camera.ts';
import { useKeyboardWedge } from '../scanner/keyboard-wedge.ts';
import { looksLikeApiKey, type ScanAttempt, setTabKey, tabKey } from '../scanner/scan-ticket.ts';
import { useScans } from '../scanner/use-scans.ts';
import { ResultPanel, ScanList, WaitPanel } from './scan-result.tsx';

/**
 * A gate in the browser: camera or hand scanner, large green and red. It scans as the account that is signed in, where that may, or
 * with an API key, as any gate does.
 */
export function ScannerPage() {
  const { scanner } = useTexts();
  const { account, phone } = useSession();
  const asAccount = mayScan(account.role);
  const [key, setKey] = useState(tabKey);
  const [entering, setEntering] = useState(!asAccount);
  const use = (chosen: string | undefined) => {
    setTabKey(chosen);
    setKey(chosen);
    setEntering(chosen === undefined && !asAccount);
  };
  const entersKey = key === undefined && entering;
  return (
    <>
      <PageHead title={scanner.title}>
        {key !== undefined && (
          <Button variant="default" onClick={() => use(undefined)}>
            {scanner.keyForget}
          </Button>
        )}
        {key === undefined && asAccount && account.role !== 'scanner' && (
          <Button variant="default" onClick={() => setEntering(!entering)}>
            {entering ? scanner.asAccount : scanner.withKey}
          </Button>
        )}
      </PageHead>
      {!entersKey && (
        <p className="dimmed">
          {key === undefined ? (
            <>
              {scanner.scansAs} <Name>{phone ? `${account.name} (${phone})` : account.name}</Name>
            </>
          ) : (
            scanner.scansWithKey
          )}
        </p>
      )}
      {entersKey ? <KeyEntry onKey={use} /> : <ScanDesk apiKey={key ?? null} key={key ?? ''} />}
    </>
  );
}

/** Asks once for the key that scans in this tab. */
function KeyEntry({ onKey }: { onKey: (key: string) => void }) {
  const { scanner } = useTexts();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim();
    if (looksLikeApiKey(key)) onKey(key);
    else setWrong(true);
  };
  return (
    <form className="panel form narrow" onSubmit={onSubmit}>
      <h2>{scanner.keyTitle}</h2>
      <SecretInput
        label={scanner.keyLabel}
        description={scanner.keyHelp}
        required
        autoComplete="off"
        error={wrong && scanner.keyWrong}
        value={typed}
        onChange={(change) => {
          setTyped(change.currentTarget.value);
          setWrong(false);
        }}
      />
      <Button type="submit">{scanner.keyUse}</Button>
    </form>
  );
}

/** Where tickets are scanned: the answer above all else. @param apiKey null scans as the account that is signed in */
function ScanDesk({ apiKey }: { apiKey: string | null }) {
  const { scanner } = useTexts();
  const [action, setAction] = useState<ScanAttempt['action']>('consume');
  const [sound, setSound] = useState(true);
  const scanning = useScans({ key: apiKey, action, sound });
  const { scans, scan } = scanning;
  useKeyboardWedge(scan);
  return (
    <div className="desk">
      {scanning.waitSeconds === undefined ? (
        <ResultPanel scan={scans[0]} pending={scanning.pending} onRetry={scanning.retry} />
      ) : (
        <WaitPanel seconds={scanning.waitSeconds} onStop={scanning.stopWaiting} />
      )}
      <div className="desk-tools">
        <SegmentedControl
          aria-label={scanner.mode}
          value={action}
          onChange={(value) => setAction(value as ScanAttempt['action'])}
          data={[
            { value: 'consume', label: scanner.consume },
            { value: 'validate', label: scanner.validate },
          ]}
        />
        <Switch
          label={scanner.sound}
          checked={sound}
          onChange={(change) => setSound(change.currentTarget.checked)}
        />
      </div>
      <CodeEntry onCode={scan} />
      <CameraView onCode={scan} />
      <ScanList scans={scans} />
    </div>
  );
}

/** For codes that are typed, and for hand scanners: it takes the focus where no keyboard would pop up on the screen. */
function CodeEntry({ onCode }: { onCode: (code: string) => void }) {
  const { scanner } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus();
  }, []);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code);
    setCode('');
  };
  return (
    <form className="code-entry" onSubmit={onSubmit}>
      <TextInput
        ref={input}
        label={scanner.code}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={code}
        onChange={(change) => setCode(change.currentTarget.value)}
      />
      <Button type="submit">{scanner.send}</Button>
    </form>
  );
}

/** The camera, on request. */
function CameraView({ onCode }: { onCode: (code: string) => void }) {
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
