import { decodeUtf8 } from '../kit/utf8.ts';
import type { DeviceBody } from '../service/devices/device-model.ts';
import { decodeChunks } from './chunk-scanner.ts';
import { type HttpHead, headerOf } from './http-head.ts';

/** The content of a body without the framing of its transfer. */
export function contentOf(head: HttpHead, wire: Buffer): Buffer {
  return isChunked(head) ? decodeChunks(wire) : wire;
}

export function isChunked(head: HttpHead): boolean {
  return /chunked\s*$/i.test(headerOf(head, 'transfer-encoding') ?? '');
}

/** A body in the form that device models read. */
export function deviceBody(content: Buffer): DeviceBody {
  const text = decodeUtf8(content);
  return { text, json: text === undefined ? undefined : jsonObject(text) };
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
