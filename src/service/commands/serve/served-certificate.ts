import { X509Certificate } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { messageOf } from '../../../core/errors.ts';
import { isLoopback } from './loopback.ts';
import { RENEW_BEFORE_MS } from './self-signed.ts';
import type { ServerTls } from './tls.ts';
import { readPair } from './tls-pair.ts';

const WATCH_MS = 1000;
/** A renewal writes two files, one after the other. */
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

  /** What the user must know about it at the start. */
  get notice(): string | undefined {
    const endsAt = this.#certificate.validToDate;
    if (this.#tls.notice !== undefined || endsAt.getTime() - Date.now() > RENEW_BEFORE_MS)
      return this.#tls.notice;
    const date = endsAt.toISOString().slice(0, 10);
    return `The certificate ${this.path ?? ''} ends on ${date}: renew it, because clients and devices refuse it from then on.`;
  }

  /**
   * Whether browsers may be told to use HTTPS alone for this host (RFC 6797). They would hold a self-signed certificate against
   * the service without a way around it, and this machine's own name serves other programs, too.
   */
  isStrictAt(host: string): boolean {
    return !this.#isSelfSigned && !isLoopback(host);
  }

  /** From now on changed files are used, as soon as both fit together. @param server that serves it */
  watch(server: object): void {
    if (!(server instanceof TlsServer)) return;
    this.#server = server;
    for (const path of this.#files())
      watchFile(path, { interval: WATCH_MS, persistent: false }, this.#changed);
  }

  /** Reads the files now. What cannot be used changes nothing and is logged. */
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

  /** @returns false when there is nothing new */
  #read(): boolean {
    const { paths, cert, key } = this.#tls;
    if (!paths) return false;
    try {
      const pair = readPair(paths);
      this.#refusedFor = undefined;
      if (pair.cert === cert && pair.key === key) return false;
      this.#server?.setSecureContext(pair);
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

  /** Once for each reason: a renewal that failed half way would fill the log. */
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
