import type tls from 'node:tls';
import type { Answer, RequestSpec } from '../facts/exchange.ts';
import { dialTls } from './connection.ts';
import { HttpClient } from './http-client.ts';
import type { HttpClientOptions, World } from './world.ts';

/** A port that a firewall closes never answers: the wait is shorter than for an answer. */
const WAIT_MS_MAX = 3000;
/** Plain HTTP ports that usually lie beside one for HTTPS. */
const PLAIN_PORTS: Readonly<Record<string, string>> = { '': '80', '8443': '8080' };

/** What a TLS handshake showed. */
export interface Handshake {
  /** `TLSv1.3` */
  readonly version: string;
  /** When the certificate ends. */
  readonly validUntil: Date;
}

/** Looks at how a deployment is reached, apart from what it answers. Sends no key. */
export class HttpsLook {
  readonly #options: Omit<HttpClientOptions, 'signal'>;
  readonly #world: World;

  constructor({ signal: _, ...options }: HttpClientOptions, world: World) {
    this.#world = world;
    this.#options = { ...options, timeoutMs: Math.min(options.timeoutMs, WAIT_MS_MAX) };
  }

  /** Connects as any client does. @throws TransportFailure when no handshake succeeds */
  async handshake(settings: tls.ConnectionOptions = {}): Promise<Handshake> {
    const socket = await dialTls(this.#options, settings);
    const { valid_to: until } = socket.getPeerCertificate();
    const version = socket.getProtocol() ?? 'unknown';
    socket.destroy();
    return { version, validUntil: new Date(until) };
  }

  /** The version below TLS 1.2 that the deployment speaks when it is offered nothing else, or undefined. */
  async oldVersion(): Promise<string | undefined> {
    const old = {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
      // With one that was made before, the versions would not count.
      secureContext: undefined,
    } as const;
    return this.handshake({ ...old, rejectUnauthorized: false }).then(
      ({ version }) => version,
      () => undefined,
    );
  }

  /** What plain HTTP answers to a request, at each port beside the one for HTTPS where something answers. */
  async plainAnswers(request: RequestSpec): Promise<{ origin: string; answer: Answer }[]> {
    const answers: { origin: string; answer: Answer }[] = [];
    for (const baseUrl of plainAddressesOf(this.#options.baseUrl)) {
      const client = new HttpClient({ ...this.#options, baseUrl }, this.#world);
      const answer = await client.send(request).catch(() => undefined);
      client.close();
      if (answer) answers.push({ origin: baseUrl.origin, answer });
    }
    return answers;
  }
}

/** Where plain HTTP may be open beside an `https://` address: the usual port, and the same one. */
export function plainAddressesOf(baseUrl: URL): URL[] {
  const ports = [PLAIN_PORTS[baseUrl.port], baseUrl.port].filter(Boolean);
  return ports.map((port) => {
    const { hostname, pathname } = baseUrl;
    return new URL(`http://${hostname}:${port}${pathname}`);
  });
}
