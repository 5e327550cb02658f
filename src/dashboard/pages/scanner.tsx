import { ActionIcon, Alert, Button, TextInput } from '@mantine/core';
import {
  IconAdjustments,
  IconCamera,
  IconCameraOff,
  IconUserSearch,
  IconX,
} from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { mayScan } from '../../core/administrative-records.ts';
import { type ApiFailure, call } from '../api/http.ts';
import { useSession } from '../api/use-api.tsx';
import { PageHead } from '../components/page-head.tsx';
import { partOf } from '../components/part.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';
import { TAKES_CODES, useScannedCodes } from '../scanner/key-guard.ts';
import { playSignal } from '../scanner/signals.ts';
import { type ScanMode, setTabKey, tabKey } from '../scanner/tab-settings.ts';
import { type Filming, useCamera } from '../scanner/use-camera.ts';
import { type Scans, useLostScans, useScans } from '../scanner/use-scans.ts';
import { DeskChoices, useDeskChoices } from './scan-choices.tsx';
import { Overtaken, ResultPanel, ScanList } from './scan-result.tsx';

const GuestSearch = partOf<{ onClose: () => void }>(() =>
  import('./guest-search.tsx').then((page) => page.GuestSearch),
);
const KeyEntry = partOf(() => import('./key-entry.tsx').then((page) => page.KeyEntry));

/**
 * A gate in the browser: camera or hand scanner, large green and red. It scans as the account that is signed in, where that may, or
 * with an API key, as any gate does.
 */
export function ScannerPage() {
  const { navigation, scanner } = useTexts();
  const { account, phone } = useSession();
  const asAccount = mayScan(account.role);
  const [key, setKey] = useState(() => tabKey(account.id));
  const [entering, setEntering] = useState(!asAccount);
  const use = (chosen: string | undefined) => {
    setTabKey(account.id, chosen);
    setKey(chosen);
    setEntering(chosen === undefined && !asAccount);
  };
  const mayChoose = key === undefined && asAccount && account.role !== 'scanner';
  const change = (
    <>
      {key !== undefined && (
        <Button variant="default" onClick={() => use(undefined)}>
          {scanner.keyForget}
        </Button>
      )}
      {mayChoose && (
        <Button variant="default" onClick={() => setEntering(!entering)}>
          {entering ? scanner.asAccount : scanner.withKey}
        </Button>
      )}
    </>
  );
  if (key === undefined && entering) {
    return (
      <>
        <PageHead title={navigation.scanner}>{change}</PageHead>
        <KeyEntry onKey={use} />
      </>
    );
  }
  return (
    <ScanDesk apiKey={key ?? null} key={key ?? ''}>
      <span className="dimmed">
        {key === undefined ? (
          <>
            {scanner.scansAs} <Name>{phone ? `${account.name} (${phone})` : account.name}</Name>
          </>
        ) : (
          scanner.scansWithKey
        )}
      </span>
      {change}
    </ScanDesk>
  );
}

interface ScanDeskProps {
  /** Null scans as the account that is signed in. */
  readonly apiKey: string | null;
  /** Who scans, and how to change that. */
  readonly children: ReactNode;
}

/**
 * Where tickets are scanned: the answer above all else. On a phone it lies over the picture of the camera, which keeps its place,
 * and everything else is behind a button.
 */
function ScanDesk({ apiKey, children }: ScanDeskProps) {
  const { navigation, scanner } = useTexts();
  const { phone, mayFindGuests } = useSession();
  const isPhone = phone !== null;
  const choices = useDeskChoices(isPhone);
  const { sound, uses, setUses } = choices;
  // A key takes uses: at a way out it only checks.
  const mode = apiKey !== null && choices.mode === 'out' ? 'validate' : choices.mode;
  const [isOpen, setOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const maySearch = apiKey === null && mayFindGuests && mode !== 'out';
  const scanning = useScans({ key: apiKey, mode, uses });
  const onCode = (code: string) => {
    setOpen(false);
    const isTaken = scanning.scan(code);
    if (isTaken) setUses(1);
    return isTaken;
  };
  useScannedCodes(onCode);
  const filming = useCamera({ isPhone, onCode });
  useCrowdSignal(filming.isCrowded, sound);
  useWay(isPhone && apiKey === null, mode);
  usePassing(filming.isCrowded, scanning);
  return (
    <div className={maySearch && isSearching ? 'desk searching' : 'desk'}>
      <PageHead title={navigation.scanner}>
        {maySearch && (
          <SearchButton
            isOpen={isSearching}
            onClick={() => {
              // Who is searched is another guest than the one who was answered last.
              if (!isSearching) scanning.pass();
              setSearching(!isSearching);
            }}
          />
        )}
        <CameraButton filming={filming} />
        <ToolsButton isOpen={isOpen} onClick={() => setOpen(!isOpen)} />
      </PageHead>
      {filming.problem && (
        <Alert color="yellow" role="alert">
          {scanner[filming.problem]}
        </Alert>
      )}
      <LostScans />
      <Stage filming={filming} scanning={scanning} mode={mode} uses={uses} />
      {maySearch && isSearching && <GuestSearch onClose={() => setSearching(false)} />}
      <div id="desk-tools" className={isOpen ? 'desk-tools open' : 'desk-tools'}>
        <CodeEntry onCode={onCode} />
        <DeskChoices choices={{ ...choices, mode }} filming={filming} isAccount={apiKey === null} />
        {children}
      </div>
      <ScanList scanning={scanning} />
    </div>
  );
}

/** Says loudly which scans nobody has seen an answer to, after a reload or a new sign-in. */
function LostScans() {
  const { general, scanner } = useTexts();
  const { scans, forget } = useLostScans();
  if (scans.length === 0) return null;
  return (
    <Alert color="yellow" role="alert" title={scanner.lost(scans.length)}>
      <p>{scanner.lostText}</p>
      <ul className="lost-scans">
        {scans.map(({ retryName, at, end }) => (
          <li key={retryName}>
            <TimeText at={new Date(at).toISOString()} only="time" />{' '}
            {end && <span className="mono">… {end}</span>}
          </li>
        ))}
      </ul>
      <Button size="xs" variant="default" onClick={forget}>
        {general.close}
      </Button>
    </Alert>
  );
}

/** Opens and closes the search for a guest without a code; on a phone it is a sign alone. */
function SearchButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  const { scanner } = useTexts();
  return (
    <Button className="desk-search" variant="default" aria-expanded={isOpen} onClick={onClick}>
      <IconUserSearch size={18} aria-hidden />
      <span className="desk-search-text">{scanner.findGuest}</span>
    </Button>
  );
}

