import jsqr from 'jsqr';

/** A picture as a canvas gives it: four bytes for each pixel. */
export interface Picture {
  readonly data: Uint8ClampedArray<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** The halves overlap, so that a code in the middle is whole in one of them. */
const SHARE_OF_HALF = 0.6;

/** The codes in a picture. The finder sees none where there are two, as of tickets side by side: then each half is looked at alone. */
export function codesIn(picture: Picture): readonly string[] {
  const whole = codeIn(picture);
  if (whole !== undefined) return [whole];
  const found = halvesOf(picture).flatMap((half) => codeIn(half) ?? []);
  return [...new Set(found)];
}

function codeIn({ data, width, height }: Picture): string | undefined {
  // A light code on a dark ground too, as on a phone in dark mode.
  return jsqr.default(data, width, height, { inversionAttempts: 'attemptBoth' })?.data || undefined;
}

/** Left and right, or top and bottom of a picture that is higher than wide. */
function halvesOf(picture: Picture): readonly Picture[] {
  const { width, height } = picture;
  if (width >= height) {
    const part = Math.ceil(width * SHARE_OF_HALF);
    return [cut(picture, 0, 0, part, height), cut(picture, width - part, 0, part, height)];
  }
  const part = Math.ceil(height * SHARE_OF_HALF);
  return [cut(picture, 0, 0, width, part), cut(picture, 0, height - part, width, part)];
}

const PIXEL_BYTES = 4;

function cut(
  { data, width: whole }: Picture,
  left: number,
  top: number,
  width: number,
  height: number,
): Picture {
  const part = new Uint8ClampedArray(width * height * PIXEL_BYTES);
  for (let row = 0; row < height; row += 1) {
    const from = ((top + row) * whole + left) * PIXEL_BYTES;
    part.set(data.subarray(from, from + width * PIXEL_BYTES), row * width * PIXEL_BYTES);
  }
  return { data: part, width, height };
}
