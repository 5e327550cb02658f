import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RawExchange } from '../../../src/record/proxy/proxied-connection.ts';
import { RecordingProxy } from '../../../src/record/proxy/proxy.ts';
import { type TlsTrust, Upstream } from '../../../src/record/proxy/upstream.ts';
import type { StoredExchange } from '../../../src/record/recording.ts';
import { Redactor } from '../../../src/record/secrets/redactor.ts';

/** A proxy on a free port that keeps what it recorded. */
export async function startRecorder(
  upstreamUrl: string,
  {
    salt,
    trust,
    tls,
  }: { salt?: Uint8Array; trust?: TlsTrust; tls?: { cert: string; key: string } } = {},
) {
  const exchanges: StoredExchange[] = [];
  const warnings: string[] = [];
  const redactor = new Redactor(salt);
  const proxy = await RecordingProxy.listen({
    host: '127.0.0.1',
    port: 0,
    tls,
    upstream: new Upstream(upstreamUrl, trust),
    finished: (exchange) => exchanges.push(redactor.redact(exchange)),
    warn: (text) => warnings.push(text),
  });
  return {
    url: `http://127.0.0.1:${proxy.port}`,
    port: proxy.port,
    exchanges,
    warnings,
    close: () => proxy.close(),
    [Symbol.asyncDispose]: () => proxy.close(),
  };
}

/** A server of bare sockets that keeps every byte and answers with what `answer` returns for them. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  return socket;
}

/** Sends bytes and returns what comes back until there are `length` bytes or the end. */
export async function exchangeBytes(
  url: string,
  pieces: readonly (string | Buffer)[],
  enough: (answer: string) => boolean,
): Promise<string> {
  const socket = connectTo(url);
  await once(socket, 'connect');
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
    if (enough(answer)) resolve(answer);
  });
  socket.on('close', () => resolve(answer));
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((next) => setImmediate(next));
  }
  const all = await promise;
  socket.destroy();
  return all;
}

/** An exchange as the proxy hands it on. */
export function rawExchange(
  request: { head: string; body: Buffer },
  response?: { head: string; body: Buffer },
): RawExchange {
  const exchange = new RawExchange(1, 1, 0);
  exchange.request.head = request.head;
  exchange.request.add(request.body);
  if (response) {
    exchange.response.head = response.head;
    exchange.response.add(response.body);
  }
  return exchange;
}
