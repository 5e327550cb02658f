import type { FastifyReply, FastifyRequest } from 'fastify';

/** `__Host-`: browsers take it from this host only, over TLS (or loopback), for every path (ADR 0050). */
export const SESSION_COOKIE = '__Host-ticketscan';

export function sessionTokenOf(request: FastifyRequest): string | undefined {
  const token = request.cookies[SESSION_COOKIE];
  return token === undefined || token === '' ? undefined : token;
}

/** Ends with the browser; when the session ends, the server decides. */
export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.setCookie(SESSION_COOKIE, token, {
    httpOnly: true,
    secure: true,
    sameSite: 'strict',
    path: '/',
  });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(SESSION_COOKIE, {
    httpOnly: true,
    secure: true,
    sameSite: 'strict',
    path: '/',
  });
}
