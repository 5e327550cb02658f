import { type QrSymbol, QUIET_ZONE } from './symbol.ts';

/** By upper and lower half of a character cell: which are dark. */
const HALF_BLOCKS = [' ', '▄', '▀', '█'] as const;
/** Black on white whatever the colours of the terminal are: a code with light and dark swapped does not scan everywhere. */
const BLACK_ON_WHITE = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/** The symbol in half blocks for a page that is light: two modules a character, dark ones printed. */
export function toText(symbol: QrSymbol): string {
  return lines(symbol)
    .map((line) => `${line}\n`)
    .join('');
}

/** The same with colours, for a terminal of any background. */
export function toTerminal(symbol: QrSymbol): string {
  return lines(symbol)
    .map((line) => `${BLACK_ON_WHITE}${line}${RESET}\n`)
    .join('');
}

function lines({ size, modules }: QrSymbol): string[] {
  const isDark = (row: number, column: number): number =>
    row >= 0 && row < size && column >= 0 && column < size
      ? (modules[row * size + column] as number)
      : 0;
  const all: string[] = [];
  for (let row = -QUIET_ZONE; row < size + QUIET_ZONE; row += 2) {
    let line = '';
    for (let column = -QUIET_ZONE; column < size + QUIET_ZONE; column += 1) {
      line += HALF_BLOCKS[isDark(row, column) * 2 + isDark(row + 1, column)];
    }
    all.push(line);
  }
  return all;
}
