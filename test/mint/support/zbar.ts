import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Picture } from '../../../src/kit/pictures/picture.ts';

/** Debian's reader of bar codes, where it is installed: a third opinion that shares no code with the other two. */
export const hasZbar = spawnSync('zbarimg', ['--version']).error === undefined;

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const OPTIONS = ['--quiet', '--xml', '--nodbus', '-Sdisable', '-Sqrcode.enable'];

/** A picture that zbarimg is still to read, with the codes that it must find. */
export interface ForZbar {
  readonly file: string;
  readonly codes: readonly string[];
}

/** One call for many pictures. @returns what was not read, or was too much */
export async function readWithZbar(pictures: readonly ForZbar[]): Promise<string[]> {
  const xml = await output(pictures.map(({ file }) => file));
  const sources = new Map(
    xml.split("<source href='").map((part) => {
      const end = part.indexOf("'>");
      return [part.slice(0, end), part.slice(end)] as const;
    }),
  );
  return pictures.flatMap(({ file, codes }) => {
    const read = Array.from(
      (sources.get(file) ?? '').matchAll(/<!\[CDATA\[(.*?)\]\]>/gu),
      (match) => match[1],
    );
    const missing = codes.filter((code) => !read.includes(code)).length;
    return [
      ...(missing > 0 ? [`zbarimg does not read ${missing} of ${codes.length} in ${file}`] : []),
      ...(read.length > codes.length ? [`zbarimg reads too many codes of ${file}`] : []),
    ];
  });
}

/** It ends with 4 when it finds nothing in one of the pictures; what it found in the others is there all the same. */
function output(files: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      'zbarimg',
      [...OPTIONS, ...files],
      { encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX },
      (error, stdout) => {
        if (error && error.code !== 4) reject(error);
        else resolve(stdout);
      },
    );
  });
}

/** Writes a picture in the simplest format that zbarimg reads: a header and a byte of grey for each pixel. */
export function writeGrey(file: string, { width, height, data }: Picture): void {
  const header = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const bytes = Buffer.alloc(header.length + width * height);
  header.copy(bytes);
  for (let at = 0; at < width * height; at += 1) bytes[header.length + at] = data[at * 4] as number;
  writeFileSync(file, bytes);
}
