import * as z from 'zod';
import { isoTime } from '../clock.ts';

/**
 * Milliseconds since 1970 UTC in the program, ISO 8601 in UTC everywhere in JSON. The text is not checked beyond that it is a time:
 * one odd time in a store must not take the page that shows it.
 */
export const Time = z.codec(z.string().meta({ format: 'date-time' }), z.number(), {
  decode: (text) => Date.parse(text),
  encode: (time) => isoTime(time) ?? '',
});
export const TimeOrNull = Time.nullable();
