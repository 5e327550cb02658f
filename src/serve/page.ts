import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../core/scan-requests.ts';
import { programFilesIn, readProgramFile } from '../kit/program-files.ts';
import { PAGE_HEADERS } from '../operations/http/answers.ts';
import type { MissingPage } from '../scan/http/app.ts';
import { preferredLanguage } from '../scan/http/scan-result.ts';

/** The addresses of the parts of the page. Each is answered with the same document, which reads its own address. */
export const PAGE_PATHS = [
  '/',
  '/scanner',
  '/tickets',
  '/tickets/:id',
  '/log',
  '/log/history',
  '/log/refused',
  '/statistics',
  '/closing',
  '/events',
  '/events/:id',
  '/gates',
  '/gates/devices',
  '/gates/phones',
  '/sites',
  '/pair',
  '/accounts',
  '/settings',
  '/settings/access-tokens',
  '/settings/webhooks',
  '/settings/audit-log',
] as const;

const YEAR_S = 31_536_000;

/** Serves the dashboard's files, which the build compressed. Without a build there is no dashboard. */
export async function dashboardPages(app: FastifyInstance): Promise<void> {
  const html = readPageDocument();
  if (!html) return;
  // The gates do not wait for the page.
  app.addHook('onListen', async () => void setImmediate(assetsOf, html));
  for (const path of PAGE_PATHS) {
    const document = Buffer.from(relativeTo(path, html));
    app.get(path, (_request, reply) =>
      reply
        .headers(PAGE_HEADERS)
        .header('content-type', 'text/html; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(document),
    );
  }
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const file = assetsOf(html).get(request.params['*']);
    return file ? sendFile(request, reply, file, KEPT) : reply.callNotFound();
  });
  for (const name of AT_THE_TOP) {
    const file = readPageFile(name);
    app.get(`/${name}`, (request, reply) => sendFile(request, reply, file, 'no-cache'));
  }
}

/** Files whose address stays when their content changes: browsers ask for a newer one. */
const AT_THE_TOP = ['manifest.webmanifest', 'service-worker.js'] as const;
/** The cache header of an asset, whose name changes with its content. */
const KEPT = `public, max-age=${YEAR_S}, immutable`;

/** Whether a client has the file with this tag; a proxy may have marked the tag as weak (RFC 9110, section 13.1.2). */
function knows(tags: string | undefined, tag: string): boolean {
  if (tags === undefined) return false;
  return (
    tags.trim() === '*' || tags.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
  );
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
  caching: string,
): FastifyReply {
  const { encoding, content } = encodedFor(file, request.headers['accept-encoding']);
  const tag = encoding ? file.tag.replace(/"$/, `-${encoding}"`) : file.tag;
  reply.headers({
    ...PAGE_HEADERS,
    'cache-control': caching,
    vary: 'accept-encoding',
    etag: tag,
  });
  if (knows(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.header('content-type', file.type).send(content);
}

/** One file of the built page, as it goes over the wire. */
interface PageFile {
  readonly type: string;
  /** A tag that changes with the content. */
  readonly tag: string;
  readonly content: Buffer;
  /** The compressed forms, made when the page was built. */
  readonly compressed: { readonly br: Buffer; readonly gzip: Buffer };
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** The document of the built page; undefined without a build. */
function readPageDocument(): string | undefined {
  return readProgramFile('dashboard/index.html')?.toString('utf8');
}

/** Makes the addresses in a document relative, so that it also works below a path of a proxy. @param path the path of the document */
function relativeTo(path: string, html: string): string {
  const up = '../'.repeat(path.split('/').length - 2);
  return up === '' ? html : html.replaceAll('"./', `"${up}`);
}

let read: { readonly html: string; readonly assets: ReadonlyMap<string, PageFile> } | undefined;

/** The files that a document of the page names, by their name. Servers of one process share them. */
function assetsOf(html: string): ReadonlyMap<string, PageFile> {
  if (read?.html !== html) read = { html, assets: readPageAssets() };
  return read.assets;
}

/**
 * Reads the files of the built page into memory, about 2 MB: no request opens a file, and an update of the files on the disk
 * does not mix two builds.
 * @returns them by name
 */
function readPageAssets(): ReadonlyMap<string, PageFile> {
  const assets = new Map<string, PageFile>();
  for (const file of programFilesIn('dashboard/assets')) {
    const name = file.replace(/\.br$/, '');
    if (name !== file && extname(name) in TYPES) assets.set(name, readPageFile(`assets/${name}`));
  }
  return assets;
}

/** @param name in the folder of the page; its ending is in `TYPES` */
function readPageFile(name: string): PageFile {
  const read = (form: string) =>
    readProgramFile(`dashboard/${form}`) ?? missing(`dashboard/${form}`);
  const [br, gzip] = [read(`${name}.br`), read(`${name}.gz`)];
  const content = brotliDecompressSync(br);
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    tag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    content,
    compressed: { br, gzip },
  };
}

