import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { BYTES_KEPT_MAX, isUndecided, Silence } from './foreign-protocols.ts';
import { type ConnectionError, isOfFirstLine } from './refused-connections.ts';

const KEPT = Symbol('kept opening');
const WAITING = Symbol('waiting');

interface Connection extends Socket {
  /** Undefined as soon as a request was read. */
  [KEPT]?: string | undefined;
  /** Takes each further error of a connection whose first one waits for more bytes. */
  [WAITING]?: (error: BrokenHttp) => void;
}

/** What Node's HTTP reports of bytes that it cannot read. */
export interface BrokenHttp extends ConnectionError {
  /** The last packet; absent when nothing came in time. */
  readonly rawPacket?: unknown;
}

/** The broken head of a connection, as far as it is known. */
interface Opening {
  readonly head: string;
  /** True when nothing was read or answered on the connection before. */
  readonly isFirst: boolean;
}

const textOf = ({ rawPacket }: BrokenHttp) =>
  Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';

/** Keeps what clients send first: of a broken head, Node's HTTP reports only the last packet. @param event at which the server gets a connection */
export function keepOpenings(
  server: EventEmitter,
  event: 'connection' | 'secureConnection' = 'connection',
): void {
  server.on(event, (socket: Connection) => {
    socket[KEPT] = '';
    socket.on('data', (bytes: Buffer) => {
      const { [KEPT]: kept } = socket;
      if (kept === undefined || kept.length >= BYTES_KEPT_MAX) return;
      socket[KEPT] = kept + bytes.toString('latin1');
    });
  });
  for (const request of ['request', 'checkExpectation', 'connect'])
    server.prependListener(request, ({ socket }: { readonly socket: Connection }) => {
      socket[KEPT] = undefined;
    });
}

/** The broken head of a connection of a server with `keepOpenings`. */
export function openingOf(error: BrokenHttp, socket: Socket): Opening {
  const { [KEPT]: kept } = socket as Connection;
  return { head: (kept ?? '') + textOf(error), isFirst: kept !== undefined };
}

/**
 * Makes a listener for `clientError` that waits until it is known which protocol a connection began with: a line may come byte by byte, and
 * Node's HTTP gives up at the first that it does not expect. What follows soon belongs to it.
 * @param handle gets the first error of such a connection, with all bytes
 */
export function afterOpening<Broken extends BrokenHttp, Given extends Socket>(
  read: (error: Broken, socket: Given) => Opening,
  handle: (error: Broken, socket: Given, opening: Opening) => void,
): (error: Broken, socket: Given) => void {
  return (error, socket) => {
    const connection: Connection = socket;
    const waiting = connection[WAITING];
    if (waiting) {
      waiting(error);
      return;
    }
    const { head, isFirst } = read(error, socket);
    if (!isFirst || !isOfFirstLine(error) || !isUndecided(head) || socket.destroyed) {
      // What still comes of a head that is refused is refused with it.
      connection[WAITING] = () => undefined;
      handle(error, socket, { head, isFirst });
      return;
    }
    let bytes = head;
    const decided = (): void => {
      silence.end();
      socket.off('close', decided);
      connection[WAITING] = () => undefined;
      handle(error, socket, { head: bytes, isFirst });
    };
    const silence = new Silence(decided);
    silence.more();
    socket.once('close', decided);
    // Node keeps the address of a socket from the first question on.
    void socket.remoteAddress;
    connection[WAITING] = (next) => {
      const more = textOf(next);
      bytes += more;
      if (more === '' || !isUndecided(bytes)) decided();
      else silence.more();
    };
  };
}
