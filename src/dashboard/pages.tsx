import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { useMay } from './api/session.tsx';
import { Loading } from './components/states.tsx';
import { MissingPage } from './pages/missing-page.tsx';

/** Each page is loaded when it is first opened. */
const Overview = lazy(() =>
  import('./pages/overview/overview-page.tsx').then(page('OverviewPage')),
);
const Scanner = lazy(() => import('./pages/scanner/scanner-page.tsx').then(page('ScannerPage')));
const Log = lazy(() => import('./pages/log/log-page.tsx').then(page('LogPage')));
const Statistics = lazy(() =>
  import('./pages/statistics/statistics-page.tsx').then(page('StatisticsPage')),
);
const Tickets = lazy(() => import('./pages/tickets/tickets-page.tsx').then(page('TicketsPage')));
const Ticket = lazy(() => import('./pages/tickets/ticket-page.tsx').then(page('TicketPage')));
const Events = lazy(() => import('./pages/events/events-page.tsx').then(page('EventsPage')));
const Keys = lazy(() => import('./pages/keys/keys-page.tsx').then(page('KeysPage')));
const Devices = lazy(() => import('./pages/devices/devices-page.tsx').then(page('DevicesPage')));
const Accounts = lazy(() =>
  import('./pages/accounts/accounts-page.tsx').then(page('AccountsPage')),
);
const Tokens = lazy(() =>
  import('./pages/access-tokens/access-tokens-page.tsx').then(page('AccessTokensPage')),
);
const Phones = lazy(() => import('./pages/phones/phones-page.tsx').then(page('PhonesPage')));
const Webhooks = lazy(() =>
  import('./pages/webhooks/webhooks-page.tsx').then(page('WebhooksPage')),
);
const AuditTrail = lazy(() =>
  import('./pages/audit-trail/audit-trail-page.tsx').then(page('AuditTrailPage')),
);
const Settings = lazy(() =>
  import('./pages/settings/settings-page.tsx').then(page('SettingsPage')),
);

/** Picks the named export of a page's module, as `lazy` wants it. */
function page<Name extends string>(name: Name) {
  return <Component,>(module: Record<Name, Component>) => ({ default: module[name] });
}

/** The page of the current address; a scanner sees the scan page alone. */
export function Pages() {
  const mayRead = useMay('viewer');
  if (!mayRead) {
    return (
      <Suspense fallback={<Loading />}>
        <Scanner />
      </Suspense>
    );
  }
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/scanner" component={Scanner} />
        <Route path="/log/:view?">{({ view }) => <Log view={view} />}</Route>
        <Route path="/statistics" component={Statistics} />
        <Route path="/tickets" component={Tickets} />
        <Route path="/tickets/:id">{({ id }) => <Ticket id={id} key={id} />}</Route>
        <Route path="/events" component={Events} />
        <Route path="/keys" component={Keys} />
        <Route path="/devices" component={Devices} />
        <Route path="/phones" component={Phones} />
        <Route path="/accounts" component={Accounts} />
        <Route path="/access-tokens" component={Tokens} />
        <Route path="/webhooks" component={Webhooks} />
        <Route path="/audit-trail" component={AuditTrail} />
        <Route path="/settings" component={Settings} />
        <Route component={MissingPage} />
      </Switch>
    </Suspense>
  );
}
