import { expect, onTestFinished } from 'vitest';
import { describeAnswer } from '../../../src/check/facts/exchange.ts';
import { whyUnreadable } from '../../../src/check/facts/json.ts';
import { Connection as CheckConnection, dial } from '../../../src/check/requests/connection.ts';
import { call } from '../../../src/cli/doctor/call.ts';
import { errorAfter } from '../../../src/client/scan-error.ts';
import { Transport } from '../../../src/client/transport.ts';
import { httpsSender, networkPolicy } from '../../../src/features/webhooks/network.ts';
import { contentOf, statusOf } from '../../../src/kit/http1.ts';
import { JsonClient } from '../../../src/kit/json-client.ts';
import { Upstream } from '../../../src/record/proxy/upstream.ts';
import { replay } from '../../../src/record/replay/replay.ts';
import { Restorer } from '../../../src/record/secrets/placeholders.ts';
import { Connection as DeviceConnection } from '../../../src/simulate/network/connection.ts';
import { Endpoint } from '../../../src/simulate/network/endpoint.ts';

/** What a client made of an answer: its status and body, or why it was refused. */
export type Outcome =
  | { readonly status: number; readonly body: string }
  | { readonly refused: string };
/** How a client is set. */
export interface ClientOptions {
  readonly timeoutMs?: number;
  /** PEM text of certificates to trust. */
  readonly ca?: string;
}

const TIMEOUT_MS = 20_000;

async function byTransport(
  url: string,
  { timeoutMs = TIMEOUT_MS, ca }: ClientOptions = {},
): Promise<Outcome> {
  const transport = new Transport({ ca });
  onTestFinished(() => transport.close());
  const post = {
    url: new URL(`${url}/scan/validate`),
    headers: {},
    body: '{}',
    timeoutMs,
    signal: undefined,
  };
  try {
    const { status, text } = await transport.post(post);
    return { status, body: text };
  } catch (cause) {
    throw errorAfter({ kind: 'lost', cause }, {}, url, undefined);
  }
}

async function byJsonClient(
  base: string,
  { timeoutMs = TIMEOUT_MS, ca }: ClientOptions = {},
): Promise<Outcome> {
  const unreachable = (why: string, cause: unknown) => new Error(why, { cause });
  const client = new JsonClient({ base, headers: {}, ca, timeoutMs, unreachable });
  const { status, text } = await client.send({ method: 'POST', path: '/x', body: '{}' });
  return { status, body: text };
}

async function byDoctor(url: string, { ca }: ClientOptions = {}): Promise<Outcome> {
  const { status, text } = await call(new URL(url), '{}', { holdsKey: true, ca });
  return { status, body: text };
}

async function byCheck(
  url: string,
  { timeoutMs = TIMEOUT_MS, ca }: ClientOptions = {},
): Promise<Outcome> {
  const options = { baseUrl: new URL(url), timeoutMs, ca };
  const connection = new CheckConnection(await dial(options), options);
  onTestFinished(() => connection.close());
  const answer = await connection.send({ path: '/scan/validate', body: '{}' });
  // The judge of answers names it, as a finding.
  const why = answer.body === '' ? undefined : whyUnreadable(answer);
  // Nothing of it that a person cannot read is shown.
  if (why?.includes('encoding')) return { refused: `${why} ${describeAnswer(answer)}` };
  if (answer.body !== '' && !answer.cut)
    expect(JSON.stringify(answer.json)).toBe('{"valid":false}');
  return { status: answer.status, body: answer.body.replace(/^\ufeff/, '') };
}

function bySimulator(baseUrl: string, { ca }: ClientOptions = {}): Promise<Outcome> {
  const endpoint = new Endpoint({ baseUrl, key: 'k', tls: { ca } });
  const owner = { connectionIdle: () => undefined, connectionOver: () => undefined };
  const connection = new DeviceConnection(endpoint, owner);
  onTestFinished(() => connection.destroy());
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  connection.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', {
    answered: resolve,
    failed: ({ message }) => resolve({ refused: message }),
  });
  return promise;
}

async function byReplay(
  url: string,
  { timeoutMs = TIMEOUT_MS, ca }: ClientOptions = {},
): Promise<Outcome> {
  const request = {
    head: 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n',
    body: { text: '{}' },
    whole: true,
  };
  const exchange = {
    number: 1,
    connection: 1,
    atMs: 0,
    durationMs: 1,
    model: 'rest',
    request,
    response: null,
    keys: [],
  };
  let outcome: Outcome = { refused: 'nothing was told' };
  await replay(
    [exchange],
    {
      upstream: new Upstream(url, { ca }),
      restorer: new Restorer(new Map()),
      pace: 'fast',
      keepHost: false,
      volatile: new Set(),
      timeoutMs,
      signal: new AbortController().signal,
    },
    ({ answer }) => {
      outcome = 'failure' in answer ? { refused: answer.failure } : readReplayed(answer);
    },
  );
  return outcome;
}

function readReplayed({ head, body }: { head: string; body: Buffer }): Outcome {
  // A recording keeps every byte.
  return {
    status: statusOf(head),
    body: contentOf(head, body)
      .toString()
      .replace(/^\ufeff/, ''),
  };
}

export async function byWebhooks(
  url: string,
  { timeoutMs = TIMEOUT_MS, ca }: ClientOptions = {},
): Promise<Outcome> {
  const network = httpsSender(
    networkPolicy((address) => address === '127.0.0.1'),
    ca,
    timeoutMs,
  );
  onTestFinished(() => network.close());
  const { status, error } = await network.send(
    { url: `${url}/`, headers: {}, body: '{}' },
    new AbortController().signal,
  );
  return status === null ? { refused: error ?? '' } : { status, body: '' };
}

type Client = (url: string, options?: ClientOptions) => Promise<Outcome>;

/** Every client of the program. What each calls is refused or taken alike. */
export const CLIENTS: Readonly<Record<string, Client>> = {
  'the scan client': byTransport,
  '--url': byJsonClient,
  doctor: byDoctor,
  check: byCheck,
  simulate: bySimulator,
  'record send': byReplay,
};
