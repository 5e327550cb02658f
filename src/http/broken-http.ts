import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const ANSWERS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

const NEWEST = Symbol('newest answer');

/** The newest answer is kept on its connection: a map of all connections would cost the collector with every request. */
interface Connection {
  /** Requests are answered in the order in which they came. */
  [NEWEST]?: ServerResponse;
}

/** To be called for each request, so that no broken one behind it takes its answer away. */
export function rememberAnswer(response: ServerResponse): void {
  if (response.socket) (response.socket as Connection)[NEWEST] = response;
}

/**
 * Answers what is no HTTP request at all, and ends the connection: where the next request begins is unknown. Good requests
 * before it on the same connection are answered first: one of them may have registered a use.
 */
export function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  const before = (socket as Connection)[NEWEST];
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
