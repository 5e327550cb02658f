import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { BYTES_KEPT_MAX, protocolOf, Silence } from './foreign-protocols.ts';
import type { ConnectionFacts } from './refused-connections.ts';
import { offeredProtocols } from './served-tls.ts';

const FIRST_BYTES = Symbol('first bytes');

interface Connection extends Socket {
  [FIRST_BYTES]?: string;
  /** True during the handshake of TLS; undefined for a connection that is not TLS. */
  readonly secureConnecting?: boolean;
  /** The socket below TLS. */
  readonly _parent?: Connection | null;
}

/** The first byte of each record with which a client of TLS begins. */
const TLS_HANDSHAKE = 0x16;
/** So many bytes tell an old client of TLS from what is not TLS. */
const BYTES_MIN = 5;
/** What Node gives a handshake of TLS. */
const HANDSHAKE_MS = 120_000;

/**
 * Keeps what clients send before TLS reads it, and refuses what is not TLS: OpenSSL says no more of it, and waits for more of some.
 * @param waitMs a connection without enough bytes is ended after this time, with the error of a handshake that did not end
 */
export function keepFirstBytes(server: Server, waitMs: number = HANDSHAKE_MS): void {
  const [beginTls] = server.listeners('connection') as ((socket: Socket) => void)[];
  if (!beginTls) throw new Error("a server of TLS does not listen to 'connection'");
  server.removeListener('connection', beginTls);
  server.on('connection', (socket: Socket) => awaitFirstBytes(server, socket, waitMs, beginTls));
}

function awaitFirstBytes(
  server: Server,
  socket: Connection,
  waitMs: number,
  beginTls: (socket: Socket) => void,
): void {
  const fail = (code: string): void => {
    release();
    const error = Object.assign(new Error('no TLS began on this connection'), { code });
    socket.destroy();
    server.emit('tlsClientError', error, socket);
  };
  let bytes = Buffer.alloc(0);
  const silence = new Silence(() => fail('ERR_NOT_TLS'));
  /** Whether TLS has begun; once it is known that it has not, the connection ends soon. */
  const isTls = (): boolean => {
    if (bytes[0] === TLS_HANDSHAKE) return true;
    const first = bytes.toString('latin1', 0, BYTES_KEPT_MAX);
    socket[FIRST_BYTES] = first;
    if (bytes.length < BYTES_MIN) return false;
    if (protocolOf(first) === 'tls') return true;
    // Other protocols are told apart by more than that, and a slow line brings them byte by byte.
    silence.more();
    if (bytes.length >= BYTES_KEPT_MAX) fail('ERR_NOT_TLS');
    return false;
  };
  const read = (): void => {
    const more: Buffer | null = socket.read();
    if (more === null) return;
    bytes = Buffer.concat([bytes, more]);
    if (!isTls()) return;
    release();
    socket.unshift(bytes);
    beginTls.call(server, socket);
  };
  const ended = (): void => fail('ECONNRESET');
  const timer = setTimeout(() => fail('ERR_TLS_HANDSHAKE_TIMEOUT'), waitMs);
  const release = (): void => {
    clearTimeout(timer);
    silence.end();
    socket.off('readable', read).off('end', ended).off('close', ended);
  };
  socket.on('readable', read).on('end', ended).on('close', ended);
  // A client may reset the connection before TLS listens to that.
  socket.on('error', () => undefined);
}

/** What is known of the TLS of a connection that was refused. */
export function tlsFacts(socket: Socket): Pick<ConnectionFacts, 'beforeTls' | 'offered'> {
  return { beforeTls: bytesBeforeTls(socket), offered: offeredProtocols(socket) };
}

/** What a client sent instead of TLS; undefined for a connection that is, or was, TLS. */
function bytesBeforeTls(socket: Socket): string | undefined {
  const { secureConnecting, _parent: below } = socket as Connection;
  if (secureConnecting === false) return undefined;
  return ((below ?? socket) as Connection)[FIRST_BYTES];
}
