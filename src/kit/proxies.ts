import { once } from 'node:events';
import { BlockList, connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CLIENT_TLS } from './served-tls.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy for an address, and the variable that names it. */
export interface NamedProxy {
  readonly url: URL;
  readonly variable: string;
}

const USUAL_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
/** The variables in the order of undici: the small letters win, and HTTPS falls back to the proxy for HTTP. */
const OF_HTTP = ['http_proxy', 'HTTP_PROXY'];
/** The proxy for whatever has none of its own, as for curl. */
const OF_ALL = ['all_proxy', 'ALL_PROXY'];
const HTTP_VARIABLES = [...OF_HTTP, ...OF_ALL];
const HTTPS_VARIABLES = ['https_proxy', 'HTTPS_PROXY', ...OF_HTTP, ...OF_ALL];

/** Whether the environment names any proxy at all. */
export function hasProxies(environment: Environment = process.env): boolean {
  return HTTPS_VARIABLES.some((name) => environment[name]);
}

/** The code of the error for a variable that names no HTTP proxy: a usage error. */
const PROXY_SETTING = 'ERR_PROXY_SETTING';

/** True for what `proxyFor` throws. */
export function isProxySetting(error: unknown): error is Error {
  return (error as { readonly code?: unknown } | null)?.code === PROXY_SETTING;
}

/**
 * The proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name for an address. One without a scheme is an HTTP proxy, as for curl.
 * @throws Error ERR_PROXY_SETTING when the variable holds no address of an HTTP proxy; the message shows no value
 */
export function proxyFor(
  address: URL,
  environment: Environment = process.env,
): NamedProxy | undefined {
  const names = address.protocol === 'https:' ? HTTPS_VARIABLES : HTTP_VARIABLES;
  const variable = names.find((name) => environment[name]);
  if (variable === undefined || isExcepted(address, environment)) return undefined;
  return { url: proxyIn(environment[variable]?.trim() ?? '', variable), variable };
}

function proxyIn(text: string, variable: string): URL {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? [];
  const url = URL.parse(scheme === undefined ? `http://${text}` : text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (isHttp && url.hostname !== '' && isDecodable(url)) return url;
  const isSocks = scheme !== undefined && /^socks/i.test(scheme);
  const what = isSocks ? `names a SOCKS proxy (${scheme}://), which is not supported` : UNREADABLE;
  throw Object.assign(new Error(`${variable} ${what}: set it to ${EXAMPLE}, or unset it`), {
    code: PROXY_SETTING,
  });
}

const UNREADABLE = 'is not the address of an HTTP proxy';
const EXAMPLE = 'an address such as http://proxy:3128';

/** A user or password with a percent sign that begins no character cannot be sent. */
function isDecodable(url: URL): boolean {
  try {
    authorization(url);
    return true;
  } catch {
    return false;
  }
}

function isExcepted({ protocol, hostname, port }: URL, environment: Environment): boolean {
  const host = bare(hostname).replace(/\.$/, '').toLowerCase();
  const usedPort = Number(port) || (USUAL_PORTS[protocol] ?? 0);
  const list = environment['no_proxy'] ?? environment['NO_PROXY'] ?? '';
  return list.split(/[,\s]+/).some((entry) => entry !== '' && matches(entry, host, usedPort));
}

function matches(entry: string, host: string, port: number): boolean {
  const network = networkOf(entry);
  if (network) return isIP(host) !== 0 && network.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
  const isAddress = isIP(entry) === 6;
  const [, name = '', entryPort] = isAddress
    ? ['', entry]
    : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (entryPort !== undefined && Number(entryPort) !== port) return false;
  const isBelow = name.startsWith('*.');
  const wanted = bare(name.replace(/^\*?\./, '')).toLowerCase();
  if (wanted === '*') return true;
  return (!isBelow && host === wanted) || host.endsWith(`.${wanted}`);
}

const NETWORK = /^\[?([\da-f.:]+)\]?\/(\d{1,3})$/i;

/** The addresses of an entry such as `10.0.0.0/8`; undefined for every other entry. */
function networkOf(entry: string): BlockList | undefined {
  const [, address = '', bits] = NETWORK.exec(entry) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(bits) > (version === 6 ? 128 : 32)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), version === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** Host and port of a web address. */
export function placeOf({ protocol, hostname, port }: URL): { host: string; port: number } {
  return { host: bare(hostname), port: Number(port) || (USUAL_PORTS[protocol] ?? 80) };
}

const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

const HEAD_END = '\r\n\r\n';
const HEAD_BYTES_MAX = 16 * 1024;

/**
 * A connection to `host` that a proxy passes on (CONNECT), before any TLS of its own.
 * @param signal ends the wait
 * @throws Error of the system, or with what the proxy answered
 */
export async function openTunnel(
  { url, variable }: NamedProxy,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const proxy = placeOf(url);
  const isTls = url.protocol === 'https:';
  const name = isIP(proxy.host) === 0 ? { servername: proxy.host } : {};
  const socket = isTls ? connectTls({ ...CLIENT_TLS, ...proxy, ...name }) : connect(proxy);
  const failure = (said: string, cause?: unknown) =>
    Object.assign(new Error(`the proxy of ${variable} (${url.host}) ${said}`, { cause }), {
      code: 'ERR_PROXY',
    });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal }).catch((error: unknown) => {
      // Who ends the wait says why; only its end in time is the proxy's.
      if (signal.aborted && !isTimeout(signal.reason)) throw error;
      throw failure(`cannot be reached (${signal.aborted ? 'no answer' : codeOf(error)})`, error);
    });
    const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
    socket.write(
      `CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${authorization(url)}\r\n`,
      'latin1',
    );
    const status = await statusOfTunnel(socket, signal);
    if (status === 200) return socket;
    const said = status === undefined ? 'answers no HTTP' : `answers ${status} to CONNECT ${place}`;
    throw failure(said);
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

