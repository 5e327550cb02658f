import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Answer, RequestSpec } from '../facts/exchange.ts';

/** More of a body than this says nothing that a checker reads. */
const DECODED_BYTES_MAX = 256 * 1024;

type Undo = (bytes: Buffer, limit: { readonly maxOutputLength: number }) => Buffer;

const UNDO = new Map<string, Undo>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflated],
  ['br', brotliDecompressSync],
]);

/**
 * Takes the coding off a body that came in one for which the request asked. A body in another coding, or one that is broken, stays as it is, with
 * the header that names its coding.
 */
export function withoutCoding(
  bytes: Buffer,
  headers: Answer['headers'],
  request: RequestSpec,
): { readonly bytes: Buffer; readonly headers: Answer['headers'] } {
  const { 'content-encoding': coding = '', ...others } = headers;
  const name = coding.trim().toLowerCase();
  const undo = UNDO.get(name);
  if (undo === undefined || !asksFor(request, name)) return { bytes, headers };
  try {
    return { bytes: undo(bytes, { maxOutputLength: DECODED_BYTES_MAX }), headers: others };
  } catch {
    return { bytes, headers };
  }
}

/** Some servers send deflate without the frame that HTTP wants around it, and clients read both. */
function inflated(...given: Parameters<Undo>): Buffer {
  try {
    return inflateSync(...given);
  } catch {
    return inflateRawSync(...given);
  }
}

function asksFor({ headers = [] }: RequestSpec, coding: string): boolean {
  const accepted = headers
    .filter(([name]) => name.toLowerCase() === 'accept-encoding')
    .flatMap(([, value]) => value.split(','))
    .map((one) => one.replace(/;.*/, '').trim());
  return accepted.includes(coding.replace(/^x-/, '')) || accepted.includes('*');
}
