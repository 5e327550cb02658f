import { type Direction, type ExitRule, readersIn, readersText } from '../../../core/direction.ts';
import type { Key } from '../../api/types.ts';

/** What can be set at creation and changed later (section 2.1). */
export type KeyDraft = Pick<Key, 'name' | 'type' | 'events' | 'relay' | 'openSeconds'> & {
  /** Such as `0=in,1=out`. */
  readonly readers: string;
  readonly onExit: ExitRule;
  /** As the field of the form has it, in the viewer's zone; empty for never. */
  readonly expires: string;
};

/** The form of a new key. */
export const NEW_KEY: KeyDraft = {
  name: '',
  type: 'api',
  events: 'all',
  relay: 'auto',
  openSeconds: 5,
  readers: '',
  onExit: 'consume',
  expires: '',
};

/** A key as its form shows it. */
export function draftOf(key: Key): KeyDraft {
  const { onExit = 'consume', expiresAt } = key;
  return { ...key, readers: readersText(key), onExit, expires: localText(expiresAt) };
}

/** The directions of the form; undefined for a text that names none. */
export function readersOf({
  readers,
}: Pick<KeyDraft, 'readers'>): Record<string, Direction> | undefined {
  return readersIn(readers);
}

/** What the server is asked for. @param before the draft that the form began with */
export function bodyOf(draft: KeyDraft, before: KeyDraft): object {
  const { name, events, relay, openSeconds, onExit, expires } = draft;
  const expiresAt = expires === '' ? null : new Date(expires).toISOString();
  return {
    name,
    events,
    // An expiry that is over must not keep a key from being renamed.
    ...(expires !== before.expires && { expiresAt }),
    ...(draft.type === 'hardware' && { relay, openSeconds, readers: readersOf(draft), onExit }),
  };
}

/** For a field of date and time: the viewer's zone, to the minute. */
function localText(iso: string | undefined): string {
  if (iso === undefined) return '';
  const time = new Date(iso);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
