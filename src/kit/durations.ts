export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNITS_MS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

/** Milliseconds of a duration with its unit, such as `500ms`, `1.5s` or `7d`; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  if (unit === undefined) return undefined;
  // A sum of binary fractions: 16.1 s are 16,100 ms.
  return Math.round(Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS] * 1e6) / 1e6;
}
