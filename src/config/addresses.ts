import { lookup, lookupService } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { answerOf } from '../kit/connections.ts';
import { inSentences, listenFailure } from '../kit/failures.ts';
import type { ADDRESS_SETTINGS, Settings } from './settings.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** True for an address that only programs on this machine reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

const ALL_IPV4 = '0.0.0.0';
const ALL_IPV6 = '::';

/**
 * Every address under which a server that listens on `host` can be opened: where it listens on all addresses, those of this
 * machine. The first can be opened on this machine.
 * @param names of its certificate, where those were chosen: clients accept no others
 */
export function addressesOf(
  host: string,
  port: number,
  tls: boolean,
  names?: readonly string[],
): [string, ...string[]] {
  const url = (name: string) =>
    `${tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
  const isAll = isAllAddresses(host);
  const here = url(isAll ? '127.0.0.1' : host);
  if (names) return [here, ...names.map(url)];
  if (!isAll) return [here];
  const others = ownAddresses()
    // What listens on all IPv6 addresses is reached over IPv4, too.
    .filter((address) => host === ALL_IPV6 || !address.includes(':'));
  return [here, ...others.map(url)];
}

/** True for a host that means all addresses of this machine. */
export function isAllAddresses(host: string): boolean {
  return host === ALL_IPV4 || host === ALL_IPV6;
}

/** True for an address, or a name of one, on which a server of this machine can listen. */
export async function isOfThisMachine(host: string): Promise<boolean> {
  if (isAllAddresses(host)) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const [wanted] = host.split('%');
  const found = await lookup(wanted ?? host).catch(() => undefined);
  return own.some(({ address }) => address === found?.address);
}

/** Those that others reach, IPv4 first. Addresses of one link only (fe80::) cannot be opened without its name. */
export function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
    .sort((one, other) => one.family.localeCompare(other.family))
    .map(({ address }) => address);
}

/** The names that were set for a self-signed certificate; undefined where it has those of this machine, or none is made. */
export function chosenNames({
  tlsName,
  tlsSelfSigned,
  tlsCert,
}: Pick<Settings, 'tlsName' | 'tlsSelfSigned' | 'tlsCert'>): string[] | undefined {
  return tlsSelfSigned && tlsCert === undefined ? tlsName?.split(',') : undefined;
}

/** Where a self-signed certificate and its key are kept. */
export function selfSignedPaths(folder: string): { readonly cert: string; readonly key: string } {
  const file = (part: string) => join(folder, `ticketscan.self-signed.${part}.pem`);
  return { cert: file('cert'), key: file('key') };
}

/** The address that was set, else the one that `serve` has with the same settings: the network's before this machine's own. */
export function baseUrlFrom(settings: Pick<Settings, (typeof ADDRESS_SETTINGS)[number]>): string {
  const { baseUrl, host, port, tlsCert, tlsSelfSigned } = settings;
  if (baseUrl !== undefined) return baseUrl;
  const isTls = tlsCert !== undefined || tlsSelfSigned;
  const [first, second] = addressesOf(host, port, isTls, chosenNames(settings));
  return second ?? first;
}

/** True for an address that devices cannot reach, because it means this machine to each of them. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** What clients may call a server. */
export interface ServerNames {
  /** A certificate needs one name or address of each group. */
  readonly needed: readonly (readonly string[])[];
  /** Asks the name server for more. They are right as well, but not always known. */
  findMore(): Promise<readonly string[]>;
}

const LOCAL = ['localhost', '127.0.0.1', '::1'];
const NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;
/** A name server that does not answer must not delay a start by more. */
const NAME_SERVER_MS = 1000;

/**
 * The names and addresses of a server that listens on `host`: those of this machine as far as others reach it there.
 * @param given names and addresses to use instead of those
 */
export function namesOfServer(host: string, given: readonly string[] | undefined): ServerNames {
  const listening = isAllAddresses(host) ? [] : [host];
  if (given) return { needed: single([...LOCAL, ...listening, ...given]), findMore: noMore };
  if (isLoopback(host)) return { needed: single([...LOCAL, host]), findMore: noMore };
  const addresses = listening.length === 0 ? ownAddresses() : listening;
  const names = hostNames(hostname());
  // Many systems get an additional IPv6 address every day, for privacy: it must not invalidate a certificate that has another one.
  const sixes = addresses.filter(isIPv6);
  const others = addresses.filter((one) => !isIPv6(one));
  return {
    needed: [...single([...LOCAL, ...names, ...others]), ...(sixes.length > 0 ? [sixes] : [])],
    findMore: () => fullNames(addresses, names[0]),
  };
}

const noMore = async () => [];

/** The name as given, and as multicast DNS knows it on the local network. */
function hostNames(given: string): string[] {
  if (!NAME.test(given)) return [];
  const [short] = given.split('.', 1);
  return [given, `${short}.local`];
}

/** The names with a domain that the name server knows for these addresses. */
async function fullNames(
  addresses: readonly string[],
  name: string | undefined,
): Promise<readonly string[]> {
  if (name === undefined) return [];
  const [short = ''] = name.toLowerCase().split('.', 1);
  const found = addresses.filter(isIP).map(async (address) => {
    const known = await lookupService(address, 0).catch(() => undefined);
    const full = known?.hostname.toLowerCase() ?? '';
    return full.startsWith(`${short}.`) && NAME.test(full) ? [full] : [];
  });
  const late = new AbortController();
  const answers = await Promise.race([
    Promise.all(found),
    wait(NAME_SERVER_MS, [], { signal: late.signal }),
  ]);
  late.abort();
  return answers.flat();
}

function single(names: readonly string[]): string[][] {
  return [...new Set(names)].map((name) => [name]);
}

const TIMEOUT_MS = 2000;

/** Whether a ticketscan server answers on this port, over HTTP or HTTPS, whatever the certificate. */
export async function servesTicketscan(host: string, port: number): Promise<boolean> {
  const asked = [http, https].map(async ({ get }) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const options = { host, port, path: '/healthz', agent: false, rejectUnauthorized: false };
    const answer = await answerOf(get({ ...options, signal }), signal);
    return (await text(answer)) === '{"status":"ok"}';
  });
  const answers = await Promise.allSettled(asked);
  return answers.some((one) => one.status === 'fulfilled' && one.value);
}

/** Why a server cannot listen, and what to do; often ticketscan itself is there already. */
export async function whyNotListening(error: unknown, host: string, port: number): Promise<string> {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  if (isTaken && (await servesTicketscan(host, port)))
    return `Port ${port} is taken: ticketscan serves there already. End that server, or choose another port with --port; 0 picks a free one.`;
  return inSentences(listenFailure(error, host, port));
}
