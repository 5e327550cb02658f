import * as z from 'zod';
import { EventJson } from '../../../core/codecs/records.ts';
import type { EventRecord } from '../../../core/records.ts';

/** An event in the JSON of a command. */
export function shownEvent(event: EventRecord): Record<string, unknown> {
  return z.encode(EventJson, event);
}
