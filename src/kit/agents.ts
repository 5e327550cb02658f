import type { Socket } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import { ANSWER_HEAD_BYTES_MAX, fitForUndici } from './connections.ts';
import { openTunnel, placeOf, proxyFor } from './proxies.ts';

type Undici = Pick<typeof import('undici'), 'Agent' | 'buildConnector'>;

/** What differs between the clients. */
export interface AgentOptions {
  readonly tls: buildConnector.BuildOptions;
  readonly limits: Pick<Agent.Options, 'bodyTimeout' | 'headersTimeout' | 'maxResponseSize'>;
}

/** A proxy that takes longer is given up; a direct connection has the same limit from undici. */
const CONNECT_MS = 10_000;

/**
 * Makes the connections of a client: through the proxy that the environment names for each address, and deaf to interim answers.
 * @param undici the package, which a command loads only with its first request
 */
export function agentFrom(undici: Undici, { tls, limits }: AgentOptions): Agent {
  // Nothing else of this program speaks HTTP/2, and what these clients bound and repair is HTTP/1.1.
  const connector = undici.buildConnector({ ...tls, allowH2: false });
  const connect: buildConnector.connector = (options, callback) => {
    const done: buildConnector.Callback = (...given) => {
      if (given[1]) fitForUndici(given[1]);
      callback(...given);
    };
    const failed = (error: Error) => callback(error, null);
    tunnelFor(options).then((tunnel) => {
      if (tunnel === undefined) connector(options, done);
      else if (options.protocol === 'https:') connector({ ...options, httpSocket: tunnel }, done);
      else done(null, tunnel);
    }, failed);
  };
  return new undici.Agent({ ...limits, maxHeaderSize: ANSWER_HEAD_BYTES_MAX, connect });
}

/** @throws Error as `proxyFor` and `openTunnel` do */
async function tunnelFor({ protocol, host }: buildConnector.Options): Promise<Socket | undefined> {
  const address = new URL(`${protocol}//${host}`);
  const proxy = proxyFor(address);
  if (!proxy) return undefined;
  const tunnel = await openTunnel(proxy, placeOf(address), AbortSignal.timeout(CONNECT_MS));
  return tunnel.setNoDelay(true);
}
