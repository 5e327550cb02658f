import type { ClientRequest, IncomingMessage } from 'node:http';

/**
 * The answer to a request of Node's client, whose body is not read yet.
 *
 * It settles whatever the other side does: Node closes a connection that changes to another protocol (status 101) without `response`
 * or `error`.
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
  request.once('response', resolve).on('error', reject).once('close', closed);
  signal.addEventListener('abort', late, { once: true });
  request.once('close', () => signal.removeEventListener('abort', late));
  if (signal.aborted) late();
  return promise;
}
