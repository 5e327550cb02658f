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
import { useTexts } from '../i18n/language.tsx';
import { entryOf, PLACES, placeOf } from './places.ts';

const ICONS: Readonly<Record<string, typeof IconTicket>> = {
  '/': IconLayoutDashboard,
  '/scanner': IconQrcode,
  '/tickets': IconTicket,
  '/log': IconActivity,
  '/statistics': IconChartBar,
  '/events': IconCalendarEvent,
  '/gates': IconDoorEnter,
  '/accounts': IconUsers,
  '/settings': IconSettings,
};

/** Links to the pages that the signed-in account may see. */
export function Navigation() {
  const { navigation } = useTexts();
  const [location] = useLocation();
  const { role } = useSession().account;
  const here = entryOf(location)?.path;
  return (
    <nav aria-label={navigation.label}>
      <ul className="navigation">
        {PLACES.filter(({ from }) => reaches(role, from)).map(({ path, text }) => {
          const Icon = ICONS[path] ?? IconTicket;
          return (
            <li key={path}>
              <Link href={path} aria-current={path === here ? 'page' : undefined}>
                <Icon size={20} aria-hidden />
                {navigation[text]}
              </Link>
            </li>
          );
        })}
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
