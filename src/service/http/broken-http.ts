import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { begunHead } from './begun-head.ts';
import { newestAnswer } from './connections.ts';
import { breakOff } from './exchange.ts';
import { type Refusal, type RefusalStatus, refusalOf, refuse } from './refusal.ts';

interface HttpError {
  readonly code?: string | undefined;
  /** What came last, and how far it was read; absent when nothing came in time. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

const BROKEN = Symbol('broken');

interface Connection extends Socket {
  [BROKEN]?: true;
  /** During the handshake of TLS: what is written then waits for its end, which never comes after an error. */
  readonly secureConnecting?: boolean;
}

/**
 * Makes what answers broken HTTP and ends the connection: where the next request begins is unknown. Good requests before it
 * on the same connection are answered first: one of them may have registered a use.
 * @param always200 as in `refusalOf`
 */
export function brokenHttpHandler(
  always200: boolean,
): (error: HttpError, socket: Connection) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable || socket.secureConnecting) {
      socket.destroy();
      return;
    }
    // The bytes after the break are parsed as HTTP again and fail again.
    if (socket[BROKEN]) return;
    socket[BROKEN] = true;
    const newest = newestAnswer(socket);
    if (newest && !newest.req.complete) {
      refuseRest(newest, statusOf(error), always200);
      return;
    }
    const refusal = refusalOf(statusOf(error), targetIn(error, socket), always200);
    if (!newest || newest.writableFinished) end(socket, refusal);
    // Before Node's own listener, which closes the connection when the client has closed its side.
    else newest.prependOnceListener('finish', () => end(socket, refusal));
  };
}

function statusOf({ code }: HttpError): RefusalStatus {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408;
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
}

/** The head of the request was read; its body is broken, or does not come. */
function refuseRest(response: ServerResponse, status: RefusalStatus, always200: boolean): void {
  const { req: request, socket } = response;
  if (response.writableFinished) {
    request.socket.end(() => request.socket.destroy());
  } else if (response.headersSent) {
    response.once('close', () => socket?.destroy());
  } else {
    response.setHeader('connection', 'close');
    if (status === 400 && breakOff(request)) return;
    refuse(response, status, always200);
  }
}

/** The path and query behind a method, in either form of a target. The first line may be broken or cut anywhere else. */
const TARGET = /[A-Za-z] (?:https?:\/\/[^/?#\s]*)?(\/\S*)/;

/** The target of the request with the broken head, as far as it came. */
function targetIn({ rawPacket, bytesParsed }: HttpError, socket: Connection): string | undefined {
  const last = Buffer.isBuffer(rawPacket) ? rawPacket.subarray(0, bytesParsed) : undefined;
  return TARGET.exec(begunHead(socket, last))?.[1];
}

function end(socket: Socket, { status, contentType, text }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: ${contentType}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    () => socket.destroy(),
  );
}
