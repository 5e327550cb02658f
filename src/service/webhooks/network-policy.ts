import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { TicketscanError } from '../../core/errors.ts';

/** Networks that are not public (the special-purpose registries of IANA), or lead to such ones in disguise. */
const NOT_PUBLIC_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
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
    throw new TicketscanError(
      'usage',
      `The URL of a webhook must begin with https:// and have at most ${URL_CHARACTERS_MAX} characters.`,
      { reason: 'webhook_url', values: { max: URL_CHARACTERS_MAX } },
    );
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new TicketscanError(
      'usage',
      'The URL of a webhook must have no user name, no password and no fragment (#). Messages are signed instead.',
      { reason: 'webhook_url_parts' },
    );
  }
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowed(host)) {
    throw new TicketscanError('usage', notAllowed(host), {
      reason: 'webhook_address',
      values: { host },
    });
  }
  return url.href;
}

/** Without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Why an address gets no message. */
export function notAllowed(host: string): string {
  return `${host} is a private address or this server's own. The operator of the server can allow its network with --webhook-networks.`;
}
