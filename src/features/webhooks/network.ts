import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { Agent, type RequestOptions, request } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Settings, WEBHOOK_SETTINGS } from '../../config/settings.ts';
import { refuse, type TicketscanError } from '../../core/errors.ts';
import { readProxies } from '../../kit/client-address.ts';
import { ANSWER_HEAD_BYTES_MAX, answerOf, trusting } from '../../kit/connections.ts';
import { HOUR_MS } from '../../kit/durations.ts';
import { type Caller, COMMAND, connectionFailure } from '../../kit/failures.ts';
import { unusedProxy } from '../../kit/proxies.ts';
import { CLIENT_TLS } from '../../kit/served-tls.ts';
import { readCertificates } from '../../terminal/options.ts';

/** Networks that are not public (the special-purpose registries of IANA), or that translate to such ones. */
const NOT_PUBLIC_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/** All public addresses of IPv6 are in here. */
const PUBLIC_6 = '2000::/3';

const URL_CHARACTERS_MAX = 2000;

/** Whether a webhook may connect to an address. */
export type NetworkPolicy = (address: string) => boolean;

/**
 * Public addresses, but not this machine's own.
 * @param isAllowed further addresses that the operator of the server allows
 */
export function networkPolicy(isAllowed: NetworkPolicy = () => false): NetworkPolicy {
  const [notPublic, public6] = [new BlockList(), new BlockList()];
  for (const network of NOT_PUBLIC_4) addSubnet(notPublic, network, 'ipv4');
  for (const network of NOT_PUBLIC_6) addSubnet(notPublic, network, 'ipv6');
  addSubnet(public6, PUBLIC_6, 'ipv6');
  const isPublic = (address: string) => {
    if (isIP(address) === 4) return !notPublic.check(address, 'ipv4');
    return public6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
  };
  return (given) => {
    const [bare = ''] = given.split('%', 1);
    const address = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
    if (isIP(address) === 0) return false;
    return isAllowed(address) || (isPublic(address) && !isOwn(address));
  };
}

function addSubnet(list: BlockList, network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  list.addSubnet(address, Number(bits), family);
}

/** Addresses change while a server runs: a machine gets a new one from its network. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((one) => one.address === address);
}

/** The address of an endpoint, normalised. @throws TicketscanError `usage` for one that no message is sent to */
export function checkedUrl(text: string, isAllowed: NetworkPolicy): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || text.length > URL_CHARACTERS_MAX) {
    throw refuse('webhook_url', { max: URL_CHARACTERS_MAX });
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw refuse('webhook_url_parts');
  }
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowed(host)) {
    throw notAllowed(host);
  }
  return url.href;
}

/** The host without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The error for an address that gets no message. */
function notAllowed(host: string): TicketscanError {
  return refuse('webhook_address', { host }, { detail: 'The option is --webhook-networks.' });
}

/** The result of one attempt. */
interface Sent {
  /** HTTP; null when there was no answer. */
  readonly status: number | null;
  /** The reason of a failure; undefined if the message was delivered. */
  readonly error?: string;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs?: number;
  readonly ms: number;
}

interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The functions by which this server sends messages. */
export interface WebhookNetwork {
  readonly isAllowed: NetworkPolicy;
  readonly send: Send;
  /** Ends idle connections. */
  close(): void;
}

export type Send = (message: Outgoing, signal: AbortSignal) => Promise<Sent>;

/** Who asked for the message does not learn to which address of the operator's network a name leads. */
type OnRefused = (facts: { readonly host: string; readonly address: string | undefined }) => void;

/** The time limit of the whole exchange. */
const TIMEOUT_MS = 10_000;
/** Sockets that wait for the next message of their endpoint. */
const IDLE_SOCKETS_MAX = 100;

class NotAllowed extends Error {
  /** What the name resolved to; undefined where the endpoint itself names it. */
  readonly address: string | undefined;

  constructor(message: string, address?: string) {
    super(message);
    this.address = address;
  }
}

/**
 * Sends messages over HTTPS. Every address that a name resolves to is checked when it connects, so that no name can lead elsewhere later;
 * redirects are failures, and the body of an answer is not read.
 * @param isAllowed whether a message may go to an address
 * @param ca PEM text of certificates to trust besides the usual ones
 * @param onRefused told of an address that gets no message, for the operator's log
 */