function missing(path: string): never {
  throw new Error(`dist/${path} is missing. Build or install ticketscan again.`);
}

/** The best form of a file for a client that sent `accepted`, the header Accept-Encoding (RFC 9110, section 12.5.3). */
function encodedFor(
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

/** Whether a client accepts a coding. `gzip;q=0` means that it does not. */
function takes(coding: string, encoding: string): boolean {
  const [name, ...parameters] = coding.split(';');
  const weight = parameters.find((one) => one.trim().startsWith('q='));
  return name?.trim() === encoding && Number(weight?.trim().slice(2) ?? 1) > 0;
}

const TEXTS: Readonly<Record<Language, { title: string; text: string; back: string }>> = {
  de: {
    title: 'Seite nicht gefunden',
    text: 'Unter dieser Adresse gibt es keine Seite.',
    back: 'Zur Startseite',
  },
  en: {
    title: 'Page not found',
    text: 'There is no page at this address.',
    back: 'Go to the start page',
  },
};

/** Matches paths for programs and devices. */
const FOR_PROGRAMS = /^\/*(?:admin|scan|devices|_test)\/+[^/]/i;
/** The deepest path that gets the page: nobody types a deeper one, and the page repeats `../` for each level. */
const LEVELS_MAX = 50;

/**
 * The page for an unknown address. It looks like the dashboard, links to it, and needs no script.
 * @returns undefined without a build of the dashboard
 */
export function missingPage(): MissingPage | undefined {
  const html = readPageDocument();
  if (!html) return undefined;
  const documents = { de: documentIn('de', html), en: documentIn('en', html) };
  const headers = {
    ...PAGE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  };
  return (request) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!wantsPage(request) || FOR_PROGRAMS.test(decoded(path))) return undefined;
    if (path.split('/').length > LEVELS_MAX) return undefined;
    const document = documents[preferredLanguage(request.headers['accept-language'])];
    return { headers, document: relativeTo(path, document) };
  };
}

/** The dashboard's document without its program. */
function documentIn(language: Language, html: string): string {
  const { title, text, back } = TEXTS[language];
  const main = `<main class="alone"><h1>${title}</h1><p>${text}</p><p><a href="./">${back}</a></p></main>`;
  return html
    .replace('<html lang="en">', `<html lang="${language}">`)
    .replace(/<title>[^<]*/, `<title>${title} – ticketscan`)
    .replaceAll(/<script\b[^>]*><\/script>|<link rel="(?:modulepreload|manifest)"[^>]*>/g, '')
    .replace(/<body>.*<\/body>/s, `<body>${main}</body>`);
}

/** Whether a client wants a page. Programs that accept anything get the answer for programs. */
function wantsPage({ method, headers }: IncomingMessage): boolean {
  const ranges = (headers.accept ?? '').toLowerCase().split(',');
  return method === 'GET' && ranges.some(namesHtml);
}

function namesHtml(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((part) => part.trim());
  return type === 'text/html' && !parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
