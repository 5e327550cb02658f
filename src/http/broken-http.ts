import type { Socket } from 'node:net';
import { newestAnswer } from './connections.ts';

const ANSWERS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/**
 * Answers what is no HTTP request at all, and ends the connection: where the next request begins is unknown. Good requests
 * before it on the same connection are answered first: one of them may have registered a use.
 */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  const before = newestAnswer(socket);
  if (before?.req.complete && !before.writableFinished && socket.writable) {
    before.once('close', () => refuse(error, socket));
  } else {
    refuse(error, socket);
  }
}

function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = ANSWERS[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify({ message: status.slice(4) });
  socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
