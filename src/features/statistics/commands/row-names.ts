import { type Names, withName } from '../../../terminal/results.ts';
import { NO_EVENT, NO_TICKET } from '../../sheet-words.ts';
import type { RowLabel, StatisticsBy } from '../figures.ts';

/** A gate is a serial with a key: where several keys scan for one serial, its rows name them. */
export function distinctNames(
  rows: readonly RowLabel[],
  subject: StatisticsBy,
  keys: Names,
): string[] {
  const names = rows.map((row) => nameOf(row, subject));
  if (subject !== 'gate') return names;
  const keysOf = new Map<string, Set<string | undefined>>();
  for (const [index, { keyId }] of rows.entries()) {
    const name = names[index] ?? '';
    keysOf.set(name, (keysOf.get(name) ?? new Set()).add(keyId));
  }
  return rows.map(({ keyId }, index) => {
    const name = names[index] ?? '';
    return keyId !== undefined && (keysOf.get(name)?.size ?? 0) > 1
      ? `${name}, key ${withName(keyId, keys)}`
      : name;
  });
}

/** What of a row is about this subject, in words. */
function nameOf(
  { day, hour, event, eventName, gate, type }: RowLabel,
  subject: StatisticsBy,
): string {
  const names: Record<StatisticsBy, string | undefined> = {
    day,
    hour: hour?.replace('T', ' '),
    event: eventName ?? event ?? NO_EVENT,
    gate,
    type: type ?? NO_TICKET,
  };
  return names[subject] ?? '';
}

const number = new Intl.NumberFormat('en');

/** A count as people read it. */
export function countText(count: number): string {
  return number.format(count);
}

/** A column of numbers, with their ends below each other. */
export function aligned(
  head: string,
  values: readonly (number | string)[],
): { head: string; texts: string[] } {
  const texts = values.map((value) => (typeof value === 'number' ? countText(value) : value));
  const width = Math.max(head.length, ...texts.map(({ length }) => length));
  return { head: head.padStart(width), texts: texts.map((text) => text.padStart(width)) };
}
