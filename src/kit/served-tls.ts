import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * How every server of this program speaks TLS; a new certificate is set with it, too. A client of TLS 1.2 may not begin anew on an open
 * connection: that costs the server far more than the client, and no device needs it.
 */
export const SERVED_TLS = {
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  ALPNCallback: chosenProtocol,
};

/** The protocols that a server takes of those that a client offers in TLS (ALPN), the best first. */
const TAKEN_PROTOCOLS = ['http/1.1', 'http/1.0'];
/** How every client of this program speaks TLS: a server that takes no HTTP/1.1 says so in the handshake. */
export const CLIENT_TLS = { ALPNProtocols: ['http/1.1'] };

const OFFERED = Symbol('offered protocols');

interface Connection extends Socket {
  [OFFERED]?: readonly string[];
}

/** Chooses as Node does, and keeps what the client offered: OpenSSL says only that nothing of it is taken. */
function chosenProtocol(
  this: unknown,
  { protocols }: { readonly protocols: readonly string[] },
): string | undefined {
  (this as TLSSocket & Connection)[OFFERED] = protocols;
  return TAKEN_PROTOCOLS.find((taken) => protocols.includes(taken));
}

/** The protocols that the client of a connection offered in TLS (ALPN); undefined where it offered none. */
export function offeredProtocols(socket: Socket): readonly string[] | undefined {
  return (socket as Connection)[OFFERED];
}

/** The kinds of keys of a certificate that this program makes. */
export const TLS_KEY_TYPES = ['ec', 'rsa'] as const;
export type TlsKeyType = (typeof TLS_KEY_TYPES)[number];
