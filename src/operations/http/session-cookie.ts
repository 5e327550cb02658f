import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_DAYS } from '../../features/accounts/known-device.ts';

/** `__Host-`: browsers take it from this host only, over TLS (or loopback), for every path (ADR 0050). */
export const SESSION_COOKIE = '__Host-ticketscan';
const COOKIE = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const;
const DAY_S = 24 * 60 * 60;

export function sessionTokenOf(request: FastifyRequest): string | undefined {
  const token = request.cookies[SESSION_COOKIE];
  return token === undefined || token === '' ? undefined : token;
}

/** One for each account that signs in with this browser, so that people who share it do not overwrite each other's. */
function deviceCookie(accountId: string): string {
  return `${SESSION_COOKIE}-device-${accountId}`;
}

/** The browser's proof of an earlier sign-in to the account. */
export function deviceProofOf(request: FastifyRequest, accountId: string): string | undefined {
  return request.cookies[deviceCookie(accountId)];
}

/** Outlives the session: it proves an earlier sign-in, and gives no access. */
export function setDeviceCookie(reply: FastifyReply, accountId: string, proof: string): void {
  const maxAge = DEVICE_DAYS * DAY_S;
  reply.setCookie(deviceCookie(accountId), proof, { ...COOKIE, maxAge });
}

/**
 * Ends with the browser; when the session ends, the server decides.
 * @param maxAgeMs set for a phone, whose browser ends whenever it is in the pocket
 */
export function setSessionCookie(reply: FastifyReply, token: string, maxAgeMs?: number): void {
  const maxAge = maxAgeMs === undefined ? {} : { maxAge: maxAgeMs / 1000 };
  reply.setCookie(SESSION_COOKIE, token, { ...COOKIE, ...maxAge });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(SESSION_COOKIE, COOKIE);
}
