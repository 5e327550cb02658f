import { decodeUtf8 } from '../kit/text.ts';
import type { DeviceBody } from '../scan/devices/device-model.ts';

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
