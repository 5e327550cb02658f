const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

/** True for an address that only programs on this machine reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
