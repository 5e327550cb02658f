import { TextInput } from '@mantine/core';
import {
  IconActivity,
  IconCalendarEvent,
  IconChartBar,
  IconDoorEnter,
  IconLayoutDashboard,
  IconQrcode,
  IconSearch,
  IconSettings,
  IconTicket,
  IconUsers,
} from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { reaches } from '../../core/administrative-records.ts';
import { queryOf } from '../api/http.ts';
import { useSession } from '../api/session.tsx';
import type { Role } from '../api/types.ts';
import { useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';

/** Links to the pages that the signed-in account may see. */
export function Navigation() {
  const { navigation } = useTexts();
  const [location] = useLocation();
  const { role } = useSession().account;
  const here = entryOf(location)?.path;
  return (
    <nav aria-label={navigation.label}>
      <ul className="navigation">
        {PLACES.filter(({ from }) => reaches(role, from)).map(({ path, text, Icon }) => (
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
  const { navigation } = useTexts();
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
export function QuickSearch() {
  const { navigation } = useTexts();
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
  readonly text: keyof Texts['navigation'];
  /** Who may less does not see it. */
  readonly from: Role;
}

interface Entry extends Place {
  readonly Icon: typeof IconTicket;
  /** The pages below an entry of the menu. The first one has the address of the entry. */
  readonly parts?: readonly Place[];
}

/** The menu. */
const PLACES: readonly Entry[] = [
  { path: '/', text: 'overview', from: 'viewer', Icon: IconLayoutDashboard },
  { path: '/scanner', text: 'scanner', from: 'scanner', Icon: IconQrcode },
  { path: '/tickets', text: 'tickets', from: 'viewer', Icon: IconTicket },
  {
    ...{ path: '/log', text: 'log', from: 'viewer', Icon: IconActivity },
    parts: [
      { path: '/log', text: 'live', from: 'viewer' },
      { path: '/log/history', text: 'history', from: 'viewer' },
      { path: '/log/refused', text: 'refused', from: 'viewer' },
    ],
  },
  { path: '/statistics', text: 'statistics', from: 'viewer', Icon: IconChartBar },
  { path: '/events', text: 'events', from: 'viewer', Icon: IconCalendarEvent },
  {
    ...{ path: '/gates', text: 'gates', from: 'viewer', Icon: IconDoorEnter },
    parts: [
      { path: '/gates', text: 'keys', from: 'viewer' },
      { path: '/gates/devices', text: 'devices', from: 'viewer' },
      { path: '/gates/phones', text: 'phones', from: 'operator' },
    ],
  },
  { path: '/accounts', text: 'accounts', from: 'owner', Icon: IconUsers },
  {
    ...{ path: '/settings', text: 'settings', from: 'viewer', Icon: IconSettings },
    parts: [
      { path: '/settings', text: 'general', from: 'viewer' },
      { path: '/settings/access-tokens', text: 'accessTokens', from: 'viewer' },
      { path: '/settings/webhooks', text: 'webhooks', from: 'owner' },
      { path: '/settings/audit-log', text: 'auditLog', from: 'owner' },
    ],
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
