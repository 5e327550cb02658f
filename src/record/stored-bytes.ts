import { decodeUtf8 } from '../kit/text.ts';
import type { StoredBytes } from './recording.ts';

/** Bytes as they are kept in a recording. */
export function storeBytes(bytes: Buffer): StoredBytes {
  const text = decodeUtf8(bytes);
  return text === undefined ? { base64: bytes.toString('base64') } : { text };
}

/** The very bytes that were stored. */
export function loadBytes(stored: StoredBytes): Buffer {
  return 'text' in stored ? Buffer.from(stored.text) : Buffer.from(stored.base64, 'base64');
}
