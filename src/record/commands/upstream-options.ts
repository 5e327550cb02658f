import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { readBoundedText } from '../../kit/files.ts';
import type { CliIo } from '../../terminal/io.ts';
import { type TrustFlags, trustFrom } from '../../terminal/options.ts';
import { Upstream } from '../proxy/upstream.ts';

/** @throws TicketscanError `usage` when the address is none or the certificate cannot be read */
export function upstreamOf(url: string, flags: TrustFlags, io: CliIo): Upstream {
  return new Upstream(url, trustFrom(flags, io));
}

/** @throws TicketscanError `usage` when the file cannot be read */
export function readFile(path: string): string {
  try {
    return readBoundedText(path);
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be read: ${fileFailure(error)}.`);
  }
}
