import type { Role } from '../api/types.ts';
import type { Texts } from '../i18n/language.tsx';

export interface Place {
  readonly path: string;
  readonly text: keyof Texts['navigation'];
  /** Who may less does not see it. */
  readonly from: Role;
  /** The pages below an entry of the menu. The first one has the address of the entry. */
  readonly parts?: readonly Place[];
}

/** The menu. */
export const PLACES: readonly Place[] = [
  { path: '/', text: 'overview', from: 'viewer' },
  { path: '/scanner', text: 'scanner', from: 'scanner' },
  { path: '/tickets', text: 'tickets', from: 'viewer' },
  {
    ...{ path: '/log', text: 'log', from: 'viewer' },
    parts: [
      { path: '/log', text: 'live', from: 'viewer' },
      { path: '/log/history', text: 'history', from: 'viewer' },
      { path: '/log/refused', text: 'refused', from: 'viewer' },
    ],
  },
  { path: '/statistics', text: 'statistics', from: 'viewer' },
  { path: '/events', text: 'events', from: 'viewer' },
  {
    ...{ path: '/gates', text: 'gates', from: 'viewer' },
    parts: [
      { path: '/gates', text: 'keys', from: 'viewer' },
      { path: '/gates/devices', text: 'devices', from: 'viewer' },
      { path: '/gates/phones', text: 'phones', from: 'operator' },
    ],
  },
  { path: '/accounts', text: 'accounts', from: 'owner' },
  {
    ...{ path: '/settings', text: 'settings', from: 'viewer' },
    parts: [
      { path: '/settings', text: 'general', from: 'viewer' },
      { path: '/settings/access-tokens', text: 'accessTokens', from: 'viewer' },
      { path: '/settings/webhooks', text: 'webhooks', from: 'owner' },
      { path: '/settings/audit-log', text: 'auditLog', from: 'owner' },
    ],
  },
];

/** The entry of the menu that an address belongs to. */
export function entryOf(location: string): Place | undefined {
  return PLACES.find(
    ({ path }) => location === path || (path !== '/' && location.startsWith(`${path}/`)),
  );
}

/** The page of an address: a part of an entry, or the entry. */
export function placeOf(location: string): Place | undefined {
  const entry = entryOf(location);
  return entry?.parts?.find(({ path }) => location === path) ?? entry;
}
