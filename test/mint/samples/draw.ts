import * as jpeg from 'jpeg-js';
import { PNG } from 'pngjs';
import { create } from 'qrcode';
import type { Picture } from '../../../src/kit/pictures/picture.ts';
import { toSvg as drawnAsSvg } from '../../../src/tickets/codes/render-qr.ts';
import type { QrSymbol } from '../../../src/tickets/codes/symbol.ts';
import { readSvg } from '../../../src/tickets/reading/load-pictures.ts';

const SIDE = 220;

/** How a code stands in a picture, and what lies on it. Colours and shapes are SVG. */
export interface Scene {
  readonly codes: readonly string[];
  readonly dark?: string;
  readonly light?: string;
  readonly background?: string;
  /** Degrees, clockwise. */
  readonly turn?: number;
  /** Drawn over the code, in a square of 220. */
  readonly over?: string;
  /** `M` by default; `H` survives more damage. */
  readonly errorCorrection?: 'M' | 'H';
}

/** The codes of a scene side by side, as SVG. */
export function toSvg(scene: Scene): string {
  const { codes, dark = '#000000', light = '#ffffff', background = light, turn = 0 } = scene;
  const width = widthOf(scene);
  const side = turn === 0 ? SIDE : SIDE * 0.7;
  const drawn = codes.map((code, index) => {
    const qr = drawnAsSvg(symbolOf(code, scene.errorCorrection ?? 'M'), 8)
      .replace(/width="\d+" height="\d+"/, `width="${side}" height="${side}"`)
      .replace('<svg ', `<svg x="${index * SIDE + (SIDE - side) / 2}" y="${(SIDE - side) / 2}" `)
      .replace('#ffffff', light)
      .replace('#000000', dark);
    return `<g transform="rotate(${turn} ${(index + 0.5) * SIDE} ${SIDE / 2})">${qr}</g>`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${SIDE}" viewBox="0 0 ${width} ${SIDE}">` +
    `<rect width="${width}" height="${SIDE}" fill="${background}"/>${drawn.join('')}${scene.over ?? ''}</svg>\n`
  );
}

/** The symbol of any level: tickets are all of level M. */
function symbolOf(code: string, errorCorrectionLevel: 'M' | 'H'): QrSymbol {
  const data = new TextEncoder().encode(code);
  const { modules, version, maskPattern } = create([{ mode: 'byte', data }], {
    errorCorrectionLevel,
  });
  return { size: modules.size, modules: modules.data, version, mask: maskPattern ?? 0 };
}

/** Draws a grey PNG. */
export async function toPng(scene: Scene): Promise<Buffer> {
  const { width, height, data } = await pixelsOf(scene);
  const png = new PNG({ width, height });
  png.data = Buffer.from(data);
  return PNG.sync.write(png, { colorType: 0 });
}

/** Draws a JPEG of low quality. */
export async function toJpeg(scene: Scene): Promise<Buffer> {
  const { width, height, data } = await pixelsOf(scene);
  return jpeg.encode({ width, height, data: Buffer.from(data) }, 40).data;
}

function pixelsOf(scene: Scene): Promise<Picture> {
  return readSvg(Buffer.from(toSvg(scene)), widthOf(scene));
}

function widthOf({ codes }: Scene): number {
  return SIDE * Math.max(1, codes.length);
}
