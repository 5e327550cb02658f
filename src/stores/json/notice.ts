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

export interface TakenOver {
  readonly edits: readonly Edit[];
  /** The tickets of which personal texts were in the document, although their guests were erased. */
  readonly erased: readonly string[];
  /** Whether the document was made from a text that is not the last one. */
  readonly isOlder: boolean;
}

/**
 * What was taken over from a document, for people.
 * @returns undefined where there is nothing to tell
 */
export function noticeOf(path: string, { edits, erased, isOlder }: TakenOver): string | undefined {
  const name = basename(path);
  const done = LISTS.flatMap((list) => DEEDS.flatMap((deed) => deedText(list, deed, edits)));
  const edited = done.length === 0 ? [] : [`Edited: ${done.join(', ')}.`];
  const dropped =
    erased.length === 0
      ? []
      : [`Not taken over: what it says of guests who were erased since (${namesIn(erased)}).`];
  if (isOlder)
    return [
      `${name} was made from an earlier text than the last one. What was changed since then stays.`,
      ...(edited.length + dropped.length === 0 ? ['Nothing in it was edited.'] : edited),
      ...dropped,
    ].join(' ');
  if (done.length === 0) return undefined;
  return `${name} was edited: ${done.join(', ')}.`;
}

function namesIn(ids: readonly string[]): string {
  const named = ids.slice(0, NAMED_MAX);
  const more = ids.length > NAMED_MAX ? [`and ${ids.length - NAMED_MAX} more`] : [];
  return [...named, ...more].join(', ');
}

function deedText(list: List, deed: Deed, edits: readonly Edit[]): string[] {
  const done = edits.filter((edit) => edit.list === list && deedOf(edit) === deed);
  if (done.length === 0) return [];
  return [`${counted(done.length, NOUNS[list])} ${deed} (${namesIn(done.map(({ id }) => id))})`];
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
