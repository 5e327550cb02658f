import type { JsonRecord } from './json.ts';

/** Section 2.4: the texts that the display of a controller can hold, in bytes. */
export const NAME_BYTES_MAX = 16;
export const NOTE_BYTES_MAX = 32;

/** Section 7.3: what the display says to a ticket that is refused. */
export const DENIAL_NOTES = {
  exhausted: 'Ticket erschöpft',
  expired: 'Ticket abgelaufen',
  forged: 'Ungültiges Ticket',
  unknown: 'Ticket nicht gefunden',
  notYetValid: 'Noch nicht gültig',
  outOfScope: 'Kein Zugriff',
} as const;

/** Section 7.3: what the display says when the door opens. */
export function grantNote(used: number, allowed: number): string {
  return `Ticket gültig (${used}/${allowed})`;
}

/** The numbers in a granted Note, or undefined when it is none. */
export function usesInNote(note: unknown): { used: number; allowed: number } | undefined {
  const match = typeof note === 'string' ? /^Ticket gültig \((\d+)\/(\d+)\)$/.exec(note) : null;
  return match ? { used: Number(match[1]), allowed: Number(match[2]) } : undefined;
}

/** The fields of an answer that are no strings. */
export function notStrings(answer: JsonRecord): string[] {
  return Object.keys(answer).filter((name) => typeof answer[name] !== 'string');
}

export const DEVICE_FIELDS: readonly string[] = ['AcsRes', 'ActIndex', 'Time', 'Name', 'Note'];

/** What controllers of the documented family send; every value differs, so that an echo shows its origin. */
export const HEARTBEAT_BODY = {
  Key: '0A1B2C3D4E5F',
  Serial: 'CHECK-0002',
  ID: '77',
  Status: '11',
  Input: '0000',
  Now: '2026112109153006',
  Ver: '3.41',
  MAC: '00:11:22:33:44:55',
  IP: '192.0.2.7',
};
