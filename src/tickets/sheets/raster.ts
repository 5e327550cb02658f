import type { SheetLayout } from './layouts.ts';

export const PADDING_MM = 1.5;
const CODE_WIDTH_SHARE_MAX = 0.56;

/** The side of the square that a layout has for a code and its quiet zone, in millimetres. */
export function codeSide({ cell, code }: SheetLayout): number {
  const width = cell.width - 2 * PADDING_MM;
  const height = cell.height - 2 * PADDING_MM;
  return code === 'top' ? width : Math.min(height, width * CODE_WIDTH_SHARE_MAX);
}

/**
 * How many dots of the printer make one module (square) of a code, so that all modules come out equally large. 0 when
 * there is no room for one dot each.
 * @param modules along one side, with the quiet zone
 */
export function dotsPerModule(layout: SheetLayout, modules: number): number {
  // The little that is added keeps a module of a whole number of dots from losing one to rounding.
  return Math.floor(codeSide(layout) / modules / layout.dot + 1e-6);
}
