import type { Server, Socket } from 'node:net';

/**
 * The open connections of a server in every state. Node's lists of them lack those whose TLS handshake is not finished, and those
 * that left HTTP; `close` waits for all of them.
 */
export function openSockets(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return open;
}
