import type { QrSymbol } from './symbol.ts';

/** Dark modules next to each other in one row. */
export interface Bar {
  readonly row: number;
  readonly column: number;
  readonly length: number;
}

/** The dark modules of a symbol as the longest horizontal bars, for formats that draw shapes. */
export function barsOf({ size, modules }: QrSymbol): Bar[] {
  const bars: Bar[] = [];
  for (let row = 0; row < size; row += 1) {
    let start = -1;
    for (let column = 0; column <= size; column += 1) {
      const dark = column < size && modules[row * size + column] === 1;
      if (dark && start < 0) start = column;
      if (!dark && start >= 0) {
        bars.push({ row, column: start, length: column - start });
        start = -1;
      }
    }
  }
  return bars;
}
