import { type PackedLines, packedLines } from './penalty.ts';

/** The eight mask patterns of ISO/IEC 18004: true flips the module at row `i`, column `j`. */
const MASKS: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2 === 0,
];

/** The modules that differ between a symbol with mask 0 and the same with another mask, its format included. */
export interface MaskFlip {
  readonly cells: Uint8Array;
  readonly rows: PackedLines;
  readonly columns: PackedLines;
}

/**
 * What each of the eight masks flips in a symbol that has mask 0; the same for every text of that size.
 * @param reserved 1 where a module belongs to a fixed pattern, which no mask flips
 */
export function maskFlips(size: number, reserved: Uint8Array): MaskFlip[] {
  const zero = formatBits(0);
  return MASKS.map((mask, number) => {
    const cells = Uint8Array.from(reserved, (fixed, index) => {
      const i = Math.floor(index / size);
      const j = index % size;
      return !fixed && mask(i, j) !== ((i + j) % 2 === 0) ? 1 : 0;
    });
    writeFormat(cells, size, formatBits(number) ^ zero);
    return { cells, ...packBoth(cells, size) };
  });
}

/** The same cells, packed by row and by column. */
export function packBoth(
  cells: Uint8Array,
  size: number,
): { rows: PackedLines; columns: PackedLines } {
  const rows = packedLines(size);
  const columns = packedLines(size);
  const { wordsPerStep } = rows;
  for (let i = 0, at = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1, at += 1) {
      const cell = cells[at] as number;
      const inRow = i * wordsPerStep + (j >> 5);
      const inColumn = j * wordsPerStep + (i >> 5);
      rows.words[inRow] = (rows.words[inRow] as number) | (cell << (j & 31));
      columns.words[inColumn] = (columns.words[inColumn] as number) | (cell << (i & 31));
    }
  }
  return { rows, columns };
}

/** Five bits of level (zero for M) and mask with ten of BCH, so that a reader finds them in a damaged symbol. */
function formatBits(mask: number): number {
  let rest = mask << 10;
  for (let bit = 14; bit >= 10; bit -= 1) {
    if ((rest >> bit) & 1) rest ^= 0b10100110111 << (bit - 10);
  }
  return ((mask << 10) | rest) ^ 0b101010000010010;
}

/** Both copies of the format, around the finder patterns. */
function writeFormat(cells: Uint8Array, size: number, bits: number): void {
  for (let i = 0; i < 15; i += 1) {
    const bit = (bits >> i) & 1;
    const row = i < 6 ? i : i < 8 ? i + 1 : size - 15 + i;
    const column = i < 8 ? size - i - 1 : i < 9 ? 15 - i : 14 - i;
    cells[row * size + 8] = bit;
    cells[8 * size + column] = bit;
  }
}
