import { writeFileSync } from 'node:fs';
import { create } from 'qrcode';

const WIDTH = 640;
const HEIGHT = 480;
const QUIET_MODULES = 4;
const WHITE = 235;
const BLACK = 16;
const GREY = 128;

/** How the code looks. */
export interface FilmOptions {
  /** Light on dark, as a phone in dark mode shows it. */
  readonly isInverted?: boolean;
  /** Another code that is held there too. */
  readonly beside?: string;
}

/** Writes a film of a QR code held before a camera, as Chromium takes one in place of a camera (YUV4MPEG2). */
export function writeFilm(
  path: string,
  code: string,
  { isInverted = false, beside }: FilmOptions = {},
): void {
  const colours = Buffer.alloc((WIDTH / 2) * (HEIGHT / 2) * 2, GREY);
  const picture = pictureOf(beside === undefined ? [code] : [code, beside]);
  const shown = isInverted ? picture.map((light) => WHITE + BLACK - light) : picture;
  const frame = [Buffer.from('FRAME\n'), shown, colours];
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`);
  writeFileSync(path, Buffer.concat([head, ...frame, ...frame]));
}

/** The codes beside each other. */
function pictureOf(codes: readonly string[]): Buffer {
  const picture = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  const share = Math.floor(WIDTH / codes.length);
  for (const [index, code] of codes.entries()) draw(picture, code, index * share, share);
  return picture;
}

function draw(picture: Buffer, code: string, from: number, width: number): void {
  const { modules } = create(code, { errorCorrectionLevel: 'M' });
  const size = Math.floor(Math.min(width, HEIGHT) / (modules.size + 2 * QUIET_MODULES));
  const left = from + Math.floor((width - modules.size * size) / 2);
  const top = Math.floor((HEIGHT - modules.size * size) / 2);
  for (let y = 0; y < modules.size * size; y += 1) {
    for (let x = 0; x < modules.size * size; x += 1) {
      const dark = modules.get(Math.floor(y / size), Math.floor(x / size));
      if (dark) picture[(top + y) * WIDTH + left + x] = BLACK;
    }
  }
}
