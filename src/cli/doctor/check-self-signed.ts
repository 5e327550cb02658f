import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import type { ServerNames } from '../../service/commands/serve/addresses.ts';
import { lackedBy } from '../../service/commands/serve/certificate.ts';
import { certificateEnd } from './certificate-end.ts';
import { type Finding, Findings } from './finding.ts';

const tls = new Findings('tls');
const ANEW = 'Restart serve, which creates a new one. Then give it to clients and devices.';

/**
 * Checks the self-signed certificate that `serve` keeps: its end, and whether it has the names of this machine.
 * @param path undefined for a server that keeps none
 */
export function checkSelfSigned(
  path: string | undefined,
  names: ServerNames,
  now: number,
): Finding[] {
  if (path === undefined || !existsSync(path)) {
    return [tls.skipped('No self-signed certificate is kept: the next start of serve creates it.')];
  }
  try {
    const cert = readFileSync(path, 'utf8');
    const end = certificateEnd(tls, path, new X509Certificate(cert).validToDate.getTime(), now);
    const lacked = lackedBy(cert, names);
    if (lacked.length === 0) return [end, tls.good('It has the names of this machine.')];
    const lack = `${path} is not valid for ${lacked.join(', ')}, which is this machine now.`;
    return [end, tls.warning(lack, ANEW)];
  } catch (error) {
    return [tls.warning(`${path} cannot be used: ${messageOf(error)}.`, ANEW)];
  }
}
