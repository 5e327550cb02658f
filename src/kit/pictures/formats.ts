import { readJpeg } from './jpeg.ts';
import type { Picture } from './picture.ts';
import { readPng } from './png.ts';
import { readWebp } from './webp.ts';

/** A format whose files are read pixel by pixel. */
export interface PixelFormat {
  readonly name: string;
  readonly read: (bytes: Buffer<ArrayBuffer>) => Picture | Promise<Picture>;
}

/** How the files of each begin: extensions lie. */
const READ: readonly (readonly [beginning: RegExp, format: PixelFormat])[] = [
  [/^\x89PNG\r\n/, { name: 'PNG', read: readPng }],
  [/^\xff\xd8\xff/, { name: 'JPEG', read: readJpeg }],
  [/^RIFF.{4}WEBP/s, { name: 'WebP', read: readWebp }],
];

/** Formats of pictures that nothing here reads, and where they come from. */
const OTHERS: readonly (readonly [beginning: RegExp, name: string])[] = [
  [/^.{4}ftyp(?:hei|hev|mif1|msf1)/s, 'a HEIC picture (what iPhones take)'],
  [/^.{4}ftypavi/s, 'an AVIF picture'],
  [/^GIF8[79]a/, 'a GIF picture'],
  // Two letters begin many texts; behind the size are four empty bytes.
  [/^BM.{4}\p{Cc}{4}/su, 'a BMP picture'],
  [/^(?:II[*+]\p{Cc}|MM\p{Cc}[*+])/u, 'a TIFF picture'],
  [/^(?:\xff\n|\p{Cc}{4}JXL )/u, 'a JPEG XL picture'],
];

/** The format of a file, if it is read pixel by pixel. */
export function pixelFormatOf(bytes: Buffer): PixelFormat | undefined {
  const beginning = beginningOf(bytes);
  return READ.find(([begins]) => begins.test(beginning))?.[1];
}

/** What a picture is that nothing here reads, and what to do; undefined for what is none. */
export function adviceOnFormat(bytes: Buffer): string | undefined {
  const beginning = beginningOf(bytes);
  const name = OTHERS.find(([begins]) => begins.test(beginning))?.[1];
  return (
    name &&
    `is ${name}, which is not read: open it in any picture program and save it as PNG or JPEG`
  );
}

const BEGINNING_BYTES = 32;

function beginningOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, BEGINNING_BYTES);
}
