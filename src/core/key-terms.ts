import { DAY_MS } from '../kit/durations.ts';
import type { ReaderDirections } from './direction.ts';
import { type KeyChoiceName, ofEachChoice } from './key-settings.ts';
import type { ApiKeyRecord } from './records.ts';

/** How long a key and its values hold, which way its readers point, and what it chooses. Every member is absent in a plain key. */
export type KeyTerms = ReaderDirections &
  Pick<ApiKeyRecord, KeyChoiceName | 'expiresAt' | 'rotations' | 'previousUntil' | 'device'>;

/** What holds where a key does not have the term. */
const USUAL: Readonly<Record<keyof KeyTerms, string | number | null>> = {
  readers: null,
  expiresAt: null,
  rotations: 0,
  previousUntil: null,
  device: '',
  ...ofEachChoice(({ usual }) => usual),
};

/** Which value of a key a request came with: how often the key had been rotated when that value was made. */
export interface UsedValue {
  readonly rotation?: number;
}

/** How long before its end a key or an access token is warned of. */
const EXPIRY_WARNING_MS = 14 * DAY_MS;

/** Whether a key answers a request at `now` that came with this value. */
export function keyHolds(
  key: KeyTerms & { readonly active: boolean },
  { rotation }: UsedValue,
  now: number,
): boolean {
  if (!key.active || isExpired(key, now)) return false;
  const rotations = key.rotations ?? 0;
  if (rotation === undefined || rotation === rotations) return true;
  return rotation === rotations - 1 && now < (key.previousUntil ?? 0);
}

/** The end of the value before the last rotation; undefined when it holds no longer. */
export function overlapEnd({ previousUntil }: KeyTerms, now: number): number | undefined {
  return previousUntil !== undefined && now < previousUntil ? previousUntil : undefined;
}

function isExpired({ expiresAt }: KeyTerms, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

/** How people see a key. */
export const KEY_STATES = ['active', 'disabled', 'expired'] as const;
export type KeyStateName = (typeof KEY_STATES)[number];

export function keyStateName(
  key: KeyTerms & { readonly active: boolean },
  now: number,
): KeyStateName {
  if (!key.active) return 'disabled';
  return isExpired(key, now) ? 'expired' : 'active';
}

/** True for an active key whose expiry is near. */
export function expiresSoon(key: KeyTerms & { readonly active: boolean }, now: number): boolean {
  return key.active && key.expiresAt !== undefined && endsSoon(key.expiresAt, now);
}

/** True for an end that is near, and not there yet. */
export function endsSoon(expiresAt: number, now: number): boolean {
  return now < expiresAt && expiresAt - now <= EXPIRY_WARNING_MS;
}

type GivenTerms = {
  readonly [Member in keyof KeyTerms]?: KeyTerms[Member] | null | undefined;
};

/** A key, or a row of one, without the terms that are not set: an absent member, a null and what holds without the term are one. */
export function withoutUnset<Key extends GivenTerms>(
  key: Key,
): Omit<Key, keyof KeyTerms> & KeyTerms {
  const kept = Object.entries(key).filter(
    ([name, value]) => !(name in USUAL) || isSet(value, USUAL[name as keyof KeyTerms]),
  );
  return Object.fromEntries(kept) as Omit<Key, keyof KeyTerms> & KeyTerms;
}

function isSet(value: unknown, usual: string | number | null): boolean {
  if (value === undefined || value === null || value === usual) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
