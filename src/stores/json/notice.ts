import { basename } from 'node:path';
import type { Ticket } from '../../core/ticket.ts';
import { counted } from '../../kit/text.ts';
import type { StoredKey } from '../transfer/records.ts';
import { LISTS, type List } from './document.ts';
import type { Edit } from './edits.ts';

const NAMED_MAX = 5;

const NOUNS: Readonly<Record<List, string>> = {
  organisations: 'organisation',
  events: 'event',
  keys: 'key',
  administrative: 'setting',
  tickets: 'ticket',
};

/** What an edit can do to a row. The gravest comes last, because the reader of the notice remembers the last. */
const DEEDS = [
  'added',
  'changed',
  'cancelled',
  'reinstated',
  'disabled',
  'enabled',
  'removed',
] as const;
type Deed = (typeof DEEDS)[number];

/**
 * What was taken over from a document, for people.
 * @param isOlder whether it was made from a text that is not the last one
 * @returns undefined where there is nothing to tell
 */
export function noticeOf(
  path: string,
  edits: readonly Edit[],
  isOlder: boolean,
): string | undefined {
  const name = basename(path);
  const done = LISTS.flatMap((list) => DEEDS.flatMap((deed) => deedText(list, deed, edits)));
  if (!isOlder) return done.length === 0 ? undefined : `${name} was edited: ${done.join(', ')}.`;
  const edited = done.length === 0 ? 'Nothing in it was edited.' : `Edited: ${done.join(', ')}.`;
  return `${name} was made from an earlier text than the last one. What was changed since then stays. ${edited}`;
}

function deedText(list: List, deed: Deed, edits: readonly Edit[]): string[] {
  const ids = edits.filter((edit) => edit.list === list && deedOf(edit) === deed);
  if (ids.length === 0) return [];
  const named = ids.slice(0, NAMED_MAX).map(({ id }) => id);
  const more = ids.length > NAMED_MAX ? [`and ${ids.length - NAMED_MAX} more`] : [];
  return [`${counted(ids.length, NOUNS[list])} ${deed} (${[...named, ...more].join(', ')})`];
}

function deedOf({ list, before, after }: Edit): Deed {
  if (before === null) return 'added';
  if (after === null) return 'removed';
  if (list === 'keys') return keyDeed(before as StoredKey, after as StoredKey);
  if (list === 'tickets') return ticketDeed(before as Ticket, after as Ticket);
  return 'changed';
}

function keyDeed({ record: before }: StoredKey, { record: after }: StoredKey): Deed {
  if (before.active === after.active) return 'changed';
  return after.active ? 'enabled' : 'disabled';
}

function ticketDeed({ cancelledAt: before }: Ticket, { cancelledAt: after }: Ticket): Deed {
  if ((before === null) === (after === null)) return 'changed';
  return after === null ? 'reinstated' : 'cancelled';
}
