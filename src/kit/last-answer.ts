import type { Socket } from 'node:net';

/** After the answer, the server reads what the client still sends, for so long and up to so many bytes. */
const READ_ON_MS = 2000;
const READ_ON_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Ends a connection with an answer that its client gets, also while it still sends. Bytes that nobody reads would reset the connection:
 * the client then fails at its next write, or loses an answer that it has not read yet.
 */
export function endWithAnswer(socket: Socket, answer: string): void {
  let bytes = 0;
  const timer = setTimeout(() => socket.destroy(), READ_ON_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.removeAllListeners('data');
  socket.on('data', (more: Buffer) => {
    bytes += more.length;
    if (bytes > READ_ON_BYTES_MAX) socket.destroy();
  });
  // The client is done as soon as it has closed its side.
  if (socket.readableEnded) socket.end(answer, () => socket.destroy());
  else socket.once('end', () => socket.destroySoon()).end(answer);
  socket.resume();
}