/** Shows and hides what a phone has no room for. */
function ToolsButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  const { scanner } = useTexts();
  return (
    <ActionIcon
      className="desk-menu"
      variant="default"
      size={36}
      aria-label={isOpen ? scanner.closeOptions : scanner.options}
      aria-expanded={isOpen}
      aria-controls="desk-tools"
      onClick={onClick}
    >
      {isOpen ? <IconX aria-hidden /> : <IconAdjustments aria-hidden />}
    </ActionIcon>
  );
}

interface StageProps {
  readonly filming: Filming;
  readonly scanning: Scans;
  readonly mode: ScanMode;
  /** How many uses the next scan takes. */
  readonly uses: number;
}

const MODE_LOOKS = { consume: '', ask: 'check', validate: 'check', out: 'out' } as const;

/** The picture of the camera with the answer over it; without a camera, the answer. What a scan does is always written there. */
function Stage({ filming, scanning, mode, uses }: StageProps) {
  const { scanner } = useTexts();
  return (
    <div className={filming.isOn ? 'stage filming' : 'stage'}>
      <video
        ref={filming.video}
        hidden={!filming.isOn}
        muted
        playsInline
        aria-label={scanner.cameraLabel}
      />
      <span className={`badge stage-mode ${MODE_LOOKS[mode]}`}>
        {scanner[mode]}
        {uses > 1 && mode === 'consume' && <strong> × {uses}</strong>}
      </span>
      <ResultPanel scanning={scanning} isCrowded={filming.isCrowded} />
      <Overtaken queue={scanning.queue} />
    </div>
  );
}

const SAID_AGAIN_MS = 10_000;

/** A paired phone says where it stands, so that the desk sees it. Without an answer it says so again. */
function useWay(isPhone: boolean, mode: ScanMode): void {
  const way = mode === 'out' ? 'out' : 'in';
  useEffect(() => {
    if (!isPhone) return undefined;
    const isGone = new AbortController();
    let timer: number | undefined;
    const say = () =>
      call('POST /phones/way', { way }, isGone.signal).catch((error: ApiFailure) => {
        const isPassing = error.status === 0 || error.status >= 500;
        if (isPassing && !isGone.signal.aborted) timer = window.setTimeout(say, SAID_AGAIN_MS);
      });
    void say();
    return () => {
      isGone.abort();
      window.clearTimeout(timer);
    };
  }, [isPhone, way]);
}

/** Who looks at the guest and not at the screen hears that no ticket was read. */
function useCrowdSignal(isCrowded: boolean, sound: boolean): void {
  const isHeard = useRef(sound);
  isHeard.current = sound;
  useEffect(() => {
    if (isCrowded && isHeard.current) playSignal('unknown');
  }, [isCrowded]);
}

/** Takes the last answer off the screen while the camera sees a code that it cannot read: that may be another guest. */
function usePassing(isCrowded: boolean, { queue, pass }: Scans): void {
  useEffect(() => {
    if (isCrowded && queue.length > 0) pass();
  }, [isCrowded, queue, pass]);
}

/** Takes codes that are typed, or come from hand scanners: it has the focus where no keyboard would pop up on the screen. */
function CodeEntry({ onCode }: { onCode: (code: string) => unknown }) {
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
        {...TAKES_CODES}
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

function CameraButton({ filming }: { filming: Filming }) {
  const { scanner } = useTexts();
  const { isOn, isStarting, start, stop } = filming;
  const Icon = isOn ? IconCameraOff : IconCamera;
  return (
    <Button
      variant={isOn ? 'default' : 'light'}
      loading={isStarting}
      className="desk-camera"
      onClick={isOn ? stop : start}
    >
      <Icon size={18} aria-hidden />
      <span className="desk-camera-text">{isOn ? scanner.stopCamera : scanner.startCamera}</span>
    </Button>
  );
}
