import { BlockList, isIP } from 'node:net';
import type { TrustedProxies } from '../kit/client-address.ts';

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
