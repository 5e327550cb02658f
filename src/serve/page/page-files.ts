import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { programFilesIn, readProgramFile } from '../../kit/program-files.ts';

/** One file of the built page, as it goes over the wire. */
export interface PageFile {
  readonly type: string;
  /** Changes with the content. */
  readonly tag: string;
  readonly content: Buffer;
  /** Compressed when the page was built. */
  readonly compressed: { readonly br: Buffer; readonly gzip: Buffer };
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The document of the built page. Undefined without a build. */
export function readPageDocument(): string | undefined {
  return readProgramFile('dashboard/index.html')?.toString('utf8');
}

/** A document names its files from where it is, so that it also works below a path of a proxy. @param path where it is */
export function relativeTo(path: string, html: string): string {
  const up = '../'.repeat(path.split('/').length - 2);
  return up === '' ? html : html.replaceAll('"./', `"${up}`);
}

/**
 * Reads the files of the built page into memory, about 2 MB: no request opens a file, and an update of the files on the disk
 * does not mix two builds.
 * @returns them by name
 */
export function readPageAssets(): ReadonlyMap<string, PageFile> {
  const read = (name: string) =>
    readProgramFile(`dashboard/assets/${name}`) ?? missing(`dashboard/assets/${name}`);
  const assets = new Map<string, PageFile>();
  for (const file of programFilesIn('dashboard/assets')) {
    const name = file.replace(/\.br$/, '');
    const type = TYPES[extname(name)];
    if (name === file || type === undefined) continue;
    const [br, gzip] = [read(file), read(`${name}.gz`)];
    const content = brotliDecompressSync(br);
    assets.set(name, {
      type,
      tag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
      content,
      compressed: { br, gzip },
    });
  }
  return assets;
}

function missing(path: string): never {
  throw new Error(`dist/${path} is missing. Build or install ticketscan again.`);
}

/** The best form of a file for a client that sent `accepted`, the header Accept-Encoding (RFC 9110, section 12.5.3). */
export function encodedFor(
  { content, compressed }: PageFile,
  accepted: string | undefined,
): { readonly encoding?: 'br' | 'gzip'; readonly content: Buffer } {
  const codings = (accepted ?? '').toLowerCase().split(',');
  for (const encoding of ['br', 'gzip'] as const) {
    const smaller = compressed[encoding];
    if (codings.some((coding) => takes(coding, encoding))) {
      return { encoding, content: smaller };
    }
  }
  return { content };
}

/** `gzip;q=0` says that it is not wanted. */
function takes(coding: string, encoding: string): boolean {
  const [name, ...parameters] = coding.split(';');
  const weight = parameters.find((one) => one.trim().startsWith('q='));
  return name?.trim() === encoding && Number(weight?.trim().slice(2) ?? 1) > 0;
}
