import { type Direction, type ExitRule, readersIn, readersText } from '../../../core/direction.ts';
import type { Key } from '../../api/types.ts';
import { fieldFromTime, timeFromField } from '../../i18n/formats.ts';

/** What can be set at creation and changed later (section 2.1). */
export type KeyDraft = Pick<Key, 'name' | 'type' | 'events' | 'relay' | 'openSeconds'> & {
  /** Such as `0=in,1=out`. */
  readonly readers: string;
  readonly onExit: ExitRule;
  /** The name of a device file; empty for the known models. */
  readonly device: string;
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
  device: '',
  expires: '',
};

/** A key as its form shows it. */
export function draftOf(key: Key): KeyDraft {
  const { onExit = 'consume', device = '', expiresAt } = key;
  const readers = readersText(key);
  return { ...key, readers, onExit, device, expires: fieldFromTime(expiresAt) };
}

/** The directions of the form; undefined for a text that names none. */
export function readersOf({
  readers,
}: Pick<KeyDraft, 'readers'>): Record<string, Direction> | undefined {
  return readersIn(readers);
}

/** What the server is asked for. @param before the draft that the form began with */
export function bodyOf(draft: KeyDraft, before: KeyDraft): object {
  const { name, events, relay, openSeconds, onExit, device, expires } = draft;
  const expiresAt = expires === '' ? null : timeFromField(expires);
  return {
    name,
    events,
    // An expiry that is over must not keep a key from being renamed.
    ...(expires !== before.expires && { expiresAt }),
    ...(draft.type === 'hardware' && { relay, openSeconds, readers: readersOf(draft), onExit }),
    // A file that this server lacks must not keep a key from being renamed.
    ...(draft.type === 'hardware' && device !== before.device && { device }),
  };
}
