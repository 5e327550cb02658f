import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

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
