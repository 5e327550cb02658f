import { BlockList, isIP } from 'node:net';

/** Whether an address is that of a trusted proxy. */
export type TrustedProxies = (address: string) => boolean;

/**
 * The client of a request: the peer, or, behind trusted proxies, the last address in `X-Forwarded-For` that is not a trusted proxy.
 * It is read from the right, because the client may have written everything left of that.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  isTrusted: TrustedProxies,
): string {
  let address = plainAddress(peer ?? '');
  const hops = forwardedFor?.split(',') ?? [];
  while (isTrusted(address)) {
    const hop = plainAddress(hops.pop()?.trim() ?? '');
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** The client's address, from a request as Node has it. Several headers of the name are one, in their order. */
export function addressOfRequest(
  request: {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly socket: { readonly remoteAddress?: string | undefined };
  },
  isTrusted: TrustedProxies | undefined,
): string {
  const forwardedFor = request.headers['x-forwarded-for'];
  const peer = request.socket.remoteAddress;
  return clientAddress(peer, forwardedFor?.toString(), isTrusted ?? (() => false));
}

/** The address without the port that some proxies add, and IPv4 as IPv4 where a socket of IPv6 carried it. */
function plainAddress(text: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');
  return bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The unit that is counted for an address: itself for IPv4; for IPv6 its network of 64 bits, which one subscriber has. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = tail === undefined ? 0 : IPV6_GROUPS - first.length - last.length;
  const groups = [...first, ...Array<string>(Math.max(0, missing)).fill('0'), ...last];
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16));
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end is two groups. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}

/**
 * Reads addresses and networks, such as `10.0.0.5,192.168.0.0/24,2001:db8::/48`.
 * @returns undefined when one of them is neither
 */
export function readProxies(list: string): TrustedProxies | undefined {
  const trusted = new BlockList();
  for (const item of list.split(',').map((text) => text.trim())) {
    if (!addNetwork(trusted, item)) return undefined;
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

function addNetwork(list: BlockList, item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) {
    list.addAddress(address, family);
    return true;
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(bits), family);
  return true;
}
