import { table } from './results.ts';

const CELL_BORDER = /(?<!\\)\|/;
const RULE = /^\|[\s:|-]+\|$/;
const LINK = /\[([^[\]]+)\]\([^()[\]]+\)/g;
const ANCHOR = /<a id="[^"]*"><\/a>/g;
const FENCE = /^\s*```/;

/** Markdown for a terminal: tables in columns, the text of links without their addresses, code without its fences. */
export function terminalLines(markdown: string, columnsMax: number): string[] {
  const blocks = markdown.split(/\n\n+/);
  return blocks.flatMap((block, index) => [
    ...(index === 0 ? [] : ['']),
    ...blockLines(block, columnsMax),
  ]);
}

function blockLines(block: string, columnsMax: number): string[] {
  const lines = block
    .split('\n')
    .filter((line) => !FENCE.test(line))
    .map(plain);
  const isTable = lines.every((line) => line.startsWith('|'));
  if (!isTable) return lines;
  const [heads = [], ...rows] = lines.filter((line) => !RULE.test(line)).map(cellsOf);
  return table(heads, rows, columnsMax);
}

function cellsOf(line: string): string[] {
  return line
    .split(CELL_BORDER)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function plain(line: string): string {
  return line.replace(ANCHOR, '').replace(LINK, '$1').replaceAll('**', '');
}
