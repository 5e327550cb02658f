import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, lstatSync, rmSync, unwatchFile, watchFile } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import {
  chosenNames,
  isLoopback,
  isOfThisMachine,
  namesOfServer,
  ownAddresses,
  type ServerNames,
  selfSignedPaths,
} from '../config/addresses.ts';
import type { Settings } from '../config/settings.ts';
import { messageOf, TicketscanError } from '../core/errors.ts';
import { DAY_MS } from '../kit/durations.ts';
import { fileFailure } from '../kit/failures.ts';
import { readBoundedText, writeForAll, writeForOwner } from '../kit/files.ts';
import { SERVED_TLS, type TlsKeyType } from '../kit/served-tls.ts';

/** A certificate, with its chain, and its private key: both as PEM text, or the paths of their files. */
interface CertificateAndKey {
  readonly cert: string;
  readonly key: string;
}

/** Reads a certificate and its key. @throws TicketscanError `usage` when a file cannot be read, or as `checkPair` does */
function readPair(paths: CertificateAndKey): CertificateAndKey {
  const pair = { cert: readPem(paths.cert), key: readPem(paths.key) };
  checkPair(pair, paths);
  return pair;
}

/** @throws TicketscanError `usage` when a server cannot use the two together; never with their text */
function checkPair({ cert, key }: CertificateAndKey, paths: CertificateAndKey): void {
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
    return readBoundedText(path);
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

/** The certificate and key with which a server begins to serve HTTPS. */
export interface ServerTls extends CertificateAndKey {
  /** Its files; undefined if it is in memory only. */
  readonly paths?: CertificateAndKey | undefined;
  /** A notice about it for the user. */
  readonly notice?: string | undefined;
}

type TlsSettings = Pick<
  Settings,
  'host' | 'tlsCert' | 'tlsKey' | 'tlsSelfSigned' | 'tlsName' | 'tlsElsewhere'
> &
  Partial<Pick<Settings, 'tlsKeyType'>>;

/**
 * The certificate for HTTPS; undefined for plain HTTP, which is allowed only on loopback or if TLS ends elsewhere (section 1.7).
 * @param folder where a self-signed certificate is kept; undefined keeps none
 * @throws TicketscanError `usage`, with the options to choose from, and what `readPair` throws
 */
export async function tlsFor(
  settings: TlsSettings,
  folder: string | undefined,
): Promise<ServerTls | undefined> {
  const { host, tlsCert, tlsKey, tlsSelfSigned, tlsKeyType, tlsElsewhere } = settings;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new TicketscanError(
      'usage',
      '--tls-cert and --tls-key must be used together: give both.',
    );
  }
  if (!tlsSelfSigned) refuseUnused(settings);
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const paths = { cert: tlsCert, key: tlsKey };
    return { ...readPair(paths), paths };
  }
  if (tlsSelfSigned) {
    const paths = folder === undefined ? undefined : selfSignedPaths(folder);
    return selfSigned(namesOfServer(host, chosenNames(settings)), paths, tlsKeyType);
  }
  if (tlsElsewhere || isLoopback(host)) return undefined;
  if (!(await isOfThisMachine(host))) {
    throw new TicketscanError(
      'usage',
      `--host ${host} is not an address of this machine. Its addresses: ${['127.0.0.1', ...ownAddresses()].join(', ')}; all of them: 0.0.0.0.`,
    );
  }
  throw new TicketscanError(
    'usage',
    `Plain HTTP is served on loopback only, and ${host} is not loopback: others on the network could read keys and codes. Use ` +
      '--tls-cert and --tls-key, or --tls-self-signed, or --tls-elsewhere when a proxy in front ends TLS.',
  );
}

/** @throws TicketscanError `usage` for a setting that only a self-signed certificate uses */
function refuseUnused({ tlsName, tlsKeyType }: TlsSettings): void {
  const [unused] = [
    ...(tlsName === undefined ? [] : ['--tls-name sets the names in']),
    ...(tlsKeyType === undefined ? [] : ['--tls-key-type sets the key of']),
  ];
  if (unused === undefined) return;
  const message = `${unused} a self-signed certificate: add --tls-self-signed, or remove it.`;
  throw new TicketscanError('usage', message);
}

/** The days for which a certificate is valid: the most that Apple's systems accept. */
const VALID_DAYS = 825;
const RENEW_BEFORE_MS = 30 * DAY_MS;

/**
 * Returns the existing certificate, so that clients still trust it after a restart, or a new one if none has these names.
 * @param paths where it is kept; undefined keeps none
 * @param keyType the type of the existing one by default, else `ec`
 * @throws Error of the system when it cannot be written
 */
export async function selfSigned(
  names: ServerNames,
  paths: CertificateAndKey | undefined,
  keyType?: TlsKeyType,
): Promise<ServerTls> {
  const kept = paths && readKept(paths);
  const wanted = keyType ?? (typeof kept === 'object' ? keyTypeOf(kept.cert) : undefined);
  const problem = typeof kept === 'object' ? problemOf(kept.cert, names, wanted) : kept;
  if (kept && typeof kept !== 'string' && problem === undefined) return { ...kept, paths };
  const all = [...names.needed.flat(), ...(await names.findMore())];
  const made = await makeSelfSigned(all, wanted);
  if (paths) {
    // If one of the names is a link, its target must not be replaced.
    for (const path of [paths.key, paths.cert]) removeLink(path);
    writeForOwner(paths.key, made.key);
    // Clients need it to trust the server.
    writeForAll(paths.cert, made.cert);
  }
  return { ...made, paths, notice: problem && noticeOf(problem, paths?.cert ?? '') };
}

function removeLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
}

