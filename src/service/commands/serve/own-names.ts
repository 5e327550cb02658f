import { lookupService } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { isAllAddresses, ownAddresses } from './addresses.ts';
import { isLoopback } from './loopback.ts';

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

/** As given, and as multicast DNS knows it on the local network. */
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
