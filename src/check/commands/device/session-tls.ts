import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeForAll } from '../../../kit/files.ts';
import { makeSelfSigned } from '../../../serve/certificate.ts';
import type { DeviceTls } from '../../index.ts';

/** Certificates for a session over HTTPS. */
export interface SessionTls extends DeviceTls, Disposable {
  /** The one to trust, as a file. */
  readonly caFile: string;
}

/** Makes both: one to trust, and another for the same name that nobody trusts. @param names of this machine as the subject knows it */
export async function makeSessionTls(names: readonly string[]): Promise<SessionTls> {
  const [trusted, untrusted] = await Promise.all([makeSelfSigned(names), makeSelfSigned(names)]);
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-device-'));
  const caFile = join(folder, 'certificate.pem');
  writeForAll(caFile, trusted.cert);
  return {
    certificate: trusted,
    ca: trusted.cert,
    untrusted,
    caFile,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
