import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_HEADERS } from '../../operations/http/answers.ts';
import {
  encodedFor,
  type PageFile,
  readPageAssets,
  readPageDocument,
  relativeTo,
} from './page-files.ts';

/** The addresses of the page's own parts. Each is answered with the same document, which finds out where it is. */
export const PAGE_PATHS = [
  '/',
  '/scanner',
  '/tickets',
  '/tickets/:id',
  '/log',
  '/log/history',
  '/log/refused',
  '/statistics',
  '/events',
  '/gates',
  '/gates/devices',
  '/gates/phones',
  '/pair',
  '/accounts',
  '/settings',
  '/settings/access-tokens',
  '/settings/webhooks',
  '/settings/audit-log',
] as const;

const YEAR_S = 31_536_000;

/** Serves the dashboard's files, compressed when they were built; without a build of it there is no dashboard. */
export async function dashboardPages(app: FastifyInstance): Promise<void> {
  const html = readPageDocument();
  if (!html) return;
  let assets: ReadonlyMap<string, PageFile> | undefined;
  const readOnce = () => (assets ??= readPageAssets());
  // The gates do not wait for the page.
  app.addHook('onListen', async () => void setImmediate(readOnce));
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
    const file = readOnce().get(request.params['*']);
    return file ? sendAsset(request, reply, file) : reply.callNotFound();
  });
}

/** Whether a client has the file with this tag; a proxy may have marked the tag as weak (RFC 9110, section 13.1.2). */
function knows(tags: string | undefined, tag: string): boolean {
  if (tags === undefined) return false;
  return (
    tags.trim() === '*' || tags.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
  );
}

/** The name of an asset changes with its content. */
function sendAsset(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const { encoding, content } = encodedFor(file, request.headers['accept-encoding']);
  const tag = encoding ? file.tag.replace(/"$/, `-${encoding}"`) : file.tag;
  reply.headers({
    ...PAGE_HEADERS,
    'cache-control': `public, max-age=${YEAR_S}, immutable`,
    vary: 'accept-encoding',
    etag: tag,
  });
  if (knows(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.header('content-type', file.type).send(content);
}
