/** Pixels in memory: red, green, blue, opacity, row by row from the top left. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** A picture of a file, and the page it is when the file has pages. */
export interface PagePicture {
  readonly picture: Picture;
  /** From 1; null in a file without pages. */
  readonly page: number | null;
}

/** A rectangle in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** As many as the largest cameras of phones take; each costs some ten bytes while it is read. */
export const PIXELS_MAX = 50_000_000;

/** Lays a picture on white: QR readers ignore opacity, and see a transparent background as black. */
export function onWhite(picture: Picture): Picture {
  const { data } = picture;
  for (let at = 0; at < data.length; at += 4) {
    const opacity = data[at + 3] as number;
    if (opacity === 255) continue;
    for (let channel = at; channel < at + 3; channel += 1) {
      data[channel] = 255 + (((data[channel] as number) - 255) * opacity) / 255;
    }
    data[at + 3] = 255;
  }
  return picture;
}

/** The part of `picture` inside `box`; what sticks out is cut off. */
export function crop(picture: Picture, box: Box): Picture {
  const left = Math.max(0, Math.floor(box.left));
  const top = Math.max(0, Math.floor(box.top));
  const width = Math.max(1, Math.min(picture.width, Math.ceil(box.right)) - left);
  const height = Math.max(1, Math.min(picture.height, Math.ceil(box.bottom)) - top);
  const data = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row += 1) {
    const from = ((top + row) * picture.width + left) * 4;
    data.set(picture.data.subarray(from, from + width * 4), row * width * 4);
  }
  return { width, height, data };
}

/** Every pixel `times` times in both directions: readers miss codes of one or two pixels a module. */
export function enlarge(picture: Picture, times: number): Picture {
  const width = picture.width * times;
  const height = picture.height * times;
  const from = new Uint32Array(picture.data.buffer, picture.data.byteOffset);
  const to = new Uint32Array(width * height);
  for (let row = 0, at = 0; row < height; row += 1) {
    const start = Math.floor(row / times) * picture.width;
    for (let column = 0; column < width; column += 1, at += 1) {
      to[at] = from[start + Math.floor(column / times)] as number;
    }
  }
  return { width, height, data: new Uint8ClampedArray(to.buffer) };
}

/** From one byte a pixel. */
export function fromGrey(grey: Uint8Array, width: number, height: number): Picture {
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = (0xff000000 | ((grey[at] as number) * 0x010101)) >>> 0;
  }
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
}
