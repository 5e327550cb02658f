import type { Agent, buildConnector, EnvHttpProxyAgent } from 'undici';
import { ANSWER_HEAD_BYTES_MAX, hideContinue } from './connections.ts';
import { hasProxies } from './proxies.ts';

type Undici = Pick<typeof import('undici'), 'Agent' | 'EnvHttpProxyAgent' | 'buildConnector'>;

/** What differs between the clients. */
export interface AgentOptions {
  readonly tls: buildConnector.BuildOptions;
  readonly limits: Pick<Agent.Options, 'bodyTimeout' | 'headersTimeout' | 'maxResponseSize'>;
}

/**
 * Makes the connections of a client: through the proxies of the environment, where it names some, and deaf to interim answers.
 * @param undici the package, which a command loads only with its first request
 */
export function agentFrom(
  undici: Undici,
  { tls, limits }: AgentOptions,
): Agent | EnvHttpProxyAgent {
  const connector = undici.buildConnector(tls);
  const connect: buildConnector.connector = (options, callback) =>
    connector(options, (...given) => {
      if (given[1]) hideContinue(given[1]);
      callback(...given);
    });
  const options = { ...limits, maxHeaderSize: ANSWER_HEAD_BYTES_MAX, connect };
  return hasProxies()
    ? new undici.EnvHttpProxyAgent({ ...options, requestTls: tls })
    : new undici.Agent(options);
}
