import { TicketscanError } from '../core/errors.ts';

const PORT_MAX = 65_535;

/** @throws TicketscanError `usage` when the text is not a port; 0 is valid: any free port */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX) return Number(text);
  throw new TicketscanError(
    'usage',
    `"${text}" is not a valid port: give a number from 0 to ${PORT_MAX}.`,
  );
}
