import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { tlsFacts } from '../../kit/first-bytes.ts';
import { endWithAnswer } from '../../kit/last-answer.ts';
import { afterOpening, type BrokenHttp } from '../../kit/plain-openings.ts';
import {
  type ConnectionRefusal,
  connectionRefusal,
  statusOfRefusal,
} from '../../kit/refused-connections.ts';
import { accessController } from '../devices/access-controller.ts';
import { deny } from '../devices/device-answer.ts';
import type { EdgeRefusals } from '../edge-refusals.ts';
import { newestAnswer, partialHead } from './connections.ts';
import { send } from './exchange.ts';
import { breakOff } from './request-body.ts';
import { END_OF_HEAD, faultOfRequest } from './request-head.ts';
import { safePath } from './request-log.ts';
import { HARDWARE_PREFIX } from './scan-paths.ts';
import { addressOfSocket } from './watched-connections.ts';

type RefusalStatus = 400 | 404 | 405 | 408 | 431;

/** An answer that is given before any key is looked at. */
interface Refusal {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * The refusal of an unknown path, another method or broken HTTP. Below `/scan/hw/` the client is likely a device, and gets the
 * denial of the documented model (section 7.3).
 * @param target path and query; undefined when they are not known
 * @param always200 the setting for controllers that ignore the body of any answer but a 200
 */
function refusalOf(status: RefusalStatus, target: string | undefined, always200: boolean): Refusal {
  if (!target?.startsWith(HARDWARE_PREFIX)) {
    const text = JSON.stringify({ message: STATUS_CODES[status] });
    return { status, contentType: 'application/json; charset=utf-8', text };
  }
  const { contentType } = accessController;
  const text = accessController.answer(deny('missing_ticket_code'));
  return { status: always200 ? 200 : status, contentType, text };
}

/** What a status of the framework says that is between 400 and 499. */
export function reasonOfStatus(status: number): ConnectionRefusal {
  if (status === 404) return 'unknown_path';
  if (status === 405) return 'wrong_method';
  if (status === 413) return 'body_too_long';
  return status === 415 ? 'content_type' : 'content_invalid';
}

/** Sends a refusal as the answer to a request whose head was read. */
export function refuse(
  response: ServerResponse,
  status: RefusalStatus,
  always200: boolean,
  headers?: Readonly<Record<string, string>>,
): void {
  const refusal = refusalOf(status, response.req.url, always200);
  send({ response }, refusal.status, refusal.contentType, refusal.text, headers);
}

interface HttpError extends BrokenHttp {
  /** How far the last packet was read. */
  readonly bytesParsed?: number;
}

const CR = 13;
const LF = 10;

const BROKEN = Symbol('broken');
const REPORTED = Symbol('reported');

interface Connection extends Socket {
  [BROKEN]?: true;
  [REPORTED]?: true;
  /** True during the handshake of TLS: what is written then waits for its end, which never comes after an error. */
  readonly secureConnecting?: boolean;
}

/**
 * Returns a handler that answers broken HTTP and ends the connection, because it is unknown where the next request begins.
 * Good requests before it on the same connection are answered first: one of them may have registered a use.
 * @param always200 as in `refusalOf`
 * @param refusals gets each connection once
 */
export function brokenHttpHandler(
  always200: boolean,
  refusals: EdgeRefusals,
): (error: HttpError, socket: Connection) => void {
  return afterOpening<HttpError, Connection>(openingOf, (error, socket, { head }) => {
    reportBroken(error, socket, head, refusals);
    if (error.code === 'ECONNRESET' || !socket.writable || socket.secureConnecting) {
      socket.destroy();
      return;
    }
    // The bytes after the break are parsed as HTTP again and fail again.
    if (socket[BROKEN]) return;
    socket[BROKEN] = true;
    const newest = newestAnswer(socket);
    if (newest && !newest.req.complete) {
      refuseRest(newest, statusOfRefusal(error), always200);
      return;
    }
    const refusal = refusalOf(statusOfRefusal(error), targetIn(error, socket), always200);
    if (!newest || newest.writableFinished) end(socket, refusal);
    // Before Node's own listener, which closes the connection when the client has closed its side.
    else newest.prependOnceListener('finish', () => end(socket, refusal));
  });
}

const openingOf = (error: HttpError, socket: Connection) => ({
  head: brokenHead(error, socket),
  isFirst: newestAnswer(socket) === undefined && socket.bytesWritten === 0,
});

/** True when broken HTTP on this connection was told: the answer to it is no refusal of its own. */
export function isBrokenHttp(socket: Connection): boolean {
  return socket[REPORTED] === true;
}

function reportBroken(
  error: HttpError,
  socket: Connection,
  head: string,
  refusals: EdgeRefusals,
): void {
  if (socket[REPORTED]) return;
  socket[REPORTED] = true;
  const newest = newestAnswer(socket);
  const isInBody = newest !== undefined && !newest.req.complete;
  // It was told when its head was read.
  if (isInBody && faultOfRequest(newest.req)) return;
  const reason = connectionRefusal(error, {
    head,
    isInBody,
    isFirst: newest === undefined && socket.bytesWritten === 0,
    ...tlsFacts(socket),
  });
  if (!reason) return;
  const target = isInBody ? newest.req.url : targetIn(error, socket);
  const endpoint = target === undefined ? undefined : safePath(target);
  refusals.report(reason, { address: addressOfSocket(socket), endpoint, code: error.code });
}

/** The broken head to its end, as far as it came: what is wrong may stand behind the byte at which the parser stopped. */
function brokenHead({ rawPacket, bytesParsed = 0 }: HttpError, socket: Connection): string {
  if (!Buffer.isBuffer(rawPacket)) return partialHead(socket);
  // The parser passes over blank lines in front of a head.
  const beginsAt = rawPacket.findIndex((byte) => byte !== CR && byte !== LF);
  const stoppedAt = bytesParsed - END_OF_HEAD.length;
  const end = rawPacket.indexOf(END_OF_HEAD, Math.max(0, beginsAt, stoppedAt));
  return partialHead(socket, end === -1 ? rawPacket : rawPacket.subarray(0, end));
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
  return TARGET.exec(partialHead(socket, last))?.[1];
}

function end(socket: Socket, { status, contentType, text }: Refusal): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  endWithAnswer(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: ${contentType}\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
