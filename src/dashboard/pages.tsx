import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { reaches } from '../core/administrative-records.ts';
import { useMay, useSession } from './api/session.tsx';
import { PageHead } from './components/page-head.tsx';
import { Empty, Loading } from './components/states.tsx';
import { useTexts } from './i18n/language.tsx';
import { type Place, placeOf } from './shell/navigation.tsx';

/** Each page is loaded when it is first opened. */
const Overview = lazy(() => import('./pages/overview.tsx').then(page('OverviewPage')));
const Scanner = lazy(() => import('./pages/scanner.tsx').then(page('ScannerPage')));
const Log = lazy(() => import('./pages/log.tsx').then(page('LogPage')));
const Statistics = lazy(() => import('./pages/statistics.tsx').then(page('StatisticsPage')));
const Tickets = lazy(() => import('./pages/tickets.tsx').then(page('TicketsPage')));
const Ticket = lazy(() => import('./pages/ticket.tsx').then(page('TicketPage')));
const Events = lazy(() => import('./pages/events.tsx').then(page('EventsPage')));
const Keys = lazy(() => import('./pages/keys.tsx').then(page('KeysPage')));
const Devices = lazy(() => import('./pages/devices.tsx').then(page('DevicesPage')));
const Accounts = lazy(() => import('./pages/accounts.tsx').then(page('AccountsPage')));
const Tokens = lazy(() => import('./pages/tokens.tsx').then(page('AccessTokensPage')));
const Phones = lazy(() => import('./pages/phones.tsx').then(page('PhonesPage')));
const Webhooks = lazy(() => import('./pages/webhooks.tsx').then(page('WebhooksPage')));
const AuditLog = lazy(() => import('./pages/audit-log.tsx').then(page('AuditLogPage')));
const Settings = lazy(() => import('./pages/settings.tsx').then(page('SettingsPage')));

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
        <Route path="/settings/audit-log" component={AuditLog} />
        <Route path="/settings" component={Settings} />
        <Route component={MissingPage} />
      </Switch>
    </Suspense>
  );
}

/** For an address within the dashboard that leads nowhere. */
function MissingPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.missing.title} />
      <Empty text={texts.missing.text} />
    </>
  );
}

/** For the address of a page that only others may see. */
function ForbiddenPage({ place: { text, from } }: { place: Place }) {
  const { navigation, missing, roles } = useTexts();
  return (
    <>
      <PageHead title={navigation[text]} />
      <Empty text={missing.forbidden(roles[from])} />
    </>
  );
}
