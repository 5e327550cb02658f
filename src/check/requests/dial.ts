import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { trusting } from '../../kit/connections.ts';
import { TransportFailure } from '../judging/deviation.ts';
import { transportFailureOf } from './http-failure.ts';

/** Where a service is, and how long it is waited for. */
export interface HttpClientOptions {
  readonly baseUrl: URL;
  /** For opening a connection, and time limit for one complete request: from the first byte sent to the last received. */
  readonly timeoutMs: number;
  /** PEM certificates to trust besides the system's. */
  readonly ca?: string | undefined;
  /** Accepts any certificate: for test servers only. */
  readonly insecureTls?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The last TLS session with each service: to resume it costs both sides less than a whole handshake. */
const sessions = new WeakMap<HttpClientOptions, Buffer>();

/** Opens one connection, with TLS for an `https://` address. @throws TransportFailure */
export async function dial(options: HttpClientOptions): Promise<net.Socket> {
  if (options.baseUrl.protocol !== 'https:')
    return opened(net.connect(addressOf(options.baseUrl, 80)), 'connect', options);
  const socket = await dialTls(options, { session: sessions.get(options) });
  return socket.on('session', (session) => sessions.set(options, session));
}

/** Opens one TLS connection. @throws TransportFailure */
export function dialTls(
  options: HttpClientOptions,
  settings: tls.ConnectionOptions = {},
): Promise<tls.TLSSocket> {
  const { baseUrl, ca, insecureTls } = options;
  const address = addressOf(baseUrl, 443);
  const socket = tls.connect({
    ...address,
    // a name may be asked for in the handshake, an address may not
    ...(net.isIP(address.host) === 0 && { servername: address.host }),
    rejectUnauthorized: insecureTls !== true,
    ...trusting(ca),
    ...settings,
  });
  return opened(socket, 'secureConnect', options);
}

function addressOf({ hostname, port }: URL, usualPort: number): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usualPort) };
}

async function opened<Kind extends net.Socket>(
  socket: Kind,
  event: 'connect' | 'secureConnect',
  options: HttpClientOptions,
): Promise<Kind> {
  try {
    await withinLimits(options, (signal) => once(socket, event, { signal }));
    return socket.setNoDelay(true);
  } catch (error) {
    socket.destroy();
    throw transportFailureOf(error);
  }
}

/** Does something that ends in time and when the run is stopped: the signal has the TransportFailure as its reason. */
export async function withinLimits<Result>(
  { timeoutMs, signal }: HttpClientOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => {
    const message = `no complete answer within ${timeoutMs / 1000} s`;
    limit.abort(new TransportFailure('timeout', message));
  }, timeoutMs);
  const stop = () => limit.abort(new TransportFailure('stopped', 'the run was stopped'));
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
