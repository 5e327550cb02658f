import { TicketscanError } from '../core/errors.ts';

/** Section 8: an organisation has a limited number of keys. */
export function tooManyKeys(keysMax: number): TicketscanError {
  return new TicketscanError(
    'limit_reached',
    `The organisation has its ${keysMax} API keys already. Delete one first, or raise the limit: ` +
      'ticketscan organisations edit --keys-max N.',
  );
}

export function notFound(what: string, id: string): TicketscanError {
  return new TicketscanError('not_found', `There is no ${what} ${id}.`);
}
