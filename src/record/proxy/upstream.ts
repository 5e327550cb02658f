import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { TicketscanError } from '../../core/errors.ts';
import { pastedEndpoint } from '../../kit/base-address.ts';
import { trusting } from '../../kit/connections.ts';
import { asSentence, connectionFailure, inOneClause } from '../../kit/failures.ts';
import { unusedProxy } from '../../kit/proxies.ts';
import { refusedAddress } from '../../kit/secrets.ts';
import { CLIENT_TLS } from '../../kit/served-tls.ts';

export interface TlsTrust {
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
  /** True takes any certificate: for a test server only. */
  readonly insecure?: boolean | undefined;
}

/** A server to which requests go, and how it is reached. */
export class Upstream {
  /** The address without anything secret. */
  readonly shownUrl: string;
  /** The value of the header Host. */
  readonly hostHeader: string;
  /** Comes before the path of each request; empty for a server at its root. */
  readonly basePath: string;
  readonly #host: string;
  readonly #port: number;
  readonly #secure: boolean;
  readonly #trust: TlsTrust;

  /** @throws TicketscanError `usage` when this is not a base URL */
  constructor(text: string, trust: TlsTrust = {}) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new TicketscanError(
        'usage',
        `"${refusedAddress(text)}" is not a server address such as https://scan.example.org.`,
      );
    }
    const pasted = pastedEndpoint(url);
    if (pasted !== undefined) throw new TicketscanError('usage', pasted);
    if (url.search !== '' || url.username !== '') {
      throw new TicketscanError(
        'usage',
        `Give the address ${url.origin} without a key: the device sends its own. Remove everything after the path.`,
      );
    }
    this.basePath = url.pathname.replace(/\/$/, '');
    this.shownUrl = url.origin + this.basePath;
    this.hostHeader = url.host;
    this.#secure = url.protocol === 'https:';
    this.#host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.#port = Number(url.port) || (this.#secure ? 443 : 80);
    this.#trust = trust;
  }

  /** Opens a connection; `ready` is called when it can be used. Errors come as the socket's `error` event. */
  connect(ready: () => void): Socket {
    const address = { host: this.#host, port: this.#port };
    const half = { allowHalfOpen: true, noDelay: true };
    if (!this.#secure) return connect({ ...address, ...half }, ready);
    const { ca, insecure } = this.#trust;
    return connectTls(
      {
        ...CLIENT_TLS,
        ...address,
        ...half,
        ...trusting(ca),
        rejectUnauthorized: insecure !== true,
        // RFC 6066: an IP address is not a server name.
        ...(isIP(this.#host) ? {} : { servername: this.#host }),
      },
      ready,
    );
  }

  /** Connects once. @throws TicketscanError `unreachable` that says what is wrong */
  async probe(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = this.connect(resolve);
    socket.on('error', (error) => reject(new TicketscanError('unreachable', this.explain(error))));
    try {
      await promise;
    } finally {
      socket.destroy();
    }
  }

  /** What a failed connection means and what to do about it. */
  explain(error: NodeJS.ErrnoException): string {
    const proxy = unusedProxy(new URL(this.shownUrl));
    return asSentence(`${inOneClause(connectionFailure(error, this.shownUrl))}${proxy}`);
  }
}
