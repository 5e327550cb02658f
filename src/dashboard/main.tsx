import './styles/frame-components.ts';
import './styles/layout.css';
import './styles/content.css';
import './styles/report.css';
import './styles/sites.css';
import './styles/tables.css';
import './styles/live.css';
import './styles/scan.css';
import './styles/guest-search.css';
import './styles/closing.css';
import { Alert, Button, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useLayoutEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch, useLocation } from 'wouter';
import { ApiFailure, BASE_PATH } from './api/http.ts';
import { createQueryClient, SessionProvider, useCurrentSession, useMay } from './api/use-api.tsx';
import { Loading } from './components/page-head.tsx';
import { partOf } from './components/part.tsx';
import { LanguageProvider, useTexts } from './i18n/language.tsx';
import { ScansProvider } from './scanner/scans-provider.tsx';
import { colourSchemes, Shell, StrayCodeAlone, theme } from './shell/shell.tsx';

// Said in full: after a step to another page, a browser reads a relative address of the picture from there.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) {
  icon.setAttribute('href', icon.href);
}

const SCAN_PATH = '/scanner';
const loadScanner = () => import('./pages/scanner.tsx');
const Scanner = partOf(() => loadScanner().then(({ ScannerPage }) => ScannerPage));
const DeskPages = partOf(() => import('./shell/desk-pages.tsx').then((page) => page.DeskPages));
const SignIn = partOf(() => import('./pages/sign-in.tsx').then((page) => page.SignIn), {
  Waiting: Alone,
});
const PairPage = partOf(() => import('./pages/sign-in.tsx').then((page) => page.PairPage), {
  Waiting: Alone,
});

// A gate waits for it: it comes while the server says who is signed in.
if (location.pathname === BASE_PATH + SCAN_PATH) void loadScanner().catch(() => undefined);

const root = document.getElementById('root');
hideWhileAway();
keepShell();
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** A browser keeps a page that was left, for *Back*: it shows nothing until it is loaded anew, because the session may be over. */
function hideWhileAway(): void {
  addEventListener('pagehide', ({ persisted }) => {
    if (persisted && root) root.hidden = true;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
}

/** Lets the page itself say that there is no line, also after a reload. Browsers allow it where they allow the camera. */
function keepShell(): void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
  if (!serviceWorker || import.meta.env.DEV) return;
  // It loads files that the page loads too: the page comes first.
  const register = () =>
    serviceWorker
      .register(`${BASE_PATH}/service-worker.js`, { updateViaCache: 'none' })
      .catch(() => undefined);
  if (document.readyState === 'complete') void register();
  else addEventListener('load', () => void register());
}

const queryClient = createQueryClient();

/**
 * The dashboard. Mantine's variables and classes come from its style sheet, because the page's security policy allows
 * no style element.
 */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colourSchemes}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <LanguageProvider>
          <Router base={BASE_PATH}>
            <Switch>
              <Route path="/pair">
                <PairPage />
              </Route>
              <Route component={SignedIn} />
            </Switch>
          </Router>
        </LanguageProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The pages after signing in, the sign-in before. */
function SignedIn() {
  const session = useCurrentSession();
  const failure = useRef<Error>(undefined);
  useLeftNothing(session.data);
  // It stands there while the page asks again.
  if (session.error) failure.current = session.error;
  if (session.data) {
    return (
      <SessionProvider session={session.data} key={session.data.account.id}>
        <ScansProvider>
          <Shell>
            <Pages />
          </Shell>
        </ScansProvider>
      </SessionProvider>
    );
  }
  if (session.data === null) return <SignIn />;
  const retry = () => void session.refetch({ cancelRefetch: false });
  return <Alone error={failure.current} retry={retry} />;
}

/** After a session, the tab names no guest: neither by the title of the page that was left, nor by what its address searches for. */
function useLeftNothing(session: object | null | undefined): void {
  const { product } = useTexts();
  const wasSignedIn = useRef(false);
  // Before the page that comes next says its own title.
  useLayoutEffect(() => {
    if (session) wasSignedIn.current = true;
    if (session !== null || !wasSignedIn.current) return;
    wasSignedIn.current = false;
    history.replaceState(null, '', location.pathname);
    document.title = product;
  }, [session, product]);
}

interface AloneProps {
  readonly error?: Error | undefined;
  readonly retry?: () => void;
}

/** How often the page looks whether there is a line again. */
const AGAIN_MS = 5000;

/** Stands there until it is known who is signed in: says that this is awaited, or why it did not come. */
function Alone({ error, retry }: AloneProps) {
  const { failures, general, scanner } = useTexts();
  useEffect(() => {
    if (!error || !retry) return undefined;
    const timer = setInterval(retry, AGAIN_MS);
    addEventListener('online', retry);
    return () => {
      clearInterval(timer);
      removeEventListener('online', retry);
    };
  });
  if (!error) {
    return (
      <main className="alone">
        <StrayCodeAlone text={scanner.strayWaiting} />
        <Loading />
      </main>
    );
  }
  const isUnreachable = error instanceof ApiFailure && error.status === 0;
  return (
    <main className="alone">
      <StrayCodeAlone text={scanner.strayWaiting} />
      <Alert role="alert" color="red" title={failures.title}>
        <p>{isUnreachable ? failures.unreachable : failures.fault}</p>
        <Button size="xs" variant="default" onClick={retry}>
          {general.retry}
        </Button>
      </Alert>
    </main>
  );
}

/** The page of the current address. The scan page loads nothing of the others; a scanner sees it alone. */
function Pages() {
  const mayRead = useMay('viewer');
  const path = useLocation()[0].replace(/(?<=.)\/$/, '');
  const isScan = !mayRead || path === SCAN_PATH;
  return isScan ? <Scanner /> : <DeskPages />;
}
