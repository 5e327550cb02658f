import { barsOf } from './bars.ts';
import { type QrSymbol, QUIET_ZONE } from './symbol.ts';

/** One path of horizontal bars on a rectangle: sharp at every size, readable by any SVG renderer. */
export function toSvg(symbol: QrSymbol, scale: number): string {
  const side = symbol.size + 2 * QUIET_ZONE;
  const pixels = side * scale;
  let bars = '';
  for (const { row, column, length } of barsOf(symbol)) {
    bars += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h${length}v1h-${length}z`;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#ffffff" d="M0 0h${side}v${side}h-${side}z"/>` +
    `<path fill="#000000" d="${bars}"/></svg>\n`
  );
}
