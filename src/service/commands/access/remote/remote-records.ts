import { termsFrom } from '../../../../core/key-terms.ts';
import type { ApiKeyRecord, EventRecord } from '../../../../core/records.ts';
import type { Event } from '../../../../features/events/operations.ts';
import type { Key } from '../../../../features/keys/operations.ts';

/** Without the counts that a server shows beside it. */
export function eventFrom({ tickets: _, inside: __, ...event }: Event): EventRecord {
  return event;
}

/** Without what a server works out of it. */
export function keyFrom({
  usage: _,
  state: __,
  expiresSoon: ___,
  lastUsedAt: ____,
  ...key
}: Key): ApiKeyRecord {
  const { readers, onExit, expiresAt, rotations, previousUntil, device, ...plain } = key;
  const terms = { readers, onExit, expiresAt, rotations, previousUntil, device };
  return { ...plain, ...termsFrom(terms) };
}
