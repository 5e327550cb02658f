import '@mantine/core/styles.layer.css';
import './styles/layout.css';
import './styles/content.css';
import './styles/live.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Route, Router, Switch } from 'wouter';
import { BASE_PATH } from './api/http.ts';
import { SessionProvider, useCurrentSession } from './api/session.tsx';
import { createQueryClient } from './api/use-api.ts';
import { Failure, Loading } from './components/states.tsx';
import { LanguageProvider } from './i18n/language.tsx';
import { PairPage, SignIn } from './pages/sign-in.tsx';
import { Pages } from './pages.tsx';
import { colourSchemes, theme } from './shell/appearance.tsx';
import { Shell } from './shell/shell.tsx';

// Said in full: after a step to another page, a browser reads a relative address of the picture from there.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')) {
  icon.setAttribute('href', icon.href);
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
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
      <SessionProvider session={session.data}>
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
