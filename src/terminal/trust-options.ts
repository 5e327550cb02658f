import { createSecureContext } from 'node:tls';
import { type Command, Option } from 'commander';
import { settingOf } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import { readBoundedText } from '../kit/bounded-file.ts';
import { fileFailure } from '../kit/failures.ts';
import type { CliIo } from './io.ts';
import { readSettings } from './setting-options.ts';

/** How a server is trusted, as the command line says it. */
export interface TrustFlags {
  readonly ca?: string;
  readonly insecureTls?: boolean;
}

const { flag, description, environment } = settingOf('ca');

/** `--ca` of a client that is none of the admin API. */
export function caOption(): Option {
  return new Option(flag, `${description} [${environment}]`);
}

/** `--ca` and `--insecure-tls`. */
export function trustOptions(): Option[] {
  return [
    caOption(),
    new Option('--insecure-tls', 'accept any certificate; for a test server only'),
  ];
}

/** Gives a command the options of `trustOptions`. */
export function addTrustOptions(command: Command): Command {
  for (const option of trustOptions()) command.addOption(option);
  return command;
}

/** What these options mean for a connection. @throws TicketscanError as `readCa` does */
export function trustFrom(
  { ca, insecureTls }: TrustFlags,
  io: CliIo,
): { ca: string | undefined; insecure: boolean } {
  return { ca: readCa({ ca }, io), insecure: insecureTls === true };
}

/**
 * The certificates of `--ca` as PEM text; undefined where nobody names a file.
 * @throws TicketscanError `usage` when the file cannot be read or contains no certificate
 */
export function readCa(
  options: { readonly ca?: string | undefined; readonly config?: unknown },
  io: CliIo,
): string | undefined {
  const { ca: path } = readSettings(['ca'], { ...options }, io);
  return path === undefined ? undefined : readCertificates(path, '--ca');
}

/** The certificates in a file as PEM text. @param option that names the file @throws as `readCa` */
export function readCertificates(path: string, option: string): string {
  try {
    const ca = readBoundedText(path);
    if (!ca.includes('-----BEGIN CERTIFICATE-----')) throw new Error('it contains no certificate');
    createSecureContext({ ca });
    return ca;
  } catch (error) {
    throw new TicketscanError(
      'usage',
      `${option} ${path} cannot be used: ${fileFailure(error)}. Give a PEM file with the certificate of the server or of its issuer.`,
      { cause: error },
    );
  }
}
