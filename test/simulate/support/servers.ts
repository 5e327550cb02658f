import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCommand } from '../../check/support/run-command.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { words } from '../../support/words.ts';

/** A server of a test: its address, and how it ends. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** A TCP server on any free port of the loopback. */
export async function tcpServer(onSocket: (socket: Socket) => void): Promise<TestServer> {
  return listening(createServer(onSocket));
}

async function listening(server: Server): Promise<TestServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a plain Node server does with one post. */
export type PlainHandler = (
  request: { readonly path: string; readonly contentType: string; readonly body: string },
  answer: (status: number, body: string) => void,
) => void;

/** A plain `node:http` server. */
export async function plainServer(handle: PlainHandler): Promise<TestServer> {
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = new URL(request.url ?? '/', 'http://x').pathname;
      const contentType = request.headers['content-type'] ?? '';
      const body = Buffer.concat(chunks).toString();
      handle({ path, contentType, body }, (status, text) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(text);
      });
    });
  });
  return listening(server);
}

/** Answers heartbeats as documented and grants every card, counting the uses that it registers. */
export function grantingHandler(uses: Map<string, number> = new Map()): PlainHandler {
  return ({ path, body }, answer) => {
    const fields = JSON.parse(body);
    if (path.endsWith('/heartbeat')) answer(200, JSON.stringify({ Key: fields.Key }));
    else {
      uses.set(fields.Card, (uses.get(fields.Card) ?? 0) + 1);
      answer(200, '{"AcsRes":"1","ActIndex":"0","Time":"2","Name":"A","Note":"B"}');
    }
  };
}

/** Passes every byte on to another server and keeps what the clients sent. */
export async function recordingProxy(targetPort: number) {
  const received: Buffer[] = [];
  const server = await tcpServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    upstream.on('error', () => client.destroy());
    client.on('data', (bytes: Buffer) => received.push(bytes));
    client.pipe(upstream);
    upstream.pipe(client);
    client.on('close', () => upstream.destroy());
  });
  return { ...server, sent: () => Buffer.concat(received).toString('utf8') };
}

export const PROGRAM = new URL('../../../bin/ticketscan.js', import.meta.url).pathname;

/** Runs a command of the program to its end, in this process. */
export const program = runCommand;

/** Looks until `look` gives what is expected; a loaded machine gets the time it needs. */
export function eventually<T>(look: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, PATIENTLY);
}

export function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'ticketscan-simulate-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The target file that `seed` writes, as far as tests use it. */
interface Target {
  readonly keys: Readonly<Record<string, string>>;
  readonly tickets: Readonly<Record<string, readonly (string | { readonly code: string })[]>>;
}

/** The project's own server on sample data, as a process of its own. */
export async function ownServer(seedOptions: readonly string[] = []) {
  const folder = temporaryFolder();
  const targetFile = join(folder.path, 'target.json');
  const store = `sqlite:${join(folder.path, 'test.db')}`;
  const seeded = await program(['seed', '--store', store, '--out', targetFile, ...seedOptions]);
  if (seeded.code !== 0) throw new Error(`seed failed: ${seeded.stderr}`);
  const child = spawn(process.execPath, words`${PROGRAM} serve --store ${store} --port 0 --json`);
  const { url } = await firstLine(child);
  return {
    url,
    port: Number(new URL(url).port),
    targetFile,
    target: JSON.parse(readFileSync(targetFile, 'utf8')) as Target,
    store,
    async close() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      folder.remove();
    },
  };
}

async function firstLine(child: ChildProcess): Promise<{ url: string }> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  child.stdout?.resume();
  child.stderr?.resume();
  return JSON.parse(text.slice(0, text.indexOf('\n')));
}

export function codeOf(ticket: string | { readonly code: string } | undefined): string {
  if (ticket === undefined) throw new Error('The target file has no such ticket.');
  return typeof ticket === 'string' ? ticket : ticket.code;
}
