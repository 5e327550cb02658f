// The member is missing in older Nodes, which must still be able to load this and be refused (ADR 0081).
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, { createSecureContext, type SecureContext } from 'node:tls';
import { faultOfHead, notHttp, switchedProtocol, tooLate } from './answer-faults.ts';

/**
 * The answer to a request of Node's client, whose body is not read yet.
 *
 * It settles whatever the other side does. What breaks later breaks the body, with its own reason.
 * @param signal ends the wait
 */
export function answerOf(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const closed = () => {
    reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' }));
  };
  let isSent = request.writableFinished;
  request.once('finish', () => {
    isSent = true;
  });
  const late = () => {
    const isLimit = (signal.reason as Partial<Error> | undefined)?.name === 'TimeoutError';
    reject(isSent && isLimit ? tooLate() : signal.reason);
    request.destroy();
  };
  const switched = (_answer: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    reject(switchedProtocol());
  };
  const answered = (answer: IncomingMessage) => {
    if ((answer.statusCode ?? 0) < 100) {
      reject(notHttp());
      request.destroy();
      return;
    }
    request.on('error', (error) => {
      if (!answer.complete) answer.destroy(error);
    });
    resolve(answer);
  };
  let interim = 0;
  request.on('information', () => {
    interim += 1;
    if (interim > INTERIM_MAX) request.destroy(tooManyInterim());
  });
  request.once('response', answered).once('upgrade', switched);
  request.on('error', reject).once('close', closed);
  signal.addEventListener('abort', late, { once: true });
  request.once('close', () => signal.removeEventListener('abort', late));
  if (signal.aborted) late();
  return promise;
}

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

const contexts = new Map<string, SecureContext>();

/**
 * Options for a TLS connection that trusts certificates besides the usual authorities; `ca` alone would replace those.
 * Reading all authorities takes milliseconds, so it is done once for each text and not for each connection.
 * @param ca PEM text; undefined changes nothing
 * @throws Error when it is not PEM
 */
export function trusting(ca: string | undefined): { secureContext?: SecureContext } {
  if (ca === undefined) return {};
  let secureContext = contexts.get(ca);
  if (secureContext === undefined) {
    secureContext = createSecureContext({ ca: [...tls.getCACertificates(), ca] });
    contexts.set(ca, secureContext);
  }
  return { secureContext };
}

/** The longest head of an answer that any client here takes. */
export const ANSWER_HEAD_BYTES_MAX = 64 * 1024;

/** `100 Continue` with its headers, at the beginning of what has arrived. */
const CONTINUE = /^HTTP\/1\.[01] 100\b[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;
const CONTINUE_BYTES_MAX = 4096;
const CONTINUES_MAX = 100;

/**
 * Makes a connection fit for undici, which closes one on which `100 Continue` comes unasked, although HTTP allows it: that is hidden. A server
 * that sends more than a hundred loses the connection. What undici calls a wrong length, whatever is wrong with the head, gets its own name.
 */
export function fitForUndici(socket: Socket): void {
  const read = socket.read.bind(socket);
  let hidden = 0;
  let newest: Buffer | null = null;
  socket.read = (size) => {
    const bytes: Buffer | null = read(size);
    newest = bytes ?? newest;
    const found = bytes && CONTINUE.exec(bytes.toString('latin1', 0, CONTINUE_BYTES_MAX));
    if (!found) return bytes;
    hidden += 1;
    if (hidden > CONTINUES_MAX) {
      socket.destroy(tooManyInterim());
      return null;
    }
    const rest = bytes.subarray(found[0].length);
    if (rest.length > 0) socket.unshift(rest);
    return socket.read(size);
  };
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === WRONG_LENGTH) error.code = codeOfHead(newest) ?? WRONG_LENGTH;
  });
}

/** What undici says of most heads with a length in which something is wrong. */
const WRONG_LENGTH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

function codeOfHead(bytes: Buffer | null): string | undefined {
  const [, head] = /^(HTTP\/.*?\r\n)\r\n/s.exec(bytes?.toString('latin1') ?? '') ?? [];
  return head === undefined ? undefined : (faultOfHead(head) as NodeJS.ErrnoException)?.code;
}

/** Interim answers (status 1xx) of one request; a server may not hold a client with them. */
const INTERIM_MAX = 100;

function tooManyInterim(): Error {
  return Object.assign(new Error('interim answers without end'), { code: 'ERR_ANSWER_INTERIM' });
}

/**
 * The whole text of an answer.
 * @param bytesMax of its body
 * @throws Error ERR_ANSWER_TOO_LONG; the rest is not read
 */
export async function boundedText(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > bytesMax) {
      throw Object.assign(new Error(`the answer is longer than ${bytesMax} bytes`), {
        code: 'ERR_ANSWER_TOO_LONG',
      });
    }
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}
