import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { PAGE_HEADERS } from './security/headers.ts';

/** The addresses of the page's own parts. Each is answered with the same document, which finds out where it is. */
export const PAGE_PATHS = [
  '/',
  '/scanner',
  '/log',
  '/tickets',
  '/tickets/:id',
  '/events',
  '/keys',
  '/devices',
  '/accounts',
  '/access-tokens',
  '/audit-trail',
  '/settings',
] as const;

const YEAR_S = 31_536_000;

/** Where the build puts the page: beside the program, or in `dist` when the source runs as it is. */
function builtDashboard(): string | undefined {
  const places = ['./dashboard/', '../../dist/dashboard/'];
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => existsSync(`${folder}index.html`));
}

/** Serves the dashboard's files, compressed when they were built; without a build of it there is no dashboard. */
export async function dashboardPages(app: FastifyInstance): Promise<void> {
  const root = builtDashboard();
  if (root !== undefined) servePage(app, root);
}

function servePage(app: FastifyInstance, root: string): void {
  // Files are looked up when they are asked for: an update may replace them while this server runs.
  app.register(fastifyStatic, {
    root: `${root}assets`,
    prefix: '/assets/',
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.headers(PAGE_HEADERS);
      // The name of an asset changes with its content; that of the page does not.
      const kept = path.includes('index.html')
        ? 'no-cache'
        : `public, max-age=${YEAR_S}, immutable`;
      reply.header('cache-control', kept);
    },
  });
  const page = (_request: unknown, reply: FastifyReply) => reply.sendFile('index.html', root);
  for (const path of PAGE_PATHS) app.get(path, page);
}
