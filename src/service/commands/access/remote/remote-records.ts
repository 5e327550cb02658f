import { timesFromJson } from '../../../../core/codecs/time.ts';
import type { ApiKeyRecord, EventRecord } from '../../../../core/records.ts';
import type { Key } from '../../../admin/wire/keys.ts';
import type { Event } from '../../../admin/wire/organisation.ts';

/** Without the counts that a server shows beside it. */
export function eventFrom({ tickets: _, ...event }: Event): EventRecord {
  return timesFromJson(event);
}

export function keyFrom({ usage: _, ...key }: Key): ApiKeyRecord {
  return timesFromJson(key);
}