export function httpsSender(
  isAllowed: NetworkPolicy = networkPolicy(),
  ca?: string,
  timeoutMs = TIMEOUT_MS,
  onRefused: OnRefused = () => {},
): WebhookNetwork {
  const agent = new Agent({
    ...CLIENT_TLS,
    keepAlive: true,
    maxFreeSockets: IDLE_SOCKETS_MAX,
    ...trusting(ca),
  });
  const send: Send = async (message, signal) => {
    const beganAt = performance.now();
    const took = () => Math.round(performance.now() - beganAt);
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const answer = await exchange(message, { agent, signal: limit, isAllowed });
      return { ...answer, ms: took() };
    } catch (error) {
      const isRefused = error instanceof NotAllowed;
      if (isRefused) onRefused({ host: hostOf(new URL(message.url)), address: error.address });
      const why = isRefused ? error.message : failureOf(error, message.url);
      return { status: null, error: why, ms: took() };
    }
  };
  return { isAllowed, send, close: () => agent.destroy() };
}

interface Way {
  readonly agent: Agent;
  readonly signal: AbortSignal;
  readonly isAllowed: NetworkPolicy;
}

async function exchange(
  { url, headers, body }: Outgoing,
  { agent, signal, isAllowed }: Way,
): Promise<Omit<Sent, 'ms'>> {
  const host = hostOf(new URL(url));
  // An address is not looked up, so it is checked here.
  if (isIP(host) !== 0 && !isAllowed(host)) throw new NotAllowed(notAllowed(host).message);
  const options: RequestOptions = {
    method: 'POST',
    agent,
    signal,
    maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'ticketscan-webhooks',
      ...headers,
    },
    lookup: checkedLookup(isAllowed),
  };
  const outgoing = request(url, options);
  outgoing.end(body);
  const answer = await answerOf(outgoing, signal);
  const { statusCode: status = 0, headers: answered } = answer;
  // The body is not used; a short one is read so that the connection can be used again.
  answer.on('error', () => {});
  if (Number(answered['content-length'] ?? Number.NaN) <= 65_536) answer.resume();
  else answer.destroy();
  return { status, ...refusalOf(status), ...retryAfter(answered['retry-after']) };
}

function refusalOf(status: number): { error?: string } {
  if (status >= 200 && status < 300) return {};
  if (status >= 300 && status < 400) {
    return { error: `HTTP ${status}: redirects are not followed; set the final address` };
  }
  return { error: `HTTP ${status}` };
}

/** A receiver can put the next attempt off by so much. */
export const RETRY_AFTER_MAX_MS = HOUR_MS;

function retryAfter(header: string | undefined): { retryAfterMs?: number } {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return {};
  return { retryAfterMs: Math.min(RETRY_AFTER_MAX_MS, Number(header) * 1000) };
}

/** Refuses a name as soon as one of its addresses is not allowed. */
function checkedLookup(isAllowed: NetworkPolicy): LookupFunction {
  return (hostname, options: LookupOptions, done) => {
    const answer = (error: Error | null, addresses: readonly LookupAddress[] = []) => {
      const [first] = addresses;
      if (error || !first) done(error ?? new Error('no address'), '');
      else if (options.all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    };
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const wrong = error ? undefined : addresses.find(({ address }) => !isAllowed(address));
      // Which address it is says something of the operator's network: only their log has it.
      if (wrong) answer(new NotAllowed(notAllowed(hostname).message, wrong.address));
      else answer(error, addresses);
    });
  };
}

/** The server that sends webhooks, or `webhooks test`: both take the option, and no address but https. */
export const SENDER: Caller = {
  ...COMMAND,
  trust: 'with --webhook-ca FILE',
  notTls: 'name the port where the receiver has TLS: messages go over https:// only',
  lost: 'check the receiver, and proxies and firewalls in between',
};

function failureOf(error: unknown, url: string): string {
  const { what, advice } = connectionFailure(error, new URL(url).origin, SENDER);
  // Every address is checked when it connects; a proxy would choose one itself.
  return `${what}: ${advice}${unusedProxy(new URL(url))}`;
}

/** Makes the client that sends webhooks. @throws TicketscanError `usage` for a file without certificates */
export function webhookNetworkFrom(
  { webhookNetworks, webhookCa }: Pick<Settings, (typeof WEBHOOK_SETTINGS)[number]>,
  onRefused?: OnRefused,
): WebhookNetwork {
  const ca = webhookCa === undefined ? undefined : readCertificates(webhookCa, '--webhook-ca');
  const allowed = webhookNetworks === undefined ? undefined : readProxies(webhookNetworks);
  return httpsSender(networkPolicy(allowed), ca, TIMEOUT_MS, onRefused);
}

/** The same for a command that sends one message: the connection does not keep the process. */
export function sendOnce(settings: Parameters<typeof webhookNetworkFrom>[0]): WebhookNetwork {
  const network = webhookNetworkFrom(settings);
  return {
    ...network,
    send: (message, signal) => network.send(message, signal).finally(network.close),
  };
}
