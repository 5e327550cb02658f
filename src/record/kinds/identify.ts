import { type HttpHead, headerOf, pathOf, requestLine } from '../../kit/http1.ts';
import { recogniseScan } from '../../scan/devices/detect.ts';
import type { DeviceBody } from '../../scan/devices/device-model.ts';

/** Who sent a request, and the ticket code that it presents, as far as that is known. */
export interface Sender {
  /** A device model, `rest` for software, `unknown` for data in an unknown format, `other` for all other requests. */
  readonly model: string;
  readonly ticketCode?: string | undefined;
}

/** Detects the sender from the body alone, as the service does: path and content type may be anything. */
export function identify(head: HttpHead, body: DeviceBody): Sender {
  const scan = recogniseScan(body);
  if (scan) return { model: scan.model.id, ticketCode: scan.scan.ticketCode };
  const line = requestLine(head);
  const path = pathOf(line?.target ?? '');
  if (isRest(head, body, path))
    return { model: 'rest', ticketCode: textIn(body.json?.['ticketCode']) };
  if (isHeartbeat(body, path)) return { model: 'access-controller' };
  const hasQuery = /[?&](?!key=)[^=&?]+=/.test(line?.target ?? '');
  return { model: hasQuery || body.text !== '' ? 'unknown' : 'other' };
}

function isRest(head: HttpHead, body: DeviceBody, path: string): boolean {
  if (typeof body.json?.['ticketCode'] === 'string') return true;
  return headerOf(head, 'x-api-key') !== undefined || /\/scan\/(validate|consume)$/.test(path);
}

function isHeartbeat({ json }: DeviceBody, path: string): boolean {
  if (/\/scan\/hw\/heartbeat$/.test(path)) return true;
  return json !== undefined && 'Key' in json && 'Serial' in json;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
