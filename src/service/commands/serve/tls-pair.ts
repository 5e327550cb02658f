import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { TicketscanError } from '../../../core/errors.ts';
import { fileFailure } from '../../../kit/failures.ts';

/** A certificate, with its chain, and its private key, both as PEM text. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Where both are. */
export interface TlsPaths {
  readonly cert: string;
  readonly key: string;
}

/** Reads a certificate and its key. @throws TicketscanError `usage` when a file cannot be read, or as `checkPair` does */
export function readPair(paths: TlsPaths): TlsFiles {
  const pair = { cert: readPem(paths.cert), key: readPem(paths.key) };
  checkPair(pair, paths);
  return pair;
}

/** @throws TicketscanError `usage` when a server cannot use the two together; never with their text */
export function checkPair({ cert, key }: TlsFiles, paths: TlsPaths): void {
  const certificate = parsed(
    () => new X509Certificate(cert),
    `${paths.cert} contains no certificate in PEM format. Give the file with the certificate and its chain.`,
  );
  const privateKey = parsed(
    () => createPrivateKey(key),
    `${paths.key} contains no private key in PEM format, or an encrypted one. Give the key without a passphrase.`,
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TicketscanError(
      'usage',
      `${paths.key} is not the key of ${paths.cert}. Give the key that belongs to the certificate.`,
    );
  }
  parsed(
    () => createSecureContext({ cert, key }),
    `${paths.cert} cannot be used for HTTPS: its key is too short, or its chain is damaged. Get a new certificate.`,
  );
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be read: ${fileFailure(error)}.`);
  }
}

function parsed<Value>(parse: () => Value, message: string): Value {
  try {
    return parse();
  } catch (error) {
    throw new TicketscanError('usage', message, { cause: error });
  }
}
