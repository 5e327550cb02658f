import type { Arrival } from '../../device-files/file-model.ts';
import type { Message } from '../../device-files/source.ts';
import { contentOf, type HttpHead, headersOf, pathOf, requestLine } from '../../kit/http1.ts';
import { decodeUtf8 } from '../../kit/text.ts';
import type { StoredExchange, StoredMessage } from '../recording.ts';
import { deviceBody } from '../request-body.ts';
import { loadBytes } from '../stored-bytes.ts';

/** A recorded request as a device file reads it. */
export interface Received {
  readonly message: Message;
  readonly arrival: Arrival;
  readonly method: string;
}

/** @returns undefined for a request that is incomplete or has no readable head */
export function received(request: StoredMessage): Received | undefined {
  if (!request.whole) return undefined;
  return receivedFrom(request.head, contentOf(request.head, loadBytes(request.body)));
}

/** @param content of the body @returns undefined without a readable head */
export function receivedFrom(head: HttpHead, content: Buffer): Received | undefined {
  const line = requestLine(head);
  if (!line) return undefined;
  const { method, target } = line;
  const { text, json } = deviceBody(content);
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  const headers = Object.fromEntries(
    headersOf(head).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const message = { text, isJson: json !== undefined, query, headers };
  return { message, arrival: arrivalAt(method, pathOf(target)), method };
}

/** The Card URL and the Heart URL with any base path; else what follows `/devices/KEY`, or the whole path. */
function arrivalAt(method: string, path: string): Arrival {
  if (/\/scan\/hw\/(consume|validate)$/.test(path)) return { at: 'card' };
  if (path.endsWith('/scan/hw/heartbeat')) return { at: 'heart' };
  const [, own = path] = /^.*\/devices\/[^/]+(\/.*)$/.exec(path) ?? [];
  return { at: 'path', method, path: own };
}

/** The body of a recorded answer; undefined when it is not UTF-8. */
export function bodyOf({ head, body }: StoredMessage): string | undefined {
  return decodeUtf8(contentOf(head, loadBytes(body)));
}

/**
 * True for what ticketscan answers to a device that it does not know: it says nothing about the answers that the device wants.
 */
export function isOfTicketscan(status: number, body: string | undefined): boolean {
  if (status === 404 || status === 405) return true;
  const { json } = deviceBody(Buffer.from(body ?? ''));
  return json?.['status'] === 'rejected' || typeof json?.['AcsRes'] === 'string';
}

/** True for what no built-in model reads: requests with unknown data, and those at an address of a device file. */
export function isOfUnknownDevice({ model, request }: StoredExchange): boolean {
  return (
    model === 'unknown' ||
    (model === 'other' && /\/devices\//.test(request.head.split('\n')[0] ?? ''))
  );
}
