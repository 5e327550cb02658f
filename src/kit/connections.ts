// The member is missing in older Nodes, which must still be able to load this and be refused (ADR 0081).
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls, { createSecureContext, type SecureContext } from 'node:tls';

/**
 * The answer to a request of Node's client, whose body is not read yet.
 *
 * It settles whatever the other side does. An answer that changes to another protocol (status 101) has no body, and ends the
 * connection: nobody here speaks another.
 * @param signal ends the wait
 */
export function answerOf(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const closed = () => {
    reject(Object.assign(new Error('closed without an answer'), { code: 'ECONNRESET' }));
  };
  const late = () => {
    reject(signal.reason);
    request.destroy();
  };
  const switched = (answer: IncomingMessage, socket: Duplex) => {
    socket.destroy();
    // Node leaves the rest to the other protocol: nothing else would end the body.
    answer.push(null);
    resolve(answer);
  };
  request.once('response', resolve).once('upgrade', switched);
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
