import * as z from 'zod';
import { isoTime } from '../clock.ts';

/** ISO 8601 in UTC, as everywhere in JSON. Not checked: one odd time in a store must not take the page that shows it. */
export const Time = z.string().meta({ format: 'date-time' });
export const TimeOrNull = Time.nullable();

/** The members of records that are times: milliseconds since 1970 UTC in the program, null where there is none. */
const TIME_MEMBERS = [
  ...(['at', 'createdAt', 'expiresAt', 'idleUntil', 'lastSignInAt', 'firstAt', 'lastAt'] as const),
  ...(['pairedAt', 'lastSeenAt'] as const),
  ...(['validFrom', 'validUntil', 'lastConsumedAt', 'cancelledAt', 'archivedAt'] as const),
  ...(['previousUntil', 'lastUsedAt', 'resetAt'] as const),
];
const isTime: ReadonlySet<string> = new Set(TIME_MEMBERS);

type Convert<Value, Time> = Value extends null ? null : Time;
type Times<Value, Time> = {
  -readonly [Member in keyof Value]: Member extends (typeof TIME_MEMBERS)[number]
    ? Convert<Value[Member], Time>
    : Value[Member];
};

/** The record with ISO 8601 texts for its times. */
export function timesToJson<Value extends object>(record: Value): Times<Value, string> {
  return mapTimes(record, (time) => isoTime(time as number));
}

/** The record with milliseconds for its times. */
export function timesFromJson<Value extends object>(json: Value): Times<Value, number> {
  return mapTimes(json, (text) => Date.parse(text as string));
}

function mapTimes<Value extends object, Time>(
  record: Value,
  convert: (time: unknown) => unknown,
): Times<Value, Time> {
  const members = Object.entries(record).map(([name, value]) => [
    name,
    isTime.has(name) && value !== null ? convert(value) : value,
  ]);
  return Object.fromEntries(members);
}
