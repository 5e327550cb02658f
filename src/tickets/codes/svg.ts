import { barsOf } from './bars.ts';
import type { QrLook } from './look.ts';
import type { QrSymbol } from './symbol.ts';

/** One path of horizontal bars on a rectangle: sharp at every size, readable by any SVG renderer. */
export function toSvg(symbol: QrSymbol, look: QrLook): string {
  const { margin, scale, dark, light } = look;
  const side = symbol.size + 2 * margin;
  const pixels = side * scale;
  let bars = '';
  for (const { row, column, length } of barsOf(symbol)) {
    bars += `M${column + margin} ${row + margin}h${length}v1h-${length}z`;
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" ` +
    `viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="${light.css}" d="M0 0h${side}v${side}h-${side}z"/>` +
    `<path fill="${dark.css}" d="${bars}"/></svg>\n`
  );
}
