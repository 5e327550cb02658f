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

/** A copy goes into an empty store, or on into the one that it has begun. */
export function copyTargetNotEmpty(): TicketscanError {
  return new TicketscanError(
    'conflict',
    'The target is not empty, and not a copy of this source that was cut short. Name a new one; nothing was changed.',
  );
}

/** An optimistic change came too late, or something of that name is there already. */
export function changedMeanwhile(what: string): TicketscanError {
  return new TicketscanError(
    'conflict',
    `This ${what} exists already, or somebody else has changed it in the meantime. Look again, then repeat.`,
  );
}
