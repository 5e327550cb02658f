import { isoTime } from '../../../core/clock.ts';

/** A time as it goes over the wire. */
export function wireTime(timeMs: number): string {
  return isoTime(timeMs) ?? '';
}