const isTimeout = (reason: unknown) => {
  const { name, kind } = (reason ?? {}) as { readonly name?: unknown; readonly kind?: unknown };
  return name === 'TimeoutError' || kind === 'timeout';
};

function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
  };
  return String(code ?? message);
}

function authorization({ username, password }: URL): string {
  if (username === '') return '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}\r\n`;
}

/** The status of the answer to CONNECT; what comes behind its head stays on the socket. */
async function statusOfTunnel(socket: Socket, signal: AbortSignal): Promise<number | undefined> {
  let head = Buffer.alloc(0);
  while (!head.includes(HEAD_END) && head.length < HEAD_BYTES_MAX) {
    const bytes = await nextBytes(socket, signal);
    if (!bytes) return undefined;
    head = Buffer.concat([head, bytes]);
  }
  const end = head.indexOf(HEAD_END);
  const rest = end === -1 ? NOTHING : head.subarray(end + HEAD_END.length);
  if (rest.length > 0) socket.unshift(rest);
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]) || undefined;
}

const NOTHING = Buffer.alloc(0);

/** What has arrived; undefined at the end of the connection. */
async function nextBytes(socket: Socket, signal: AbortSignal): Promise<Buffer | undefined> {
  const bytes: Buffer | null = socket.read();
  if (bytes !== null) return bytes;
  if (socket.readableEnded || socket.destroyed) return undefined;
  const limit = new AbortController();
  const options = { signal: AbortSignal.any([signal, limit.signal]) };
  const waits = ['readable', 'end', 'close'].map((event) => once(socket, event, options));
  await Promise.race(waits).finally(() => {
    limit.abort();
    void Promise.allSettled(waits);
  });
  return nextBytes(socket, signal);
}

/** Words for commands that connect by themselves and use no proxy; empty where none is named for the address. */
export function unusedProxy(address: URL, environment: Environment = process.env): string {
  const names = address.protocol === 'https:' ? HTTPS_VARIABLES : HTTP_VARIABLES;
  const variable = names.find((name) => environment[name]);
  if (variable === undefined || isExcepted(address, environment)) return '';
  return ` (${variable} is set, and this does not use it)`;
}
