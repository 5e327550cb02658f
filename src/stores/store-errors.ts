import { refuse, TicketscanError } from '../core/errors.ts';
import { NOT_KNOWN_YET } from '../core/event-home.ts';

/** Section 8: an organisation has a limited number of keys. */
export function tooManyKeys(keysMax: number): TicketscanError {
  return refuse('keys_max', {
    max: keysMax,
    command: 'ticketscan organisations edit --keys-max N',
  });
}

/** The bound keeps lists and statistics of one organisation so short that they do not slow the gates of others. */
export function tooManyEvents(max: number): TicketscanError {
  return refuse('events_max', { max, command: 'ticketscan organisations edit --events-max N' });
}

/** The identifier of a ticket must contain its event. */
export function misnamedTicket(ticketId: string, eventId: string): TicketscanError {
  return new TicketscanError(
    'usage',
    `${ticketId} is not a ticket identifier of event ${eventId}.`,
  );
}

export function taken(what: string, cause?: unknown): TicketscanError {
  return refuse(
    what.startsWith('Ticket ') ? 'tickets_taken' : 'name_taken',
    {},
    { of: what, cause },
  );
}

/** A key may scan events of its own organisation only. */
export function noSuchEventThere(eventId: string): TicketscanError {
  return refuse('event_elsewhere', {}, { of: eventId });
}

/** An event or organisation can only be deleted if it is empty. @param content what it still has, in the plural, such as `tickets` */
export function notEmpty(what: 'event' | 'organisation', content: string): TicketscanError {
  if (what === 'organisation')
    return new TicketscanError(
      'conflict',
      `The organisation still has ${content}, so it is not deleted.`,
    );
  const detail = 'To delete it with its tickets: ticketscan events delete EVENT --with-tickets';
  return refuse('event_not_empty', {}, { detail });
}

/** An event that is being deleted cannot be used: the caller must wait until its remains are gone. */
export function beingDeleted(eventId: string): TicketscanError {
  return new TicketscanError(
    'conflict',
    `Event ${eventId} is being deleted with its tickets. Wait until that has ended, then try again.`,
  );
}

/** A scan waited too long for the store; nothing of it was written. */
export function scanGivenUp(): TicketscanError {
  return new TicketscanError(
    'store_busy',
    'A scan waited too long for the database, which is locked or too slow. Nothing was changed; scan again.',
  );
}

/** The record after which a list should continue was deleted meanwhile. */
export function lostPlace(id: string): TicketscanError {
  return new TicketscanError(
    'not_found',
    `The list cannot go on after ${id}, which does not exist (any more): begin it again.`,
  );
}

export function notFound(what: string, id: string): TicketscanError {
  return new TicketscanError('not_found', `Unknown ${what} ${id}.`);
}

/** A copy begins in an empty store, or continues in the one that it has begun. */
export function copyTargetNotEmpty(): TicketscanError {
  return new TicketscanError(
    'conflict',
    'The target is not empty, and not an incomplete copy of this source (a complete one is not continued). Name a new one; nothing was changed.',
  );
}

/** An optimistic change came too late, or the name exists already. */
export function changedMeanwhile(what: string): TicketscanError {
  return refuse('changed_meanwhile', {}, { of: `This ${what}` });
}

/** An unfinished copy must not reach a gate: it may have half of the tickets, or used tickets without their uses. */
export function incompleteCopy(): TicketscanError {
  return new TicketscanError(
    'conflict',
    'This store is an incomplete copy. Complete it with the same `ticketscan store copy <from> <to>`, or remove it.',
  );
}

/** Only the home of an event may do this. @param where the home, in words */
export function awayFrom(what: string, where: string): TicketscanError {
  if (where === NOT_KNOWN_YET)
    return refuse(
      'event_asked_for',
      {},
      { detail: `${what} waits for that: ticketscan sites list` },
    );
  const message = `${what} is for the home of its event, which is ${where}. Do it there, or bring the event back first: ticketscan events move EVENT --to centre.`;
  return new TicketscanError('conflict', message, { reason: 'event_away' });
}

/** A site has its tickets, keys and events from its centre. */
export function onlyAtCentre(): TicketscanError {
  return refuse('only_at_centre');
}
