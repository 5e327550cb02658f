import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import { expect, onTestFinished } from 'vitest';
import { httpsSender, networkPolicy } from '../../../src/features/webhooks/network.ts';
import { selfSigned } from '../../../src/serve/certificate.ts';
import { temporaryFolder } from '../../check/support/files.ts';
import { PATIENTLY } from '../../support/patience.ts';

export interface Received {
  readonly id: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare whatever came over the wire
  readonly body: any;
}

/** What a receiver does with a message. */
interface Behaviour {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly waitMs?: number;
  /** Breaks the connection instead of an answer. */
  readonly breaks?: boolean;
}

/** A real HTTPS server that takes webhooks, and does with them what the test says. */
export class Receiver {
  readonly received: Received[] = [];
  readonly url: string;
  /** PEM of its certificate, and a file with it. */
  readonly ca: string;
  readonly caFile: string;
  behaviour: Behaviour = {};
  readonly #server: https.Server;

  private constructor(server: https.Server, ca: string) {
    this.#server = server;
    this.ca = ca;
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=t0p`;
    this.caFile = join(temporaryFolder(), 'ca.pem');
    writeFileSync(this.caFile, ca);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void this.#answer(request, response, Buffer.concat(chunks)));
    });
  }

  static async start(): Promise<Receiver> {
    const names = { needed: [['localhost'], ['127.0.0.1']], findMore: async () => [] };
    const { cert, key } = await selfSigned(names, undefined);
    const server = https.createServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, cert);
    onTestFinished(() => receiver.stop());
    return receiver;
  }

  /** The network of a server that may reach it. */
  network(timeoutMs?: number) {
    const network = httpsSender(
      networkPolicy((address) => address === '127.0.0.1'),
      this.ca,
      timeoutMs,
    );
    onTestFinished(() => network.close());
    return network;
  }

  /** Those that were answered well, each once, in the order of their first arrival. @throws for a wrong signature */
  accepted(secret: string): Received[] {
    const verifier = new Verifier(secret);
    for (const { text, headers } of this.received) verifier.verify(text, headers);
    return this.received.filter(
      ({ id }, index, all) => all.findIndex((one) => one.id === id) === index,
    );
  }

  async until(count: number): Promise<void> {
    const ids = () => new Set(this.received.map(({ id }) => id)).size;
    const patiently = { ...PATIENTLY, interval: 10, message: 'messages that arrived' };
    await expect.poll(ids, patiently).toBeGreaterThanOrEqual(count);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(
    { url = '', headers }: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): Promise<void> {
    const { status = 204, waitMs = 0, breaks = false, headers: answered = {} } = this.behaviour;
    if (waitMs > 0) await wait(waitMs, undefined, { ref: false });
    if (breaks) {
      response.destroy();
      return;
    }
    const text = body.toString();
    const plain = headers as Record<string, string>;
    if (status < 300) {
      const id = plain['webhook-id'] ?? '';
      this.received.push({ id, path: url, headers: plain, text, body: JSON.parse(text) });
    }
    response.writeHead(status, answered).end();
  }
}
