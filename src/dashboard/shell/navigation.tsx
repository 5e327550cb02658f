import {
  IconActivity,
  IconCalendarEvent,
  IconChartBar,
  IconDeviceDesktopAnalytics,
  IconDeviceMobile,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconQrcode,
  IconSettings,
  IconTicket,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { reaches } from '../../core/administrative-records.ts';
import { useSession } from '../api/session.tsx';
import type { Role } from '../api/types.ts';
import { type Texts, useTexts } from '../i18n/language.tsx';

interface Entry {
  readonly path: string;
  readonly text: keyof Texts['navigation'] & string;
  readonly Icon: typeof IconKey;
  readonly from: Role;
}

const ENTRIES: readonly Entry[] = [
  { path: '/', text: 'overview', Icon: IconLayoutDashboard, from: 'viewer' },
  { path: '/scanner', text: 'scanner', Icon: IconQrcode, from: 'scanner' },
  { path: '/log', text: 'log', Icon: IconActivity, from: 'viewer' },
  { path: '/statistics', text: 'statistics', Icon: IconChartBar, from: 'viewer' },
  { path: '/tickets', text: 'tickets', Icon: IconTicket, from: 'viewer' },
  { path: '/events', text: 'events', Icon: IconCalendarEvent, from: 'viewer' },
  { path: '/keys', text: 'keys', Icon: IconKey, from: 'viewer' },
  { path: '/devices', text: 'devices', Icon: IconDeviceDesktopAnalytics, from: 'viewer' },
  { path: '/phones', text: 'phones', Icon: IconDeviceMobile, from: 'operator' },
  { path: '/accounts', text: 'accounts', Icon: IconUsers, from: 'owner' },
  { path: '/access-tokens', text: 'accessTokens', Icon: IconListDetails, from: 'viewer' },
  { path: '/webhooks', text: 'webhooks', Icon: IconWebhook, from: 'owner' },
  { path: '/audit-trail', text: 'auditTrail', Icon: IconHistory, from: 'owner' },
  { path: '/settings', text: 'settings', Icon: IconSettings, from: 'viewer' },
];

/** Links to the pages that the signed-in account may see. */
export function Navigation() {
  const texts = useTexts();
  const [location] = useLocation();
  const { role } = useSession().account;
  return (
    <nav aria-label={texts.navigation.label}>
      <ul className="navigation">
        {ENTRIES.filter(({ from }) => reaches(role, from)).map(({ path, text, Icon }) => (
          <li key={path}>
            <Link href={path} aria-current={isBelow(location, path) ? 'page' : undefined}>
              <Icon size={20} aria-hidden />
              {texts.navigation[text]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isBelow(location: string, path: string): boolean {
  return location === path || (path !== '/' && location.startsWith(`${path}/`));
}
