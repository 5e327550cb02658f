/**
 * Times as people write them, without an offset. When clocks go forward they skip times (02:30 in Berlin on the last Sunday of March); when they
 * go back they show times twice. A skipped time is refused by name, because any moment that took its place would be a guess. Of a time that is
 * there twice, a beginning is the earlier moment and an end the later one: the holder of a ticket loses nothing. A day is never a guess: it
 * begins with its first moment, also where clocks skip midnight, and ends with its last.
 */
import { DAY_MS } from '../kit/durations.ts';
import { refuse } from './errors.ts';
import { shownTime } from './time-zone.ts';

/** Which edge of a window a time is. */
export type Edge = 'from' | 'until';

/**
 * The moment at which clocks show a time.
 * @param asUtc what clocks show, as if they showed UTC
 * @param text what was written, for the message
 * @throws TicketscanError `usage` for a time that clocks skip; midnight is then the beginning of the day
 */
export function momentOf(asUtc: number, timeZone: string, edge: Edge, text: string): number {
  const moments = momentsOf(asUtc, timeZone);
  const moment = edge === 'from' ? moments[0] : moments.at(-1);
  if (moment !== undefined) return moment;
  const isMidnight = asUtc % DAY_MS === 0;
  if (isMidnight) return changeBefore(asUtc, timeZone);
  throw skipped(asUtc, timeZone, text);
}

/** The first moment of a day, or its last millisecond. Days of 23 and 25 hours come out right. @param dayAsUtc its midnight, as if clocks showed UTC */
export function boundOfDay(dayAsUtc: number, edge: Edge, timeZone: string): number {
  return edge === 'from'
    ? startOfDay(dayAsUtc, timeZone)
    : startOfDay(dayAsUtc + DAY_MS, timeZone) - 1;
}

function startOfDay(dayAsUtc: number, timeZone: string): number {
  return momentsOf(dayAsUtc, timeZone)[0] ?? changeBefore(dayAsUtc, timeZone);
}

/** The moments at which clocks show a time, the earlier one first: none where they skip it, two where they show it twice. */
function momentsOf(asUtc: number, timeZone: string): number[] {
  const [before, after] = offsetsAround(asUtc, timeZone);
  // The year has more than four digits. The caller refuses it.
  if (Number.isNaN(before + after)) return [Number.NaN];
  if (before === after) return [asUtc - before];
  const found = [asUtc - before, asUtc - after].filter(
    (moment) => moment + zoneOffsetMs(moment, timeZone) === asUtc,
  );
  return found.sort((a, b) => a - b);
}

/** The offsets a day before and a day after. No zone is a day from UTC, and none changes its clocks twice in two days. */
function offsetsAround(asUtc: number, timeZone: string): readonly [number, number] {
  return [zoneOffsetMs(asUtc - DAY_MS, timeZone), zoneOffsetMs(asUtc + DAY_MS, timeZone)];
}

/** The moment at which clocks go forward over a time that they skip. */
function changeBefore(asUtc: number, timeZone: string): number {
  const [before, after] = offsetsAround(asUtc, timeZone);
  let early = asUtc - after;
  let late = asUtc - before;
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (zoneOffsetMs(middle, timeZone) === before) early = middle;
    else late = middle;
  }
  return late;
}

/** A field of the page takes no offset, so the text alone does not name it. */
const OR_OFFSET = 'Or write the time with its offset from UTC, such as +01:00.';

function skipped(asUtc: number, timeZone: string, text: string) {
  const [before, after] = offsetsAround(asUtc, timeZone);
  const change = changeBefore(asUtc, timeZone);
  const shown = [change + before, change + after, asUtc + after - before].map((time) =>
    shownTime(time, 'UTC').slice(0, 16),
  );
  const isOneDay = new Set(shown.map((time) => time.slice(0, 10))).size === 1;
  const [left = '', next = '', later = ''] = isOneDay ? shown.map((time) => time.slice(11)) : shown;
  return refuse('time_skipped', { text, timeZone, left, next, later }, { detail: OR_OFFSET });
}

/** How far clocks in `timeZone` are ahead of UTC at `time`. */
function zoneOffsetMs(time: number, timeZone: string): number {
  const shown = Date.parse(`${shownTime(time, timeZone).replace(' ', 'T')}Z`);
  return shown - Math.floor(time / 1000) * 1000;
}
