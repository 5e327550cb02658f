import type { FastifyInstance } from 'fastify';

const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** For pages with scripts and styles of their own files: nothing inline, nothing from elsewhere, no frame around it. */
export const PAGE_HEADERS = {
  ...SAFE,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
} as const;

/** For answers that are data: a browser that shows one as a page runs and loads nothing. */
export const DATA_HEADERS = {
  ...SAFE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'no-store',
} as const;

/** Gives every answer of the routes registered in `app` these headers, also the refusals. */
export function alwaysSend(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
