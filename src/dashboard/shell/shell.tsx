import {
  ActionIcon,
  Alert,
  Button,
  createTheme,
  localStorageColorSchemeManager,
  type ModalProps,
  NativeSelect,
  type TooltipProps,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import {
  IconBarcode,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconQrcode,
  IconSun,
  IconX,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { useSiteStatus } from '../api/site-status.ts';
import { useMay, useRead, useSession, useSignOut, useVenueName } from '../api/use-api.tsx';
import { partOf } from '../components/part.tsx';
import { Name } from '../components/values.tsx';
import { pageZone } from '../i18n/formats.ts';
import { useFormats, useLanguage, useTexts } from '../i18n/language.tsx';
import type { Language } from '../i18n/texts.ts';
import icon from '../icon.svg';
import { useKeyGuard } from '../scanner/key-guard.ts';
import { playSignal } from '../scanner/signals.ts';
import { keptSound } from '../scanner/tab-settings.ts';
import { useLeftScans, useLostScans, useOpenScans } from '../scanner/use-scans.ts';

const Menu = partOf(() => import('./navigation.tsx').then((module) => module.Menu), {
  isQuiet: true,
});
const Parts = partOf(() => import('./navigation.tsx').then((module) => module.Parts), {
  isQuiet: true,
});

/** The frame around every page: name, switches, and for those who may read, the menu. */
export function Shell({ children }: { children: ReactNode }) {
  const texts = useTexts();
  const [location] = useLocation();
  const search = useSearch();
  const mayRead = useMay('viewer');
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu that led to it
  useEffect(() => setOpen(false), [location, search]);
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.navigation.skip}
      </a>
      <header className="shell-header">
        <ActionIcon
          className="shell-menu"
          variant="subtle"
          size="lg"
          aria-label={open ? texts.navigation.close : texts.navigation.open}
          aria-expanded={open}
          aria-controls="navigation"
          onClick={() => setOpen(!open)}
        >
          {open ? <IconX /> : <IconMenu2 />}
        </ActionIcon>
        <Link href="/" className="brand" aria-label={texts.product}>
          <img src={icon} alt="" width={28} height={28} />
          <span>{texts.product}</span>
        </Link>
        <span className="spring" />
        <LanguageSwitch />
        <SchemeSwitch />
      </header>
      <div className={open ? 'shell-side open' : 'shell-side'} id="navigation">
        <div className="shell-pages">{mayRead ? <Menu /> : <OnlyScan />}</div>
        <AccountBox />
      </div>
      <StrayCode />
      <LeftScans />
      <LostScans />
      <main className="shell-main" id="content" tabIndex={-1}>
        <TestControlsBanner />
        <SiteLine />
        {mayRead && <Parts />}
        {children}
      </main>
    </div>
  );
}

/** The menu of those who may only scan. */
function OnlyScan() {
  const { navigation } = useTexts();
  return (
    <nav aria-label={navigation.label}>
      <ul className="navigation">
        <li>
          <Link href="/scanner" aria-current="page">
            <IconQrcode size={20} aria-hidden />
            {navigation.scanner}
          </Link>
        </li>
      </ul>
    </nav>
  );
}

/** Says that a hand scanner read a code where no page takes one: nothing was done with it. */
function StrayCode() {
  const { scanner } = useTexts();
  const [location] = useLocation();
  const [isShown, setShown] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever goes to another page has read it
  useEffect(() => setShown(false), [location]);
  useKeyGuard(() => {
    setShown(true);
    if (keptSound(false).read()) playSignal('unknown');
  });
  if (!isShown) return null;
  return (
    <ScanNotice title={scanner.strayTitle} text={scanner.strayText}>
      <Link href="/scanner" onClick={() => setShown(false)}>
        {scanner.strayOpen}
      </Link>{' '}
      <Button size="xs" variant="default" onClick={() => setShown(false)}>
        {scanner.strayClose}
      </Button>
    </ScanNotice>
  );
}

/** The same where nobody is signed in: no scan page can be opened from there. What was read goes into no field and to no server. */
export function StrayCodeAlone({ text }: { readonly text: string }) {
  const { scanner } = useTexts();
  const [isShown, setShown] = useState(false);
  useKeyGuard(() => setShown(true));
  if (!isShown) return null;
  return (
    <ScanNotice title={scanner.strayTitleAlone} text={text}>
      <Button size="xs" variant="default" onClick={() => setShown(false)}>
        {scanner.strayClose}
      </Button>
    </ScanNotice>
  );
}

interface ScanNoticeProps {
  readonly title: string;
  readonly text: string;
  /** What can be done about it. */
  readonly children: ReactNode;
}

/** Says on another page than *Scan* something about a code that was read. */
function ScanNotice({ title, text, children }: ScanNoticeProps) {
  return (
    <Alert
      className="stray-code"
      color="yellow"
      role="alert"
      icon={<IconBarcode aria-hidden />}
      title={title}
    >
      <p>{text}</p>
      {children}
    </Alert>
  );
}

