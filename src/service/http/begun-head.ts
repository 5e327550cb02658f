import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newestAnswer } from './connections.ts';
import { END_OF_HEAD } from './plain-request.ts';

/** As many as Node takes in a head. */
const CHARACTERS_MAX = 16_384;

const BEGUN = Symbol('begun head');

interface Connection extends Socket {
  [BEGUN]?: { readonly after: ServerResponse | undefined; readonly text: string };
}

/**
 * Keeps the head that began on a connection of Node's HTTP and is not complete yet. When a head turns out to be broken, Node tells its
 * last packet alone, and the path may have come in an earlier one.
 * @param bytes what was read so far
 */
export function keepBegunHead(socket: Connection, bytes?: Buffer): void {
  const keep = (packet: Buffer): void => {
    socket[BEGUN] = { after: newestAnswer(socket), text: begunHead(socket, packet) };
  };
  if (bytes) keep(bytes);
  socket.on('data', keep);
}

/** The head that ends with `packet`, or the part of it that came so far. */
export function begunHead(socket: Connection, packet?: Buffer): string {
  const newest = newestAnswer(socket);
  if (newest && !newest.req.complete) return '';
  const begun = socket[BEGUN];
  // A request that arrived since then ended the head that was kept.
  const before = begun?.after === newest ? (begun?.text ?? '') : '';
  const text = before + (packet?.toString('latin1', 0, CHARACTERS_MAX) ?? '');
  return (text.split(END_OF_HEAD).at(-1) ?? '').slice(0, CHARACTERS_MAX);
}
