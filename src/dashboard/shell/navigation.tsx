import { TextInput } from '@mantine/core';
import {
  IconActivity,
  IconCalendarEvent,
  IconChartBar,
  IconClipboardCheck,
  IconDoorEnter,
  IconLayoutDashboard,
  IconQrcode,
  IconSearch,
  IconServer2,
  IconSettings,
  IconTicket,
  IconUsers,
} from '@tabler/icons-react';
import { type ComponentType, type FormEvent, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { reaches } from '../../core/administrative-records.ts';
import { queryOf, type Role } from '../api/http.ts';
import { useIsSite } from '../api/site-status.ts';
import { useSession } from '../api/use-api.tsx';
import { partOf } from '../components/part.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';

/** The search for a ticket, and the links to the pages that the signed-in account may see. */
export function Menu() {
  return (
    <>
      <QuickSearch />
      <Navigation />
    </>
  );
}

function Navigation() {
  const { navigation } = useDeskTexts();
  const [location] = useLocation();
  const { role } = useSession().account;
  const isSite = useIsSite();
  const here = entryOf(location)?.path;
  const places = PLACES.filter(
    ({ from, isOnlyAtCentre }) => reaches(role, from) && !(isOnlyAtCentre && isSite),
  );
  return (
    <nav aria-label={navigation.label}>
      <ul className="navigation">
        {places.map(({ path, text, Icon }) => (
          <li key={path}>
            <Link href={path} aria-current={path === here ? 'page' : undefined}>
              <Icon size={20} aria-hidden />
              {navigation[text]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The pages below the current entry of the menu. A filter stays on the way from one to the other. */
export function Parts() {
  const { navigation } = useDeskTexts();
  const [location] = useLocation();
  const search = useSearch();
  const { role } = useSession().account;
  const entry = entryOf(location);
  const parts = entry?.parts?.filter(({ from }) => reaches(role, from)) ?? [];
  if (!entry || parts.length < 2) return null;
  const here = placeOf(location)?.path;
  return (
    <nav aria-label={navigation[entry.text]}>
      <ul className="parts">
        {parts.map(({ path, text }) => (
          <li key={path}>
            <Link
              href={search === '' ? path : `${path}?${search}`}
              aria-current={path === here ? 'page' : undefined}
            >
              {navigation[text]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Finds a ticket from every page. */
function QuickSearch() {
  const { navigation } = useDeskTexts();
  const [, navigate] = useLocation();
  const [wanted, setWanted] = useState('');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    navigate(`/tickets${queryOf({ search: wanted.trim() })}`);
    setWanted('');
  };
  return (
    <search>
      <form onSubmit={onSubmit}>
        <TextInput
          type="search"
          aria-label={navigation.find}
          placeholder={navigation.find}
          autoComplete="off"
          leftSection={<IconSearch size={18} aria-hidden />}
          value={wanted}
          onChange={(change) => setWanted(change.currentTarget.value)}
        />
      </form>
    </search>
  );
}

export interface Place {
  readonly path: string;
  readonly text: keyof DeskTexts['navigation'];
  /** Who may less does not see it. */
  readonly from: Role;
  /** Loaded when it is first opened; the frame has the scan page itself. */
  readonly Page: ComponentType | null;
}

interface Entry extends Place {
  readonly Icon: typeof IconTicket;
  /** Not in the menu of a site. */
  readonly isOnlyAtCentre?: true;
  /** The pages below an entry of the menu. The first one has the address of the entry. */
  readonly parts?: readonly Place[];
}

const Overview = partOf(() => import('../pages/overview.tsx').then((page) => page.OverviewPage));
const Log = partOf(() => import('../pages/log.tsx').then((page) => page.LiveLogPage));
const History = partOf(() => import('../pages/log.tsx').then((page) => page.HistoryPage));
const Refused = partOf(() => import('../pages/log.tsx').then((page) => page.RefusedPage));
const AuditLog = partOf(() => import('../pages/log.tsx').then((page) => page.AuditLogPage));
const Statistics = partOf(() =>
  import('../pages/statistics.tsx').then((page) => page.StatisticsPage),
);
const Closing = partOf(() => import('../pages/closing.tsx').then((page) => page.ClosingPage));
const Tickets = partOf(() => import('../pages/tickets.tsx').then((page) => page.TicketsPage));
const Events = partOf(() => import('../pages/events.tsx').then((page) => page.EventsPage));
const Keys = partOf(() => import('../pages/keys.tsx').then((page) => page.KeysPage));
const Devices = partOf(() => import('../pages/devices.tsx').then((page) => page.DevicesPage));
const Phones = partOf(() => import('../pages/devices.tsx').then((page) => page.PhonesPage));
const Sites = partOf(() => import('../pages/sites.tsx').then((page) => page.SitesPage));
const Accounts = partOf(() => import('../pages/accounts.tsx').then((page) => page.AccountsPage));
const Tokens = partOf(() => import('../pages/accounts.tsx').then((page) => page.AccessTokensPage));
const Webhooks = partOf(() => import('../pages/webhooks.tsx').then((page) => page.WebhooksPage));
const Settings = partOf(() => import('../pages/settings.tsx').then((page) => page.SettingsPage));

const LOG: readonly Place[] = [
  { path: '/log', text: 'live', from: 'viewer', Page: Log },
  { path: '/log/history', text: 'history', from: 'viewer', Page: History },
  { path: '/log/refused', text: 'refused', from: 'viewer', Page: Refused },
];
const GATES: readonly Place[] = [
  { path: '/gates', text: 'keys', from: 'viewer', Page: Keys },
  { path: '/gates/devices', text: 'devices', from: 'viewer', Page: Devices },
  { path: '/gates/phones', text: 'phones', from: 'operator', Page: Phones },
];
const SETTINGS: readonly Place[] = [
  { path: '/settings', text: 'general', from: 'viewer', Page: Settings },
  { path: '/settings/access-tokens', text: 'accessTokens', from: 'viewer', Page: Tokens },
  { path: '/settings/webhooks', text: 'webhooks', from: 'owner', Page: Webhooks },
  { path: '/settings/audit-log', text: 'auditLog', from: 'owner', Page: AuditLog },
];

/** The menu. */
const PLACES: readonly Entry[] = [
  { path: '/', text: 'overview', from: 'viewer', Page: Overview, Icon: IconLayoutDashboard },
  { path: '/scanner', text: 'scanner', from: 'scanner', Page: null, Icon: IconQrcode },
  { path: '/tickets', text: 'tickets', from: 'viewer', Page: Tickets, Icon: IconTicket },
  { path: '/log', text: 'log', from: 'viewer', Page: Log, Icon: IconActivity, parts: LOG },
  { path: '/statistics', text: 'statistics', from: 'viewer', Page: Statistics, Icon: IconChartBar },
  { path: '/closing', text: 'closing', from: 'viewer', Page: Closing, Icon: IconClipboardCheck },
  { path: '/events', text: 'events', from: 'viewer', Page: Events, Icon: IconCalendarEvent },
  { path: '/gates', text: 'gates', from: 'viewer', Page: Keys, Icon: IconDoorEnter, parts: GATES },
  {
    path: '/sites',
    text: 'sites',
    from: 'viewer',
    Page: Sites,
    Icon: IconServer2,
    isOnlyAtCentre: true,
  },
  { path: '/accounts', text: 'accounts', from: 'owner', Page: Accounts, Icon: IconUsers },
  {
    path: '/settings',
    text: 'settings',
    from: 'viewer',
    Page: Settings,
    Icon: IconSettings,
    parts: SETTINGS,
  },
];

/** The entry of the menu that an address belongs to. */
function entryOf(location: string): Entry | undefined {
  return PLACES.find(
    ({ path }) => location === path || (path !== '/' && location.startsWith(`${path}/`)),
  );
}

/** The page of an address: a part of an entry, or the entry. */
export function placeOf(location: string): Place | undefined {
  const entry = entryOf(location);
  return entry?.parts?.find(({ path }) => location === path) ?? entry;
}
