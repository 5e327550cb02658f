const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(Z|[+-]\d{2}(?::?\d{2})?)?$/;
const BASIC_DATE_TIME =
  /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})?((?:[.,]\d+)?)(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/** A moment as an ISO 8601 timestamp gives it. */
export interface Moment {
  /** Milliseconds since 1970, reading a timestamp without a zone as UTC. */
  readonly epochMs: number;
  /** False when the text names no zone: another reader may take it for another moment. */
  readonly hasZone: boolean;
}

/** Reads an ISO 8601 timestamp (date and time, extended or basic form); undefined for anything else. */
export function readTimestamp(text: unknown): Moment | undefined {
  if (typeof text !== 'string') return undefined;
  const match = DATE_TIME.exec(extended(text));
  if (!match) return undefined;
  const [, date = '', time = '', zone] = match;
  const epochMs = Date.parse(`${date}T${wholeTime(time)}${wholeZone(zone)}`);
  if (Number.isNaN(epochMs)) return undefined;
  // Date.parse takes the 31st of a shorter month for the next month's first days
  if (new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return undefined;
  return { epochMs, hasZone: zone !== undefined };
}

/** True when the timestamp means that moment, give or take. */
export function isNear(moment: Moment, epochMs: number, toleranceMs: number): boolean {
  return Math.abs(moment.epochMs - epochMs) <= toleranceMs;
}

function extended(text: string): string {
  const match = BASIC_DATE_TIME.exec(text);
  if (!match) return text;
  const [, year, month, day, hour, minute, second = '00', fraction, zone = ''] = match;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${zone}`;
}

/** JavaScript reads seconds with at most the fraction it knows, and only with a dot. */
function wholeTime(time: string): string {
  const [clock = '', fraction] = time.split(/[.,]/);
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  return fraction === undefined ? seconds : `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}

function wholeZone(zone: string | undefined): string {
  if (zone === undefined || zone === 'Z') return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
