import { createHmac, timingSafeEqual } from 'node:crypto';
/**
 * The cookies of a browser. Their names begin with `__Host-`, and they are `Secure`, wherever the page came over TLS. Over plain HTTP,
 * which only loopback gets, they are neither: WebKit keeps no Secure cookie there, so that nobody could sign in with Safari.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { TLSSocket } from 'node:tls';
import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopbackUrl } from '../../config/addresses.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { BASE62, type RandomBytes, randomText } from '../../kit/random.ts';
import { LOOPBACK_COOKIE, SESSION_COOKIE } from '../../operations/operation.ts';
import type { AccountRecord } from './account-records.ts';

const COOKIE = { httpOnly: true, sameSite: 'strict', path: '/' } as const;
const SECURE = { ...COOKIE, secure: true } as const;
const DAY_S = 24 * 60 * 60;

type Asked = Pick<FastifyRequest, 'headers' | 'cookies' | 'raw'>;

/** Whether a request may come from a page of a loopback address without TLS: of a reading one the browser tells no scheme. */
function mayBeLoopback({ headers, raw }: Asked): boolean {
  return !(raw.socket instanceof TLSSocket) && isLoopbackHost(headers);
}

function isLoopbackHost({ host }: IncomingHttpHeaders): boolean {
  const url = `http://${host}`;
  return host !== undefined && URL.canParse(url) && isLoopbackUrl(url);
}

/** Whether the browser itself says so. Behind a proxy that ends TLS its origin begins with `https:`, whatever the proxy sends as `Host`. */
function isLoopbackPage(request: Asked): boolean {
  const { origin } = request.headers;
  return origin?.startsWith('http://') === true && mayBeLoopback(request);
}

/** The values of a cookie of ours, the likelier one first. @param suffix what follows the name of the session's cookie */
function cookieOf(request: Asked, suffix = ''): string | undefined {
  const names = mayBeLoopback(request) ? [LOOPBACK_COOKIE, SESSION_COOKIE] : [SESSION_COOKIE];
  return names.map((name) => request.cookies[name + suffix]).find(Boolean);
}

function setCookie(reply: FastifyReply, suffix: string, value: string, maxAgeS?: number): void {
  const maxAge = maxAgeS === undefined ? {} : { maxAge: maxAgeS };
  if (isLoopbackPage(reply.request)) {
    reply.setCookie(LOOPBACK_COOKIE + suffix, value, { ...COOKIE, ...maxAge });
  } else {
    reply.setCookie(SESSION_COOKIE + suffix, value, { ...SECURE, ...maxAge });
  }
}

export function sessionTokenOf(request: Asked): string | undefined {
  return cookieOf(request);
}

const PAIRING_SUFFIX = '-pairing';

/** The token that a phone holds while its pairing waits. It is no session: the one that works in this browser stays until the dashboard has confirmed. */
export function pairingTokenOf(request: Asked): string | undefined {
  return cookieOf(request, PAIRING_SUFFIX);
}

/** `__Host-` keeps other hosts of the domain from setting it, and wants the path `/`. */
export function setPairingCookie(reply: FastifyReply, token: string, maxAgeMs: number): void {
  setCookie(reply, PAIRING_SUFFIX, token, maxAgeMs / 1000);
}

export function clearPairingCookie(reply: FastifyReply): void {
  clearCookie(reply, PAIRING_SUFFIX);
}

/** The suffix of a cookie. Each account has its own in a browser, so that people who share the browser do not overwrite each other's cookie. */
function deviceSuffix(accountId: string): string {
  return `-device-${accountId}`;
}

/** The browser's proof of an earlier sign-in to the account. */
export function deviceProofOf(request: Asked, accountId: string): string | undefined {
  return cookieOf(request, deviceSuffix(accountId));
}

/** Outlives the session: it proves an earlier sign-in, and gives no access. */
export function setDeviceCookie(reply: FastifyReply, accountId: string, proof: string): void {
  setCookie(reply, deviceSuffix(accountId), proof, DEVICE_DAYS * DAY_S);
}

/**
 * Ends with the browser; when the session ends, the server decides.
 * @param maxAgeMs set for a phone, whose browser ends whenever it is in the pocket
 */
export function setSessionCookie(reply: FastifyReply, token: string, maxAgeMs?: number): void {
  setCookie(reply, '', token, maxAgeMs === undefined ? undefined : maxAgeMs / 1000);
}

export function clearSessionCookie(reply: FastifyReply): void {
  clearCookie(reply, '');
}

/** Clears a cookie under both names: a browser may have either from before. */
function clearCookie(reply: FastifyReply, suffix: string): void {
  reply.clearCookie(SESSION_COOKIE + suffix, SECURE);
  if (mayBeLoopback(reply.request)) reply.clearCookie(LOOPBACK_COOKIE + suffix, COOKIE);
}

/** How long a browser counts as known after a sign-in. */
export const DEVICE_DAYS = 180;
const ID_CHARACTERS = 22;
const KEY_BYTES = 32;
const PROOF = /^(\d{1,15})\.([0-9A-Za-z]{22})\.([\w-]{43})$/;

/** The signing key of one account. It is stored in the account: it is the same in every process, and ends with it. */
export function makeDeviceKey(random: RandomBytes): string {
  return Buffer.from(random(KEY_BYTES)).toString('base64');
}

/** The proof of a sign-in that a browser keeps; undefined without a key. */
export function deviceProof(
  account: AccountRecord,
  now: number,
  random: RandomBytes,
): string | undefined {
  if (account.deviceKey === undefined) return undefined;
  const said = `${now}.${randomText(BASE62, ID_CHARACTERS, random)}`;
  return `${said}.${signature(account.id, account.deviceKey, said).toString('base64url')}`;
}

/** The device that shows this proof; undefined when it is none of the account's, or too old. */
export function deviceOf(
  { id, deviceKey }: AccountRecord,
  proof: string | undefined,
  now: number,
): string | undefined {
  const [, madeAt = '', device = '', signed = ''] = PROOF.exec(proof ?? '') ?? [];
  if (deviceKey === undefined || madeAt === '') return undefined;
  const expected = signature(id, deviceKey, `${madeAt}.${device}`);
  const given = Buffer.from(signed, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return now < Number(madeAt) + DEVICE_DAYS * DAY_MS ? device : undefined;
}

function signature(accountId: string, key: string, said: string): Buffer {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(`${accountId}.${said}`).digest();
}
