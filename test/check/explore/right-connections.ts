import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Random } from '../../../prove/world/random.ts';
import { type ServerOptions, writeReply } from '../../mutants/reference/server.ts';
import { SEED } from '../../support/seed.ts';

/** A right server that treats connections in a way that HTTP/1.1 allows, besides those that `serve --vary` does (test/mutants/variants.ts has them). */
export interface RightConnections {
  readonly name: string;
  readonly make: () => ServerOptions;
}

export const RIGHT_CONNECTIONS: readonly RightConnections[] = [
  {
    name: 'closes a connection on which a request comes before the answer to the one before',
    make() {
      const waiting = new Map<Socket, number>();
      return {
        alter: (parts) => ({
          keyOf(incoming, side) {
            const { socket } = incoming.request as IncomingMessage;
            waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
            return parts.keyOf(incoming, side);
          },
        }),
        write(response, reply) {
          const { socket } = response.req;
          // by then the next request is there, if there is one
          setTimeout(() => {
            if ((waiting.get(socket) ?? 0) > 1) socket.destroy();
            waiting.delete(socket);
            if (!socket.destroyed) writeReply(response, reply);
          }, 3);
        },
      };
    },
  },
  {
    name: 'restarts connections, every fifth answer is the last of its connection',
    make() {
      let answers = 0;
      return {
        write(response, reply) {
          answers += 1;
          if (answers % 5 === 0) setTimeout(() => response.socket?.destroy(), answers % 4);
          writeReply(response, reply);
        },
      };
    },
  },
  {
    name: 'answers out of turn',
    make() {
      const random = new Random(SEED);
      return {
        write: (response, reply) =>
          void setTimeout(writeReply, random.between(0, 15), response, reply),
      };
    },
  },
];
