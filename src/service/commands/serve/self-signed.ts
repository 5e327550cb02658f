import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { DAY_MS } from '../../../kit/durations.ts';
import { writeForAll, writeForOwner } from '../../../kit/files.ts';
import type { ServerNames } from './own-names.ts';
import { checkPair, type TlsFiles, type TlsPaths } from './tls-pair.ts';

/** The most that Apple's systems accept. */
const VALID_DAYS = 825;
export const RENEW_BEFORE_MS = 30 * DAY_MS;

export interface SelfSigned extends TlsFiles {
  /** Why an earlier certificate was replaced, and what that means; undefined when none was. */
  readonly notice: string | undefined;
}

/** Where a self-signed certificate is kept. */
export function selfSignedPaths(folder: string): TlsPaths {
  return {
    cert: join(folder, 'ticketscan.self-signed.cert.pem'),
    key: join(folder, 'ticketscan.self-signed.key.pem'),
  };
}

/**
 * The kept certificate, so that clients that trust it still do after a restart; a new one when there is none for these names.
 * @param paths undefined keeps none
 * @throws Error of the system when it cannot be written
 */
export async function selfSigned(
  names: ServerNames,
  paths: TlsPaths | undefined,
): Promise<SelfSigned> {
  const kept = paths && readKept(paths);
  const problem = kept && (typeof kept === 'string' ? kept : problemOf(kept.cert, names));
  if (kept && typeof kept !== 'string' && problem === undefined)
    return { ...kept, notice: undefined };
  const made = await makeSelfSigned([...names.needed.flat(), ...(await names.findMore())]);
  if (paths) {
    writeForOwner(paths.key, made.key);
    // Clients need it to trust the server.
    writeForAll(paths.cert, made.cert);
  }
  return { ...made, notice: problem && noticeOf(problem, paths?.cert ?? '') };
}

/** The names of a server that a certificate lacks. */
export function lackedBy(cert: string, { needed }: ServerNames): string[] {
  const certificate = new X509Certificate(cert);
  const isIn = (name: string) =>
    (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  return needed.filter((group) => !group.some(isIn)).flat();
}

/** @returns why it cannot be used, if so; undefined when there is none */
function readKept(paths: TlsPaths): TlsFiles | string | undefined {
  if (!existsSync(paths.cert) && !existsSync(paths.key)) return undefined;
  try {
    const pair = { cert: readFileSync(paths.cert, 'utf8'), key: readFileSync(paths.key, 'utf8') };
    checkPair(pair, paths);
    return pair;
  } catch {
    return 'the old one could not be used';
  }
}

function problemOf(cert: string, names: ServerNames): string | undefined {
  const lacked = lackedBy(cert, names);
  if (lacked.length > 0) return `the old one is not valid for ${lacked.join(', ')}`;
  const endsAt = new X509Certificate(cert).validToDate;
  if (endsAt.getTime() - Date.now() > RENEW_BEFORE_MS) return undefined;
  return `the old one ends on ${endsAt.toISOString().slice(0, 10)}`;
}

function noticeOf(problem: string, path: string): string {
  return (
    `A new self-signed certificate was created, because ${problem}. Its fingerprint is another one: clients and devices that trust ` +
    `the old certificate refuse this server until they get ${path}. --tls-name NAME,NAME… keeps one certificate when addresses change.`
  );
}

/** A new certificate for these names and addresses, signed by itself. */
export async function makeSelfSigned(all: readonly string[]): Promise<TlsFiles> {
  const { default: selfsigned } = await import('selfsigned');
  const made = await selfsigned.generate([{ name: 'commonName', value: 'ticketscan' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [...new Set(all)].map((name) =>
          isIP(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
        ),
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}
