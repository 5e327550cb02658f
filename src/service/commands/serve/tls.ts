import type { Settings } from '../../../config/settings.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { chosenNames, isOfThisMachine, ownAddresses } from './addresses.ts';
import { isLoopback } from './loopback.ts';
import { namesOfServer } from './own-names.ts';
import { selfSigned, selfSignedPaths } from './self-signed.ts';
import { readPair, type TlsFiles, type TlsPaths } from './tls-pair.ts';

/** What a server begins to serve HTTPS with. */
export interface ServerTls extends TlsFiles {
  /** The files that it comes from; undefined when it is in memory only. */
  readonly paths?: TlsPaths | undefined;
  /** What the user must know about it. */
  readonly notice?: string | undefined;
}

type TlsSettings = Pick<
  Settings,
  'host' | 'tlsCert' | 'tlsKey' | 'tlsSelfSigned' | 'tlsName' | 'tlsElsewhere'
>;

/**
 * What to serve HTTPS with; undefined for plain HTTP, which only loopback gets unless TLS ends elsewhere (section 1.7).
 * @param folder where a self-signed certificate is kept; undefined keeps none
 * @throws TicketscanError `usage`, with the options to choose from, and as `readPair` does
 */
export async function tlsFor(
  settings: TlsSettings,
  folder: string | undefined,
): Promise<ServerTls | undefined> {
  const { host, tlsCert, tlsKey, tlsSelfSigned, tlsName, tlsElsewhere } = settings;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new TicketscanError(
      'usage',
      '--tls-cert and --tls-key must be used together: give both.',
    );
  }
  if (tlsName !== undefined && !tlsSelfSigned) {
    throw new TicketscanError(
      'usage',
      '--tls-name sets the names in a self-signed certificate: add --tls-self-signed, or remove it.',
    );
  }
  if (tlsCert !== undefined && tlsKey !== undefined) {
    const paths = { cert: tlsCert, key: tlsKey };
    return { ...readPair(paths), paths };
  }
  if (tlsSelfSigned) {
    const paths = folder === undefined ? undefined : selfSignedPaths(folder);
    return {
      ...(await selfSigned(namesOfServer(host, chosenNames(settings)), paths)),
      paths,
    };
  }
  if (tlsElsewhere || isLoopback(host)) return undefined;
  if (!(await isOfThisMachine(host))) {
    throw new TicketscanError(
      'usage',
      `--host ${host} is not an address of this machine. Its addresses: ${['127.0.0.1', ...ownAddresses()].join(', ')}; all of them: 0.0.0.0.`,
    );
  }
  throw new TicketscanError(
    'usage',
    `Plain HTTP is served on loopback only, and ${host} is not loopback: others on the network could read keys and codes. Use ` +
      '--tls-cert and --tls-key, or --tls-self-signed, or --tls-elsewhere when a proxy in front ends TLS.',
  );
}
