import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { reaches } from '../core/administrative-records.ts';
import { useMay, useSession } from './api/session.tsx';
import { Loading } from './components/states.tsx';
import { ForbiddenPage, MissingPage } from './pages/missing-page.tsx';
import { placeOf } from './shell/places.ts';

/** Each page is loaded when it is first opened. */
const Overview = lazy(() => import('./pages/overview.tsx').then(page('OverviewPage')));
const Scanner = lazy(() => import('./pages/scanner/scanner-page.tsx').then(page('ScannerPage')));
const Log = lazy(() => import('./pages/log.tsx').then(page('LogPage')));
const Statistics = lazy(() => import('./pages/statistics.tsx').then(page('StatisticsPage')));
const Tickets = lazy(() => import('./pages/tickets/tickets.tsx').then(page('TicketsPage')));
const Ticket = lazy(() => import('./pages/tickets/ticket.tsx').then(page('TicketPage')));
const Events = lazy(() => import('./pages/events.tsx').then(page('EventsPage')));
const Keys = lazy(() => import('./pages/gates/keys.tsx').then(page('KeysPage')));
const Devices = lazy(() => import('./pages/gates/devices.tsx').then(page('DevicesPage')));
const Accounts = lazy(() => import('./pages/accounts.tsx').then(page('AccountsPage')));
const Tokens = lazy(() => import('./pages/settings/tokens.tsx').then(page('AccessTokensPage')));
const Phones = lazy(() => import('./pages/gates/phones.tsx').then(page('PhonesPage')));
const Webhooks = lazy(() => import('./pages/settings/webhooks.tsx').then(page('WebhooksPage')));
const AuditTrail = lazy(() =>
  import('./pages/settings/audit-log.tsx').then(page('AuditTrailPage')),
);
const Settings = lazy(() => import('./pages/settings/settings.tsx').then(page('SettingsPage')));

/** Picks the named export of a page's module, as `lazy` wants it. */
function page<Name extends string>(name: Name) {
  return <Component,>(module: Record<Name, Component>) => ({ default: module[name] });
}

/** The page of the current address; a scanner sees the scan page alone. */
export function Pages() {
  const mayRead = useMay('viewer');
  const [location] = useLocation();
  const { role } = useSession().account;
  if (!mayRead) {
    return (
      <Suspense fallback={<Loading />}>
        <Scanner />
      </Suspense>
    );
  }
  const place = placeOf(location);
  if (place && !reaches(role, place.from)) return <ForbiddenPage place={place} key={place.path} />;
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
        <Route path="/gates" component={Keys} />
        <Route path="/gates/devices" component={Devices} />
        <Route path="/gates/phones" component={Phones} />
        <Route path="/accounts" component={Accounts} />
        <Route path="/settings/access-tokens" component={Tokens} />
        <Route path="/settings/webhooks" component={Webhooks} />
        <Route path="/settings/audit-log" component={AuditTrail} />
        <Route path="/settings" component={Settings} />
        <Route component={MissingPage} />
      </Switch>
    </Suspense>
  );
}
