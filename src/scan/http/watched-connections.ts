import type { Server } from 'node:http';
import type { DropArgument, Socket } from 'node:net';
import { clientAddress } from '../../kit/client-address.ts';
import { tlsFacts } from '../../kit/first-bytes.ts';
import { connectionRefusal } from '../../kit/refused-connections.ts';
import type { EdgeRefusals } from '../edge-refusals.ts';

/** A client that closes its connection so soon after the handshake did not come to ask. */
const LEFT_WITHIN_MS = 1000;

interface TlsConnection extends Socket {
  /** True during the handshake. */
  readonly secureConnecting?: boolean;
  /** The socket below TLS. */
  readonly _parent?: Socket;
}

/** The address of the other side, as a log shows it. It is known of a socket that is gone when somebody asked before. */
export function addressOfSocket(socket: Socket): string {
  const { _parent: below } = socket as TlsConnection;
  return plainAddress(socket.remoteAddress ?? below?.remoteAddress);
}

function plainAddress(address: string | undefined): string {
  return clientAddress(address, undefined, () => false);
}

/** Reports what a server refuses without an error of HTTP: connections over its limit, and clients that leave TLS at once. */
export function watchConnections(server: Server, isTls: boolean, refusals: EdgeRefusals): void {
  server.on('drop', (dropped?: DropArgument) => {
    refusals.report('too_many_connections', { address: plainAddress(dropped?.remoteAddress) });
  });
  if (!isTls) return;
  const reportLeft = (address: string): void => {
    // A server that stops closes them itself.
    if (server.listening) refusals.report('tls_left', { address });
  };
  // Node keeps the address of a socket from the first question on.
  server.on('connection', (socket: Socket) => socket.remoteAddress);
  server.on('secureConnection', (socket: Socket) => {
    const address = addressOfSocket(socket);
    const beganAt = performance.now();
    socket.once('close', () => {
      const isShort = performance.now() - beganAt < LEFT_WITHIN_MS;
      if (isShort && socket.bytesRead === 0) reportLeft(address);
    });
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TlsConnection) => {
    // One that sent no byte is a probe of a load balancer, which only wants to see the port.
    const hasBegun = (socket._parent ?? socket).bytesRead > 0;
    // What is not TLS at all is told as broken HTTP is (`brokenHttpHandler`).
    const facts = { head: '', isInBody: false, ...tlsFacts(socket) };
    if (error.code === 'ECONNRESET' && hasBegun && !connectionRefusal(error, facts))
      reportLeft(addressOfSocket(socket));
  });
}
