import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import type { Settings } from '../../../config/settings.ts';
import { isLoopback } from './loopback.ts';

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

/** The settings that decide under which address devices and browsers reach the service. */
export const ADDRESS_SETTINGS = [
  'baseUrl',
  'host',
  'port',
  'tlsCert',
  'tlsSelfSigned',
  'tlsName',
] as const;

/** The address that was set, else the one that `serve` has with the same settings: the network's before this machine's own. */
export function baseUrlFrom(settings: Pick<Settings, (typeof ADDRESS_SETTINGS)[number]>): string {
  const { baseUrl, host, port, tlsCert, tlsSelfSigned } = settings;
  if (baseUrl !== undefined) return baseUrl;
  const isTls = tlsCert !== undefined || tlsSelfSigned;
  const [first, second] = addressesOf(host, port, isTls, chosenNames(settings));
  return second ?? first;
}

/** True for an address that devices cannot reach, because it means this machine to each of them. */
export function isOnlyHere(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}
