/** A point of a line; null leaves a gap. */
interface Point {
  readonly x: number;
  readonly y: number | null;
}

export interface Series {
  readonly name: string;
  /** Name of a CSS class that gives the colour. */
  readonly style: string;
  readonly points: readonly Point[];
}

/** One axis: what it measures and how a value becomes a place from 0 to 1. */
export interface Axis {
  readonly label: string;
  readonly ticks: readonly { readonly value: number; readonly text: string }[];
  readonly place: (value: number) => number;
}

const WIDTH = 720;
const HEIGHT = 260;
const LEFT = 64;
const RIGHT = 32;
const TOP = 16;
const BOTTOM = 44;

/** Lines in a chart, as SVG. The title is read out where the picture cannot be seen. */
export function lineChart(title: string, x: Axis, y: Axis, series: readonly Series[]): string {
  const lines = series.map(
    ({ style, points }) => `<path class="line ${style}" d="${path(points, x, y)}"/>`,
  );
  return chart(title, x, y, lines, series);
}

/** Stacked bars in a chart; all series have the same x values, one unit apart. */
export function barChart(title: string, x: Axis, y: Axis, series: readonly Series[]): string {
  const below = new Map<number, number>();
  const width = Math.max(1, across(x.place(1) - x.place(0)) - across(0) - 1);
  const bars = series.flatMap(({ style, points }) =>
    points.flatMap((point) => {
      const from = below.get(point.x) ?? 0;
      const to = from + (point.y ?? 0);
      below.set(point.x, to);
      if (to === from) return [];
      const top = down(y.place(to));
      const height = down(y.place(from)) - top;
      return [
        `<rect class="${style}" x="${number(across(x.place(point.x)))}" y="${number(top)}" width="${number(width)}" height="${number(height)}"/>`,
      ];
    }),
  );
  return chart(title, x, y, bars, series);
}

function chart(
  title: string,
  x: Axis,
  y: Axis,
  marks: string[],
  series: readonly Series[],
): string {
  return [
    `<figure><figcaption>${title}</figcaption>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
    ...y.ticks.map(({ value, text }) => {
      const at = number(down(y.place(value)));
      return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/><text class="tick" x="${LEFT - 6}" y="${at}" text-anchor="end" dy="4">${text}</text>`;
    }),
    ...x.ticks.map(({ value, text }) => {
      const at = number(across(x.place(value)));
      return `<text class="tick" x="${at}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${text}</text>`;
    }),
    ...marks,
    `<text class="tick" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${x.label}</text>`,
    `<text class="tick" transform="rotate(-90)" x="${-(TOP + HEIGHT - BOTTOM) / 2}" y="14" text-anchor="middle">${y.label}</text>`,
    '</svg>',
    `<p class="legend">${series.map(({ name, style }) => `<span class="${style}">■</span> ${name}`).join(' &nbsp; ')}</p></figure>`,
  ].join('\n');
}

function path(points: readonly Point[], x: Axis, y: Axis): string {
  let pen = 'M';
  const parts: string[] = [];
  for (const point of points) {
    if (point.y === null) {
      pen = 'M';
      continue;
    }
    parts.push(`${pen}${number(across(x.place(point.x)))} ${number(down(y.place(point.y)))}`);
    pen = 'L';
  }
  return parts.join('');
}

function across(place: number): number {
  return LEFT + place * (WIDTH - LEFT - RIGHT);
}

function down(place: number): number {
  return HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM);
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** An even axis from 0 to at least `most`, with about five ticks at round values. */
export function evenAxis(label: string, most: number): Axis {
  const step = roundStep(Math.max(most, 1) / 5);
  const end = Math.max(step, Math.ceil(most / step) * step);
  const count = Math.round(end / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => {
    const value = Math.round(index * step * 1000) / 1000;
    return { value, text: String(value) };
  });
  return { label, ticks, place: (value) => value / end };
}

/** An axis on which each power of ten has the same room. Values below `least` stand at its beginning. */
export function decadeAxis(label: string, least: number, most: number): Axis {
  const from = Math.floor(Math.log10(least));
  const to = Math.max(from + 1, Math.ceil(Math.log10(most)));
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => {
    const value = 10 ** (from + index);
    return { value, text: String(Number(value.toPrecision(1))) };
  });
  const place = (value: number) => (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from);
  return { label, ticks, place };
}

function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return Math.max(1, factor * power);
}
