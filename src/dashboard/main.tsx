import '@mantine/core/styles.layer.css';
import './styles/layout.css';
import './styles/content.css';
import './styles/tables.css';
import './styles/live.css';
import './styles/scan.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch, useLocation } from 'wouter';
import { reaches } from '../core/administrative-records.ts';
import { BASE_PATH } from './api/http.ts';
import {
  createQueryClient,
  SessionProvider,
  useCurrentSession,
  useMay,
  useSession,
} from './api/use-api.tsx';
import { Empty, Failure, Loading, PageHead } from './components/page.tsx';
import { LanguageProvider, useTexts } from './i18n/language.tsx';
import { PairPage, SignIn } from './pages/sign-in.tsx';
import { type Place, placeOf } from './shell/navigation.tsx';
import { colourSchemes, Shell, theme } from './shell/shell.tsx';

// Said in full: after a step to another page, a browser reads a relative address of the picture from there.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) {
  icon.setAttribute('href', icon.href);
}

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
              <Route path="/pair" component={PairPage} />
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
        <Shell>
          <Pages />
        </Shell>
      </SessionProvider>
    );
  }
  if (session.data === null) return <SignIn />;
  return (
    <main className="alone">
      {session.error ? (
        <Failure error={session.error} retry={() => void session.refetch()} />
      ) : (
        <Loading />
      )}
    </main>
  );
}

const Ticket = lazy(() =>
  import('./pages/ticket.tsx').then((page) => ({ default: page.TicketPage })),
);

/** The page of the current address; a scanner sees the scan page alone. */
function Pages() {
  const mayRead = useMay('viewer');
  const location = useLocation()[0].replace(/(?<=.)\/$/, '');
  const { role } = useSession().account;
  const place = placeOf(mayRead ? location : '/scanner');
  if (place && !reaches(role, place.from)) return <ForbiddenPage place={place} key={place.path} />;
  const isThere = !mayRead || place?.path === location;
  return (
    <Suspense fallback={<Loading />}>
      {place && isThere ? (
        <place.Page key={place.path} />
      ) : (
        <Switch>
          <Route path="/tickets/:id">{({ id }) => <Ticket id={id} key={id} />}</Route>
          <Route component={MissingPage} />
        </Switch>
      )}
    </Suspense>
  );
}

/** Tells that an address within the dashboard leads nowhere. */
function MissingPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.missing.title} />
      <Empty text={texts.missing.text} />
    </>
  );
}

/** Tells that only others may see the page of an address. */
function ForbiddenPage({ place: { text, from } }: { place: Place }) {
  const { navigation, missing, roles } = useTexts();
  return (
    <>
      <PageHead title={navigation[text]} />
      <Empty text={missing.forbidden(roles[from])} />
    </>
  );
}