/** The names of a server that a certificate lacks. */
export function lackedBy(cert: string, { needed }: ServerNames): string[] {
  const certificate = new X509Certificate(cert);
  const isIn = (name: string) =>
    (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  return needed.filter((group) => !group.some(isIn)).flat();
}

/** Reads the existing certificate. @returns the reason if it cannot be used; undefined if there is none */
function readKept(paths: CertificateAndKey): CertificateAndKey | string | undefined {
  if (!existsSync(paths.cert) && !existsSync(paths.key)) return undefined;
  try {
    return readPair(paths);
  } catch {
    return 'the old one could not be used';
  }
}

function keyTypeOf(cert: string): TlsKeyType {
  return new X509Certificate(cert).publicKey.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec';
}

function problemOf(
  cert: string,
  names: ServerNames,
  keyType: TlsKeyType | undefined,
): string | undefined {
  if (keyType && keyTypeOf(cert) !== keyType)
    return `the old one has no ${keyType.toUpperCase()} key`;
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

/** A size that every device with RSA accepts. */
const RSA_BITS = 2048;

/** A new certificate for these names and addresses, signed by itself. It is no authority: a lost key could sign for any name. */
export async function makeSelfSigned(
  all: readonly string[],
  keyType: TlsKeyType = 'ec',
): Promise<CertificateAndKey> {
  const { default: selfsigned } = await import('selfsigned');
  const made = await selfsigned.generate([{ name: 'commonName', value: 'ticketscan' }], {
    keyType,
    keySize: RSA_BITS,
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      // Old devices send a secret that they encrypt with the RSA key.
      {
        name: 'keyUsage',
        digitalSignature: true,
        keyEncipherment: keyType === 'rsa',
        critical: true,
      },
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

const WATCH_MS = 1000;
/** The wait after a change, because a renewal writes two files, one after the other. */
const SETTLE_MS = 500;

/** The certificate of a running server. A new one counts from the next handshake on: connections that are open stay. */
export class ServedCertificate {
  readonly #log: Logger;
  #tls: ServerTls;
  #certificate: X509Certificate;
  #isSelfSigned: boolean;
  #server: TlsServer | undefined;
  #refusedFor: string | undefined;
  #settling: NodeJS.Timeout | undefined;

  constructor(tls: ServerTls, log: Logger) {
    this.#log = log;
    this.#tls = tls;
    this.#certificate = new X509Certificate(tls.cert);
    this.#isSelfSigned = isSelfSigned(this.#certificate);
  }

  /** SHA-256 of the certificate, as browsers show it: `AB:CD:…`. */
  get fingerprint(): string {
    return this.#certificate.fingerprint256;
  }

  /** True when its own key has signed it. */
  get isSelfSigned(): boolean {
    return this.#isSelfSigned;
  }

  /** Its file; undefined when it is in memory only. */
  get path(): string | undefined {
    return this.#tls.paths?.cert;
  }

  /** A notice about it for the user at the start. */
  get notice(): string | undefined {
    const endsAt = this.#certificate.validToDate;
    if (this.#tls.notice !== undefined || endsAt.getTime() - Date.now() > RENEW_BEFORE_MS)
      return this.#tls.notice;
    const date = endsAt.toISOString().slice(0, 10);
    return `The certificate ${this.path ?? ''} ends on ${date}: renew it, because clients and devices refuse it from then on.`;
  }

  /**
   * Whether browsers may be told to use only HTTPS for this host (RFC 6797). With a self-signed certificate they would then offer no way past
   * their warning, and this machine's own name serves other programs too.
   */
  isStrictAt(host: string): boolean {
    return !this.#isSelfSigned && !isLoopback(host);
  }

  /** Watches the files, and uses changed ones as soon as both fit together. @param server the server that serves the certificate */
  watch(server: object): void {
    if (!(server instanceof TlsServer)) return;
    this.#server = server;
    for (const path of this.#files())
      watchFile(path, { interval: WATCH_MS, persistent: false }, this.#changed);
  }

  /** Reads the files now. Files that cannot be used change nothing and are logged. */
  reload(): void {
    this.#refusedFor = undefined;
    if (!this.#read()) this.#log.info('the certificate has not changed');
  }

  stop(): void {
    clearTimeout(this.#settling);
    for (const path of this.#files()) unwatchFile(path, this.#changed);
  }

  readonly #changed = () => {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#read(), SETTLE_MS).unref();
  };

  #files(): string[] {
    return Object.values(this.#tls.paths ?? {});
  }

  /** @returns false if nothing is new */
  #read(): boolean {
    const { paths, cert, key } = this.#tls;
    if (!paths) return false;
    try {
      const pair = readPair(paths);
      this.#refusedFor = undefined;
      if (pair.cert === cert && pair.key === key) return false;
      this.#server?.setSecureContext({ ...SERVED_TLS, ...pair });
      this.#tls = { ...pair, paths };
      this.#certificate = new X509Certificate(pair.cert);
      this.#isSelfSigned = isSelfSigned(this.#certificate);
      const endsAt = this.#certificate.validToDate.toISOString();
      this.#log.info({ sha256: this.fingerprint, endsAt }, 'the changed certificate is in use');
    } catch (error) {
      this.#refuse(messageOf(error));
    }
    return true;
  }

  /** Logs each reason once: a renewal that failed half way would fill the log. */
  #refuse(why: string): void {
    if (why === this.#refusedFor) return;
    this.#refusedFor = why;
    const text = 'the changed certificate cannot be used; the previous one stays in use';
    this.#log.error({ error: why }, text);
  }
}

/** Decided by the signature: `checkIssued` also wants the right to sign others, which a server's certificate does not have. */
function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.verify(certificate.publicKey);
}
