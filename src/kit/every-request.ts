import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Gives `listener` also the requests that Node's HTTP would refuse without a word: those with an expectation that it does not know, and
 * CONNECT, whose connection it gives to a proxy. These servers are none: they answer as to any other method.
 * @param newestAnswer to the newest request on a connection, where the server knows it already
 */
export function takeEveryRequest(
  server: Server,
  listener: Listener,
  newestAnswer: (socket: Socket) => ServerResponse | undefined = newestOf(server),
): void {
  server.on('checkExpectation', listener);
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const answer = (): void => {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.once('finish', () => socket.end(() => socket.destroy()));
      response.assignSocket(socket);
      listener(request, response);
    };
    const before = newestAnswer(socket);
    if (before && !before.writableFinished) before.once('close', answer);
    else answer();
  });
}

function newestOf(server: Server) {
  const answers = new WeakMap<Socket, ServerResponse>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    answers.set(socket, response);
  });
  return (socket: Socket) => answers.get(socket);
}
