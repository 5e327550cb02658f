export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const UNIT_MS = { ms: 1, s: SECOND_MS, min: MINUTE_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** What a duration looks like in a file: `500ms`, `10s`, `1.5h`, `1d 12h`. */
export const DURATION = /^\s*(\d{1,12}(\.\d{1,12})?\s*(ms|s|min|m|h|d)\s*)+$/;
export const DURATION_ERROR = 'a duration must look like 500ms, 10s, 2m or 1h';

/**
 * The milliseconds of a text such as `500ms`, `10s` or `1d 12h`; undefined for anything else.
 * @param bareMs what a number without a unit counts; without this only 0 is one
 */
export function readDuration(text: string, bareMs?: number): number | undefined {
  if (/^\d{1,12}$/.test(text) && (bareMs !== undefined || Number(text) === 0))
    return Number(text) * (bareMs ?? 0);
  if (!DURATION.test(text)) return undefined;
  let ms = 0;
  const packed = text.replaceAll(/\s/g, '');
  for (const [, number, unit] of packed.matchAll(/(\d{1,12}(?:\.\d{1,12})?)([a-z]+)/g))
    ms += Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return Math.round(ms * 1e6) / 1e6;
}

/** A duration for people, in one unit: `50 ms`, `0.1 s`, `600 s`, `1 h`. */
export function shownDuration(ms: number): string {
  if (ms > 0 && ms < 100) return `${ms} ms`;
  return ms > 0 && ms % HOUR_MS === 0 ? `${ms / HOUR_MS} h` : `${ms / SECOND_MS} s`;
}
