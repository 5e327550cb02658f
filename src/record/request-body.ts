import { jsonRecord } from '../kit/json-text.ts';
import { decodeUtf8 } from '../kit/text.ts';
import type { DeviceBody } from '../scan/devices/device-model.ts';

/** A body in the form that device models read. */
export function deviceBody(content: Buffer): DeviceBody {
  const text = decodeUtf8(content);
  return { text, json: text === undefined ? undefined : jsonRecord(text) };
}