/** Says on other pages what became of the codes that waited when the scan page was left. */
function LeftScans() {
  const { scanner } = useTexts();
  const { all, open, isHeld } = useLeftScans();
  if (all === 0) return null;
  const openText = isHeld ? scanner.waitElsewhere : scanner.leftOpenText;
  return (
    <ScanNotice
      title={open > 0 ? scanner.leftOpen(open) : scanner.leftAnswered(all)}
      text={open > 0 ? openText : scanner.leftAnsweredText}
    >
      <Link href="/scanner">{scanner.strayOpen}</Link>
    </ScanNotice>
  );
}

/** Says on other pages that scans have no answer; the scan page says which. */
function LostScans() {
  const { scanner } = useTexts();
  const [location] = useLocation();
  const { scans } = useLostScans();
  if (scans.length === 0 || location === '/scanner') return null;
  return (
    <ScanNotice title={scanner.lost(scans.length)} text={scanner.lostText}>
      <Link href="/scanner">{scanner.strayOpen}</Link>
    </ScanNotice>
  );
}

/** Who is signed in, for which organisation, and the way out. */
function AccountBox() {
  const texts = useTexts();
  const { account } = useSession();
  const venue = useVenueName();
  const { signOut, isPending, error } = useSignOut();
  const open = useOpenScans();
  const [isAsked, setAsked] = useState(false);
  return (
    <aside className="account-box">
      {venue && (
        <strong>
          <Name>{venue}</Name>
        </strong>
      )}
      <span>
        <Name>{account.name}</Name>
      </span>
      <span className="dimmed">{texts.roles[account.role]}</span>
      <span className="dimmed">{pageZone()}</span>
      <Button
        variant="default"
        size="xs"
        loading={isPending}
        leftSection={<IconLogout size={16} aria-hidden />}
        onClick={open > 0 ? () => setAsked(true) : signOut}
      >
        {texts.navigation.signOut}
      </Button>
      {isAsked && open > 0 && (
        <Alert color="yellow" role="alert">
          <p>{texts.scanner.openAtEnd(open)}</p>
          <div className="form-buttons">
            <Button size="xs" variant="default" onClick={() => setAsked(false)}>
              {texts.scanner.waitForThem}
            </Button>
            <Button size="xs" color="red" onClick={signOut}>
              {texts.scanner.endAnyway}
            </Button>
          </div>
        </Alert>
      )}
      {error && (
        <Alert color="red" role="alert">
          {texts.navigation.notSignedOut}
        </Alert>
      )}
    </aside>
  );
}

const ASK_EVERY_MS = 60_000;

/** Warns that clock and faults of this server can be changed: it must not serve a real gate. */
function TestControlsBanner() {
  const texts = useTexts();
  const enabled = useMay('viewer');
  const server = useRead('GET /server', {}, { everyMs: ASK_EVERY_MS, enabled });
  if (!server.data?.testControls) return null;
  return (
    <div className="test-controls" role="alert">
      {texts.testControls}
    </div>
  );
}

/** Says at a site what a steward must know: that there is no line to its centre, and whether gates go on. */
function SiteLine() {
  const { siteLine } = useTexts();
  const formats = useFormats();
  const status = useSiteStatus();
  if (!status?.site) return null;
  const { site, heardAt, noLineSince, standsStill, waiting } = status;
  const since = noLineSince ?? (standsStill ? heardAt : null);
  const tone = standsStill ? 'still' : since === null ? '' : 'cut';
  return (
    <p className={`site-line ${tone}`} role="status">
      <strong>
        {siteLine.site} <Name>{site.name}</Name>
      </strong>{' '}
      {since !== null && (
        <span>
          {(standsStill ? siteLine.standStill : siteLine.goOn)(formats.minuteOrDay(since))}{' '}
          {waiting > 0 && siteLine.waiting(waiting, formats.number(waiting))}
        </span>
      )}
    </p>
  );
}

/** Light or dark, kept in this browser; until somebody chooses, as the system says. */
export const colourSchemes = localStorageColorSchemeManager({ key: 'ticketscan.colours' });

/** What components look like where the style sheet is not enough. */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    // Locking the scroll position would need a style element, which the security policy forbids; layout.css does it.
    Modal: {
      defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } },
    } satisfies { readonly defaultProps: Partial<ModalProps> },
    Tooltip: {
      defaultProps: { events: { hover: true, focus: true, touch: false } },
    } satisfies { readonly defaultProps: Partial<TooltipProps> },
  },
});

const LANGUAGES = [
  { value: 'de', label: 'Deutsch' },
  { value: 'en', label: 'English' },
];

/** German or English. */
export function LanguageSwitch() {
  const { language, texts, choose } = useLanguage();
  return (
    <NativeSelect
      className="language"
      aria-label={texts.language}
      size="sm"
      data={LANGUAGES}
      value={language}
      onChange={(change) => choose(change.currentTarget.value as Language)}
    />
  );
}

/** Light or dark. */
export function SchemeSwitch() {
  const { texts } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={dark ? texts.navigation.toLight : texts.navigation.toDark}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <IconSun size={20} aria-hidden /> : <IconMoon size={20} aria-hidden />}
    </ActionIcon>
  );
}
