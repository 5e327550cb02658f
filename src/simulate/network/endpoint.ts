import { pastedEndpoint } from '../../kit/base-address.ts';
import { refusedAddress } from '../../kit/secrets.ts';
import { SimulateError } from '../errors.ts';
import type { WireRequest, WireRoute } from '../wire.ts';

export interface TlsTrust {
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
  /** True takes any certificate: for a self-signed test server only. */
  readonly insecure?: boolean | undefined;
}

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly key: string;
  readonly tls?: TlsTrust | undefined;
}

const PATHS: Readonly<Record<WireRequest['operation'], string>> = {
  consume: '/scan/hw/consume',
  validate: '/scan/hw/validate',
  heartbeat: '/scan/hw/heartbeat',
  passage: '/',
};

/** Where the requests of all devices with one key go: the Card URL, the Heart URL and how to reach them. */
export class Endpoint {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly tls: TlsTrust;
  /** The address without the key, for messages. */
  readonly shownUrl: string;
  readonly #hostHeader: string;
  readonly #base: string;
  readonly #query: string;
  readonly #key: string;
  readonly #heads = new Map<string, string>();

  /** @throws SimulateError when the base URL is none */
  constructor({ baseUrl, key, tls }: EndpointOptions) {
    const url = parsedUrl(baseUrl);
    const pasted = pastedEndpoint(url);
    if (pasted !== undefined) throw new SimulateError(pasted);
    this.secure = url.protocol === 'https:';
    this.host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.port = Number(url.port) || (this.secure ? 443 : 80);
    this.tls = tls ?? {};
    this.shownUrl = `${url.origin}${url.pathname.replace(/\/$/, '')}`;
    this.#hostHeader = url.host;
    this.#base = url.pathname.replace(/\/$/, '');
    this.#key = encodeURIComponent(key);
    this.#query = `?key=${this.#key}`;
  }

  /** The head of the request up to the value of Content-Length. */
  head({ operation, contentType, route }: WireRequest): string {
    // Its query may have the code of the card: no two are alike.
    if (route) return this.#routeHead(route, contentType);
    const name = `${operation} ${contentType}`;
    let head = this.#heads.get(name);
    if (head === undefined) {
      head =
        `POST ${this.#base}${PATHS[operation]}${this.#query} HTTP/1.1\r\n` +
        `Host: ${this.#hostHeader}\r\nContent-Type: ${contentType}\r\nContent-Length: `;
      this.#heads.set(name, head);
    }
    return head;
  }

  /** The whole request for people: the key is hidden. */
  shownText(request: WireRequest): string {
    const text = this.requestText(request);
    if (request.route) return text.replace(`/devices/${this.#key}`, '/devices/‹key›');
    return text.replace(this.#query, '?key=‹key›');
  }

  #routeHead({ method, path, query }: WireRoute, contentType: string): string {
    const target = `${this.#base}/devices/${this.#key}${path}${query === '' ? '' : `?${query}`}`;
    const type = contentType === '' ? '' : `Content-Type: ${contentType}\r\n`;
    return `${method} ${target} HTTP/1.1\r\nHost: ${this.#hostHeader}\r\n${type}Content-Length: `;
  }

  /** The whole request as text. The head is ASCII; the body has as many bytes as letters when it is so too. */
  requestText(request: WireRequest, bodyBytes: number = Buffer.byteLength(request.body)): string {
    return `${this.head(request)}${bodyBytes}\r\n\r\n${request.body}`;
  }
}

/** @throws SimulateError when the base URL is none */
export function parsedUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const meant = /^[\w.-]+:\d+(\/|$)/.test(baseUrl) ? `http://${baseUrl}` : 'http://127.0.0.1:8080';
  throw new SimulateError(`"${refusedAddress(baseUrl)}" is not a server address such as ${meant}.`);
}

/** An address, and the key in it if there was one. */
export interface DeviceUrl {
  readonly baseUrl: string;
  readonly key: string | undefined;
}

/**
 * Takes the Card URL or Heart URL of a device apart, as it was shown with the key, so that it can be pasted as it is.
 * Any other address stays what it is, without a query: a key in it must not be shown.
 */
export function splitDeviceUrl(text: string): DeviceUrl {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    return { baseUrl: text, key: undefined };
  }
  const url = new URL(text);
  const path = url.pathname.replace(/\/scan\/hw\/(consume|validate|heartbeat)\/?$/, '');
  const baseUrl = `${url.origin}${path}`.replace(/\/$/, '');
  return { baseUrl, key: url.searchParams.get('key') ?? undefined };
}
