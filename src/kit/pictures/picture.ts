/** Pixels in memory: red, green, blue, opacity, row by row from the top left. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** A rectangle in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What is laid under a picture. */
export type Ground = 'white' | 'black';

/** Lays a picture on a ground: QR readers ignore opacity. @returns whether any of it shows */
export function layOn(ground: Ground, { data }: Picture): boolean {
  const under = ground === 'white' ? 255 : 0;
  let shows = false;
  for (let at = 0; at < data.length; at += 4) {
    const opacity = data[at + 3] as number;
    if (opacity === 255) continue;
    shows = true;
    for (let channel = at; channel < at + 3; channel += 1) {
      data[channel] = under + (((data[channel] as number) - under) * opacity) / 255;
    }
    data[at + 3] = 255;
  }
  return shows;
}

/** A picture on white and, where it is transparent, the way to have it on black: its code may be light. */
export interface DrawnPicture {
  readonly picture: Picture;
  readonly onBlack?: () => Promise<Picture>;
}

/** @param draw makes the pixels anew each time: two copies of a large picture would take the memory of two */
export async function drawn(draw: () => Picture | Promise<Picture>): Promise<DrawnPicture> {
  const picture = await draw();
  if (!layOn('white', picture)) return { picture };
  const onBlack = async () => {
    const again = await draw();
    layOn('black', again);
    return again;
  };
  return { picture, onBlack };
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

/** Each square of `times` by `times` pixels becomes one, of their mean; what is left over at the right and below is cut off. */
export function reduce(picture: Picture, times: number): Picture {
  const width = Math.max(1, Math.floor(picture.width / times));
  const height = Math.max(1, Math.floor(picture.height / times));
  const data = new Uint8ClampedArray(width * height * 4);
  const sums = new Uint32Array(width * 3);
  for (let row = 0; row < height; row += 1) {
    sums.fill(0);
    for (let line = row * times; line < (row + 1) * times; line += 1) {
      addLine(picture, line, times, sums);
    }
    for (let column = 0; column < width; column += 1) {
      const at = (row * width + column) * 4;
      for (let channel = 0; channel < 3; channel += 1) {
        data[at + channel] = (sums[column * 3 + channel] as number) / (times * times);
      }
      data[at + 3] = 255;
    }
  }
  return { width, height, data };
}

/** Adds the colours of a line to the sums of the squares that it goes through. */
function addLine({ width, data }: Picture, line: number, times: number, sums: Uint32Array): void {
  let at = line * width * 4;
  for (let column = 0; column < sums.length; column += 3) {
    for (let step = 0; step < times; step += 1, at += 4) {
      for (let channel = 0; channel < 3; channel += 1) {
        sums[column + channel] =
          (sums[column + channel] as number) + (data[at + channel] as number);
      }
    }
  }
}

/** Makes a picture from one byte a pixel. */
export function fromGrey(grey: Uint8Array, width: number, height: number): Picture {
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = (0xff000000 | ((grey[at] as number) * 0x010101)) >>> 0;
  }
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
}
