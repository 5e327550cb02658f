/** Which way people go past a reader. */
export const DIRECTIONS = ['in', 'out'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What a read outwards at the consume endpoint does. */
export const EXIT_RULES = ['consume', 'validate', 'open'] as const;
export type ExitRule = (typeof EXIT_RULES)[number];

/** What a scan did at a reader with a direction. */
export const ACTIONS = ['consumed', 'validated', 'opened'] as const;
export type Action = (typeof ACTIONS)[number];

/** The readers of a hardware key. Both members are absent where nothing is configured. */
export interface ReaderDirections {
  /** The directions by the index that the device sends; `*` is every other reader, and one without an index. */
  readonly readers?: Readonly<Record<string, Direction>> | undefined;
  /** `consume` when absent. */
  readonly onExit?: ExitRule | undefined;
}

const EVERY_READER = '*';
const READER = /^(?:\*|[A-Za-z0-9][A-Za-z0-9_-]{0,15})$/;
export const READERS_MAX = 64;

/** The direction that is configured for a reader; undefined when none is. @param reader as the device sent it */
export function directionOf(
  { readers }: ReaderDirections,
  reader: string | null,
): Direction | undefined {
  if (!readers) return undefined;
  const index = reader === null ? EVERY_READER : indexOf(reader);
  return Object.hasOwn(readers, index) ? readers[index] : readers[EVERY_READER];
}

/** Devices send the same reader as 1, "1", "01" or 1.0. */
function indexOf(reader: string): string {
  const text = reader.trim();
  const number = /^[\d.e+]{1,16}$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? String(number) : text;
}

/** The directions of `0=in,1=out`; none of `none` and of an empty text; undefined of any other text. */
export function readersIn(text: string): Record<string, Direction> | undefined {
  if (text.trim() === '' || text.trim() === 'none') return {};
  const readers = new Map<string, Direction>();
  for (const pair of text.split(',')) {
    const [reader = '', direction, ...rest] = pair.split('=').map((part) => part.trim());
    const index = indexOf(reader);
    if (direction !== 'in' && direction !== 'out') return undefined;
    if (rest.length > 0 || readers.has(index)) return undefined;
    readers.set(index, direction);
  }
  return areReaders([...readers.keys()]) ? Object.fromEntries(readers) : undefined;
}

/** Whether these can be the indices of readers. */
export function areReaders(names: readonly string[]): boolean {
  return names.length <= READERS_MAX && names.every((name) => READER.test(name));
}

/** `0=in,1=out`; empty when there are none. */
export function readersText({ readers = {} }: ReaderDirections): string {
  return Object.entries(readers)
    .map(([reader, direction]) => `${reader}=${direction}`)
    .join(',');
}
