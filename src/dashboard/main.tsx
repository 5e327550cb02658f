import '@mantine/core/styles.layer.css';
import './styles/layout.css';
import './styles/content.css';
import './styles/tables.css';
import './styles/live.css';
import './styles/scan.css';
import { Alert, Button, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch, useLocation } from 'wouter';
import { ApiFailure, BASE_PATH } from './api/http.ts';
import { createQueryClient, SessionProvider, useCurrentSession, useMay } from './api/use-api.tsx';
import { Loading } from './components/page-head.tsx';
import { partOf } from './components/part.tsx';
import { LanguageProvider, useTexts } from './i18n/language.tsx';
import { ScansProvider } from './scanner/scans-provider.tsx';
import { colourSchemes, Shell, theme } from './shell/shell.tsx';

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
  return <Alone error={session.error} retry={() => void session.refetch()} />;
}

interface AloneProps {
  readonly error?: Error | null;
  readonly retry?: () => void;
}

/** Stands there until it is known who is signed in: says that this is awaited, or why it did not come. */
function Alone({ error, retry }: AloneProps) {
  const { failures, general } = useTexts();
  if (!error) {
    return (
      <main className="alone">
        <Loading />
      </main>
    );
  }
  const isUnreachable = error instanceof ApiFailure && error.status === 0;
  return (
    <main className="alone">
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
