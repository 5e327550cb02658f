import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../../../config/settings.ts';
import { messageOf, TicketscanError } from '../../../core/errors.ts';

import { isLoopback } from './loopback.ts';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

const SELF_SIGNED_DAYS = 825;
const RENEW_BEFORE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * What to serve HTTPS with; undefined for plain HTTP, which only loopback gets unless TLS ends elsewhere (section 1.7).
 * @param folder where a self-signed certificate is kept; undefined keeps none
 * @throws TicketscanError `usage`, with the options to choose from
 */
export async function tlsFor(
  settings: Pick<Settings, 'host' | 'tlsCert' | 'tlsKey' | 'tlsSelfSigned' | 'tlsElsewhere'>,
  folder: string | undefined,
): Promise<TlsFiles | undefined> {
  const { host, tlsCert, tlsKey, tlsSelfSigned, tlsElsewhere } = settings;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new TicketscanError(
      'usage',
      '--tls-cert and --tls-key must be used together: give both.',
    );
  }
  if (tlsCert !== undefined && tlsKey !== undefined) {
    return { cert: readPem(tlsCert, '--tls-cert'), key: readPem(tlsKey, '--tls-key') };
  }
  if (tlsSelfSigned) return selfSigned(host, folder);
  if (tlsElsewhere || isLoopback(host)) return undefined;
  throw new TicketscanError(
    'usage',
    `Plain HTTP is served on loopback only, and ${host} is not loopback: others on the network could read keys and codes. Use ` +
      '--tls-cert and --tls-key, or --tls-self-signed, or --tls-elsewhere when a proxy in front ends TLS.',
  );
}

/**
 * Whether browsers may be told to use HTTPS alone for this host (RFC 6797). They would hold a self-signed certificate against
 * the service without a way around it, and this machine's own name serves other programs, too.
 */
export function isStrictTransport(
  { host, tlsCert }: Pick<Settings, 'host' | 'tlsCert'>,
  tls: TlsFiles | undefined,
): boolean {
  if (!tls || tlsCert === undefined || isLoopback(host)) return false;
  const certificate = new X509Certificate(tls.cert);
  return !certificate.checkIssued(certificate);
}

function readPem(path: string, option: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TicketscanError('usage', `${option} ${path} cannot be read: ${messageOf(error)}.`);
  }
}

/** Kept, so that clients that were told to trust it still do after a restart. */
async function selfSigned(host: string, folder: string | undefined): Promise<TlsFiles> {
  const certPath = folder && join(folder, 'ticketscan.self-signed.cert.pem');
  const keyPath = folder && join(folder, 'ticketscan.self-signed.key.pem');
  if (certPath && keyPath && existsSync(certPath) && existsSync(keyPath)) {
    const kept = { cert: readPem(certPath, 'the certificate'), key: readPem(keyPath, 'the key') };
    if (stillServes(kept.cert, host)) return kept;
  }
  const made = await makeSelfSigned(host);
  if (certPath && keyPath) {
    writeFileSync(keyPath, made.key, { mode: 0o600 });
    writeFileSync(certPath, made.cert);
  }
  return made;
}

function stillServes(cert: string, host: string): boolean {
  const certificate = new X509Certificate(cert);
  const matches = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
  return matches !== undefined && certificate.validToDate.getTime() - Date.now() > RENEW_BEFORE_MS;
}

async function makeSelfSigned(host: string): Promise<TlsFiles> {
  const { default: selfsigned } = await import('selfsigned');
  const addresses = new Set(['127.0.0.1', '::1', ...(isIP(host) ? [host] : [])]);
  const names = new Set(['localhost', ...(isIP(host) ? [] : [host])]);
  const made = await selfsigned.generate([{ name: 'commonName', value: 'ticketscan' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + SELF_SIGNED_DAYS * 24 * 60 * 60 * 1000),
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [
          ...[...names].map((value) => ({ type: 2 as const, value })),
          ...[...addresses].map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}
