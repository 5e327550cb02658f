import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import selfsigned from 'selfsigned';
import { Webhook } from 'standardwebhooks';
import { sleep } from '../world/load.ts';
import type { Random } from '../world/random.ts';

/** A message as it came. */
export interface Arrival {
  readonly id: string;
  readonly text: string;
  /** Whether the sender was told that it arrived. */
  readonly accepted: boolean;
}

/** What a receiver may do instead of a good answer. */
const FAULTS = ['slow', 'error', 'busy', 'redirect', 'cut', 'cut-late'] as const;

interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** What a sender has to trust. */
  readonly caFile: string;
}

/** One for all receivers of a run. @param folder where the file goes */
export async function newCertificate(folder: string): Promise<Certificate> {
  const altNames = [{ type: 7, ip: '127.0.0.1' } as const];
  const { cert, private: key } = await selfsigned.generate(
    [{ name: 'commonName', value: 'receiver' }],
    { extensions: [{ name: 'subjectAltName', altNames }] },
  );
  const caFile = join(folder, 'receiver.pem');
  writeFileSync(caFile, cert);
  return { cert, key, caFile };
}

/** An HTTPS server that takes webhooks badly: it is slow, refuses, says no though it has the message, or breaks the connection. */
export class Receiver {
  readonly arrivals: Arrival[] = [];
  readonly badSignatures: string[] = [];
  readonly url: string;
  readonly caFile: string;
  secret = '';
  /** How many of a thousand messages meet a fault. */
  faultsPerThousand = 0;
  isDown = false;
  /** False when the sender has another time: then only the signature itself is verified. */
  hasSendersTime = true;
  readonly #random: Random;
  readonly #server: https.Server;

  private constructor(server: https.Server, caFile: string, random: Random) {
    this.#server = server;
    this.#random = random;
    this.caFile = caFile;
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void this.#take(request, response, Buffer.concat(chunks)));
    });
  }

  static async start({ caFile, cert, key }: Certificate, random: Random): Promise<Receiver> {
    const server = https.createServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server, caFile, random);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #verify(id: string, text: string, headers: Record<string, string>): void {
    const verifier = new Webhook(this.secret);
    try {
      if (this.hasSendersTime) return void verifier.verify(text, headers);
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      const isSigned = headers['webhook-signature'] === verifier.sign(id, at, text);
      if (!isSigned) throw new Error('wrong signature');
    } catch (error) {
      this.badSignatures.push(`${id}: ${String(error)}`);
    }
  }

  async #take(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const headers = request.headers as Record<string, string>;
    const id = headers['webhook-id'] ?? '';
    const text = body.toString();
    this.#verify(id, text, headers);
    if (this.isDown) return void response.destroy();
    const isFaulty = this.#random.between(0, 999) < this.faultsPerThousand;
    const fault = isFaulty ? FAULTS[this.#random.between(0, FAULTS.length - 1)] : undefined;
    if (fault === 'slow') await sleep(this.#random.between(50, 400));
    const accepted = fault === undefined || fault === 'slow';
    this.arrivals.push({ id, text, accepted });
    if (accepted) response.writeHead(204).end();
    else if (fault === 'error') response.writeHead(500).end('no');
    else if (fault === 'busy') response.writeHead(429, { 'retry-after': '1' }).end();
    else if (fault === 'redirect') response.writeHead(302, { location: this.url }).end();
    else if (fault === 'cut') response.destroy();
    else {
      response.writeHead(200, { 'content-length': '100' });
      response.flushHeaders();
      response.destroy();
    }
  }
}
