import { refuse } from '../../core/errors.ts';
import { didYouMean } from '../../kit/nearest.ts';

/** The places of tickets on paper. All lengths are in millimetres. */
export interface SheetLayout {
  readonly name: string;
  /** One line for help texts. */
  readonly description: string;
  readonly page: { readonly width: number; readonly height: number };
  readonly columns: number;
  readonly rows: number;
  readonly cell: { readonly width: number; readonly height: number };
  /** The left upper corner of the first cell. */
  readonly origin: { readonly left: number; readonly top: number };
  /** The distance from one cell's left upper corner to the next one's. */
  readonly pitch: { readonly across: number; readonly down: number };
  /** Marks for scissors; labels are cut already. */
  readonly cutMarks: boolean;
  /** The code beside the text or above it. */
  readonly code: 'left' | 'top';
  /** What printers of this paper can set; the squares of a code are whole dots, so that all have the same size. */
  readonly dot: number;
}

/** Dots of 300 to an inch; those of 600 and 1200 divide them. */
const DOT = 25.4 / 300;
/** Thermal printers set eight to a millimetre. */
const THERMAL_DOT = 1 / 8;
/** Whole dots as well, which is how scanners and drivers see a page: A4 is 2480 × 3508. */
const A4 = { width: 2480 * DOT, height: 3508 * DOT };
const LETTER = { width: 2550 * DOT, height: 3300 * DOT };

/** Every layout; sizes of labels are those of the sheets in the shops. */
export const LAYOUTS: readonly SheetLayout[] = [
  cards('a4', A4, 85, 55, 'A4, ten tickets of 85 × 55 mm with cut marks'),
  cards('letter', LETTER, 85, 50, 'Letter, ten tickets of 85 × 50 mm with cut marks'),
  {
    ...labels('label-63x38', A4, [3, 7], [63.5, 38.1], [7.2, 15.15], [66.04, 38.1]),
    description: 'A4, 21 labels of 63.5 × 38.1 mm (as Avery L7160)',
  },
  {
    ...labels('label-70x37', A4, [3, 8], [70, 37], [0, 0.5], [70, 37]),
    description: 'A4, 24 labels of 70 × 37 mm (as Avery 3474)',
  },
  {
    ...labels('label-99x68', A4, [2, 4], [99.1, 67.7], [4.65, 13.1], [101.6, 67.7]),
    description: 'A4, 8 labels of 99.1 × 67.7 mm (as Avery L7165)',
  },
  {
    ...labels('label-67x25', LETTER, [3, 10], [66.68, 25.4], [4.76, 12.7], [69.85, 25.4]),
    description: 'Letter, 30 labels of 66.7 × 25.4 mm (as Avery 5160)',
  },
  {
    ...labels('label-102x51', LETTER, [2, 5], [101.6, 50.8], [4.76, 12.7], [106.36, 50.8]),
    description: 'Letter, 10 labels of 101.6 × 50.8 mm (as Avery 5163)',
  },
  roll('thermal-58', 58, 80, 48, 'thermal printer, roll of 58 mm, one ticket a page'),
  roll('thermal-80', 80, 105, 72, 'thermal printer, roll of 80 mm, one ticket a page'),
];

/** @throws TicketscanError `usage` for a name that is none, with those that are */
export function layoutNamed(name: string): SheetLayout {
  const layout = LAYOUTS.find((one) => one.name === name);
  if (layout) return layout;
  const names = LAYOUTS.map((one) => one.name);
  const detail = `Known are ${names.join(', ')}.${didYouMean(name, names)}`;
  throw refuse('unknown_sheet', { name }, { detail });
}

/** Two columns of five, edge to edge in the middle of the page. */
function cards(
  name: string,
  page: SheetLayout['page'],
  width: number,
  height: number,
  description: string,
): SheetLayout {
  const [columns, rows] = [2, 5];
  const left = (page.width - columns * width) / 2;
  const top = (page.height - rows * height) / 2;
  const size: Pair = [width, height];
  const cells = labels(name, page, [columns, rows], size, [left, top], size);
  return { ...cells, description, cutMarks: true };
}

type Pair = readonly [number, number];

function labels(
  name: string,
  page: SheetLayout['page'],
  [columns, rows]: Pair,
  [width, height]: Pair,
  [left, top]: Pair,
  [across, down]: Pair,
): Omit<SheetLayout, 'description'> {
  return {
    name,
    page,
    columns,
    rows,
    cell: { width, height },
    origin: { left, top },
    pitch: { across, down },
    cutMarks: false,
    code: 'left',
    dot: DOT,
  };
}

/** @param printable width in the middle of the roll that the print head reaches */
function roll(
  name: string,
  width: number,
  height: number,
  printable: number,
  description: string,
): SheetLayout {
  const size: Pair = [printable, height];
  const cell = labels(name, { width, height }, [1, 1], size, [(width - printable) / 2, 0], size);
  return { ...cell, description, code: 'top', dot: THERMAL_DOT };
}

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
