import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the built page, as it goes over the wire. */
export interface PageFile {
  readonly type: string;
  /** Changes with the content. */
  readonly tag: string;
  readonly content: Buffer;
  /** Compressed when the page was built. */
  readonly compressed: { readonly br?: Buffer; readonly gzip?: Buffer };
}

export interface BuiltPage {
  readonly html: string;
  /** By name. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Where the build puts the page: beside the program, or in `dist` when the source runs as it is. */
function builtDashboard(): string | undefined {
  const places = ['./dashboard/', '../../../dist/dashboard/'];
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(`${folder}index.html`));
}

/**
 * Reads the built page into memory, about 2 MB: no request opens a file, and an update of the files on the disk does not mix
 * two builds. Undefined without a build.
 */
export function readBuiltPage(): BuiltPage | undefined {
  const root = builtDashboard();
  if (root === undefined) return undefined;
  const names = readdirSync(`${root}assets`);
  const read = (name: string) => readFileSync(`${root}assets/${name}`);
  const assets = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const content = read(name);
    assets.set(name, {
      type,
      tag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
      content,
      compressed: {
        ...(names.includes(`${name}.br`) && { br: read(`${name}.br`) }),
        ...(names.includes(`${name}.gz`) && { gzip: read(`${name}.gz`) }),
      },
    });
  }
  return { html: readFileSync(`${root}index.html`, 'utf8'), assets };
}

/** The best form of a file for who sent `accepted`, the header Accept-Encoding (RFC 9110, section 12.5.3). */
export function encodedFor(
  { content, compressed }: PageFile,
  accepted: string | undefined,
): { readonly encoding?: 'br' | 'gzip'; readonly content: Buffer } {
  const codings = (accepted ?? '').toLowerCase().split(',');
  for (const encoding of ['br', 'gzip'] as const) {
    const smaller = compressed[encoding];
    if (smaller && codings.some((coding) => takes(coding, encoding))) {
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
