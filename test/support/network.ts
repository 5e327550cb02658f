import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { type ConnectionOptions, connect } from 'node:tls';

/** An address of this machine that other machines can open; undefined without a network. */
export const NETWORK_ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

/** The fingerprint that a server shows in a new connection. */
export async function shownFingerprint(url: string, options: ConnectionOptions): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), ...options });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
