import { timesToJson } from '../../../core/codecs/time.ts';
import type { EventRecord } from '../../../core/records.ts';

/** An event in the JSON of a command. */
export function shownEvent(event: EventRecord): Record<string, unknown> {
  return timesToJson(event);
}
