import { Agent, buildConnector, request } from 'undici';
import { agentFrom } from '../kit/agents.ts';
import { faultOfHeaders } from '../kit/answer-faults.ts';
import type { HttpAnswer } from './attempt.ts';

/** A scan result is a few hundred bytes. */
const ANSWER_BYTES_MAX = 64 * 1024;

export interface TlsOptions {
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Takes any certificate: for a test server only. */
  readonly insecureTls?: boolean | undefined;
}

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Time limit for connection, answer and body together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Posts over its own connections, which are kept open; follows no redirects and never retries. */
export class Transport {
  readonly #agent: Agent;

  constructor({ ca, insecureTls }: TlsOptions) {
    const tls = { ...(ca !== undefined && { ca }), rejectUnauthorized: insecureTls !== true };
    const limits = { maxResponseSize: ANSWER_BYTES_MAX };
    this.#agent = agentFrom({ Agent, buildConnector }, { tls, limits });
  }

  /** Rejects when no complete answer arrives in time. */
  async post({ url, headers, body, timeoutMs, signal }: Post): Promise<HttpAnswer> {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
    const answer = await request(url, {
      method: 'POST',
      headers: { 'accept-encoding': 'identity', ...headers },
      body,
      dispatcher: this.#agent,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const failure = faultOfHeaders(answer.headers);
    if (failure) {
      answer.body.on('error', () => undefined).destroy();
      throw failure;
    }
    const [retryAfter] = [answer.headers['retry-after']].flat();
    return {
      status: answer.statusCode,
      retryAfter,
      text: await answer.body.text(),
    };
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
