import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { messageOf } from '../../core/errors.ts';
import { certificateEnd } from './certificate-end.ts';
import { type Finding, Findings } from './finding.ts';

const tls = new Findings('tls');

export interface TlsQuestion {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** The name that clients use to reach the server, if known. */
  readonly hostname: string | undefined;
  readonly now: number;
}

/** Checks the certificate that `serve` would use: its key, its end, its names. */
export function checkTlsFiles({ tlsCert, tlsKey, hostname, now }: TlsQuestion): Finding[] {
  if (tlsCert === undefined && tlsKey === undefined) {
    return [tls.skipped('No certificate is given.', 'To check one, add --tls-cert and --tls-key.')];
  }
  if (tlsCert === undefined || tlsKey === undefined) {
    return [
      tls.failed(
        'Only one of certificate and key is given.',
        'Give both --tls-cert and --tls-key.',
      ),
    ];
  }
  try {
    const certificate = new X509Certificate(readFileSync(tlsCert));
    const fits = certificate.checkPrivateKey(createPrivateKey(readFileSync(tlsKey)));
    return [
      fits
        ? tls.good(`${tlsKey} is the key of ${tlsCert}.`)
        : tls.failed(
            `${tlsKey} is not the key of ${tlsCert}.`,
            'Give the key that belongs to the certificate.',
          ),
      certificateEnd(tls, tlsCert, certificate.validToDate.getTime(), now),
      ...(hostname === undefined ? [] : [namesOf(certificate, hostname)]),
    ];
  } catch (error) {
    return [tls.failed(`${messageOf(error)}.`, 'Both files must be PEM that this user may read.')];
  }
}

function namesOf(certificate: X509Certificate, hostname: string): Finding {
  const bare = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(bare) ? certificate.checkIP(bare) : certificate.checkHost(bare);
  if (found !== undefined) return tls.good(`It is issued for ${bare}.`);
  return tls.failed(
    `It is not issued for ${bare}, but for ${certificate.subjectAltName ?? 'no name'}.`,
    'Get one for the name that clients use to reach the server.',
  );
}
