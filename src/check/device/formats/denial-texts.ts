import { DENIAL_NOTES } from '../../facts/device-answer.ts';
import type { DenialKind } from './format.ts';

/** Section 7.3; where it leaves the text open, the text of the reference service. */
export const DENIAL_TEXTS: Readonly<Record<DenialKind, string>> = {
  ...DENIAL_NOTES,
  refusedKey: 'Kein Zugriff',
  unreadable: 'Ungültiges Ticket',
  limited: 'Zu viele Anfragen',
  failed: 'Serverfehler',
};
