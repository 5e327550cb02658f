import { readersIn, readersText } from '../../core/direction.ts';
import {
  type GivenChoices,
  type KeyChoiceName,
  ofEachChoice,
  USUAL_DOOR,
} from '../../core/key-settings.ts';
import type { Key } from '../api/http.ts';
import { fieldFromTime, timeFromField } from '../i18n/time-fields.ts';

type DraftChoices = Readonly<Record<KeyChoiceName, string>>;

/** What can be set at creation and changed later (section 2.1). */
export type KeyDraft = Pick<Key, 'name' | 'type' | 'events' | 'relay' | 'openSeconds'> &
  DraftChoices & {
    /** Such as `0=in,1=out`. */
    readonly readers: string;
    /** The name of a device file; empty for the known models. */
    readonly device: string;
    /** The end as the field of the form has it, in the zone of the page; empty for never. */
    readonly expires: string;
  };

export const NEW_KEY: KeyDraft = {
  name: '',
  type: 'api',
  events: 'all',
  ...USUAL_DOOR,
  readers: '',
  ...ofEachChoice(({ usual }) => usual),
  device: '',
  expires: '',
};

/** A key as its form shows it. */
export function draftOf(key: Key): KeyDraft {
  const { device = '', expiresAt } = key;
  const choices = ofEachChoice(({ usual }, name) => key[name] ?? usual);
  const expires = fieldFromTime(expiresAt);
  return { ...key, ...choices, readers: readersText(key), device, expires };
}

/** What the server is asked for. @param before the draft that the form began with */
export function inputOf(draft: KeyDraft, before: KeyDraft) {
  const { name, events, relay, openSeconds, device, expires } = draft;
  const expiresAt = expires === '' ? null : timeFromField(expires, 'until');
  return {
    name,
    events,
    // An expiry that is over must not keep a key from being renamed.
    ...(expires !== before.expires && { expiresAt }),
    ...(draft.type === 'hardware' && {
      relay,
      openSeconds,
      readers: readersIn(draft.readers),
      ...(ofEachChoice((_, choice) => draft[choice]) as GivenChoices),
    }),
    // A file that this server lacks must not keep a key from being renamed.
    ...(draft.type === 'hardware' && device !== before.device && { device }),
  };
}
